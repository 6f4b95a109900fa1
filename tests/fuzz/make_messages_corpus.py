#!/usr/bin/env python3
"""Writes the hand-made seeds of the fuzz targets codec_answers and published_requests.

tests/fuzz/corpus/codec_answers: `READER STATUS`, a line end, and a body. The bodies are the codec's
golden files, and answers that are malformed in each way that we know of.
tests/fuzz/corpus/published_requests: a method's name, a line end, and a request: JSON of all fields
of a flow, or bytes that request_reader.h makes a request of.

Files that are there under other names (inputs that once were findings, say) are left alone.
"""

import hashlib
import json
import pathlib
import re

ROOT = pathlib.Path(__file__).parent.parent.parent
CORPUS = ROOT / "tests" / "fuzz" / "corpus"
GOLDEN = ROOT / "tests" / "data" / "codec"

ORDER = "5a0e1c2d-7f4b-4c0a-9d53-2f6f6c1f3a10"
TRANSACTION = "6b1f2d3e-8a5c-4d1b-8e64-3a7a7d2a4b21"
TOKEN = "8d3b4f5a-0c7e-4f3d-8a86-5c9c9f4c6d43"
CARD = {"pan": "4111111111111111", "expiry": "122031"}
CUSTOMER = {
    "merchant_customer_id": "c-1", "email_address": "ada@example.test", "first_name": "Ada",
    "last_name": "Example", "address_type": "billing", "address": "1 Main Street",
    "postal_code": "12345", "city": "Springfield", "country": "US", "state": "NY",
}

# Folders of the golden files whose message is not named as they are.
TYPES = {"wallet_a_session": "CreateWalletASessionResponse"}


def camel(name):
    return TYPES.get(name, "".join(part.capitalize() for part in name.split("_")))


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def golden_answers():
    for path in sorted(GOLDEN.glob("*/*.json")):
        body = compact(json.loads(path.read_text()))
        name = camel(path.parent.name)
        yield f"type_{path.parent.name}_{path.stem}", f"{name} 200", body


def order(**fields):
    return compact({"id": ORDER, "status": "new", "amount": 1250, "currency": "EUR", **fields})


def odd_answers():
    error = {"error": {"status": 422, "type": "ValidationError", "value": "4111111111111111"}}
    yield "refusal", "Client.CreateOrder 422", compact(error)
    yield "refusal_html", "Client.CreateOrder 502", b"<html>bad gateway</html>"
    yield "refusal_read", "Client.GetOrder 404", compact(error)
    yield "refusal_retry_after", "Client.CreateRefund 429", b"30      " + compact(error)
    yield "success_with_error", "Client.CreateOrder 200", order(**error)
    yield "created", "Client.CreateOrder 201", order()
    yield "same_order", "Client.InitiateTransaction 202", order()
    yield "authenticated", "Client.AuthenticateTransaction 200", order(redirect_url="https://a.test/")
    yield "captured", "Client.CaptureTransaction 201", order(capture_of_order_id=ORDER)
    yield "refunds", "Client.ListRefunds 200", b"[" + order(refund_of_order_id=ORDER) + b",7]"
    yield "page", "Client.SearchOrders 200", b'{"hits":2,"orders":[' + order(sort=["a"]) + b"]}"
    yield "read", "Client.GetOrder 200", order(
        amount="1250", refunded_amount=5e2, created="2026-11-21T08:00+0100", status="odd",
        extra={"a": [1, None, 9007199254740993, {"b": 1.5}], "": "x"}, transactions=[{"id": 7}, 5])
    yield "types", "Order 200", compact(
        {"id": 5, "amount": "x", "status": [], "flags": {"a": 1}, "created": 7, "customer": []})
    yield "numbers", "Order 200", (b'{"amount":9223372036854775807,"refunded_amount":1e400,'
                                   b'"extra":{"a":-0.0,"b":1e-400,"c":18446744073709551615}}')
    yield "twice", "Order 200", b'{"id":"a","id":"b","amount":1,"amount":null,"extra":{"a":1,"a":2}}'
    yield "escapes", "Order 200", b'{"description":"\\u0000\\ud83d\\udcb3\\n\\"\\\\ \xc3\xa9"}'
    yield "deep", "Order 200", b'{"extra":' + b'{"a":[' * 20 + b"]}" * 20 + b"}"
    yield "link_orders", "PaymentLink 200", compact(
        {"id": ORDER, "status": "new", "orders": {"new": [ORDER], "odd": "x", "error": []}})
    yield "report", "Report 200", (f"id,amount,description\r\n{ORDER},1250,\"a,\"\"b\"\"\r\nc\"\r\n"
                                   f"\r\n{TOKEN},1,").encode()
    yield "report_client", "Client.ReadReport 200", f"\ufeffid,amount\n{ORDER},5\n".encode()
    yield "notification", "Notification 200", compact(
        {"event": "order.completed", "order_id": ORDER, "project_id": TOKEN, "more": [1]})


def request(method, more=None, **fields):
    return method, {"project": "shop", **(more or {}), **fields}


def flows():
    key = {"idempotencyKey": "key-1"}
    about = {**key, "orderId": ORDER, "transactionId": TRANSACTION}
    money = {**key, "amount": "1250", "currency": "EUR"}
    own = {"paymentMethod": "credit-card"}
    yield "hosted_page", request("CreateOrder", money, merchantOrderId="a-1", description="Shoes",
                                 returnUrl="https://shop.test/back", expirationPeriod="PT1H",
                                 webhookUrl="https://shop.test/hook", customer=CUSTOMER,
                                 paymentMethods=["credit-card", "wallet-a-pay"],
                                 client={"platform_name": "x"}, extra={"a": [1, {"b": None}]})
    yield "own_checkout", request("CreateOrder", money, transactions=[
        {**own, "captureMode": "manual", "paymentMethodDetails": {"oneClickType": "first"}}])
    yield "one_click", request("CreateOrder", money, transactions=[
        {**own, "paymentMethodDetails": {"oneClickType": "one-click", "vaultToken": TOKEN,
                                         "cvc": "123"}}])
    yield "funding", request("CreateOrder", money, customer=CUSTOMER, transactions=[
        {**own, "paymentMethodDetails": {"receiverAccountNumber": "12345",
                                         "receiverAccountNumberType": "card-account"}}])
    yield "initiate", request("InitiateTransaction", about, vaultToken=TOKEN)
    yield "authenticate", request("AuthenticateTransaction", about, vaultToken=TOKEN, cvc="123")
    yield "external_3ds", request("AuthenticateTransaction", about, vaultToken=TOKEN, cvc="123",
                                  cavv="AAABBEg0VhI=", threeDsVersion="2.2.0",
                                  threeDsMethodUsed="challenge", dsTransactionId="ds-1")
    yield "capture", request("CaptureTransaction", about)
    yield "capture_part", request("CaptureTransaction", about, amount="250", description="part")
    yield "void", request("VoidTransaction", about)
    yield "void_part", request("VoidTransaction", about, amount="250")
    yield "refund", request("CreateRefund", key, orderId=ORDER, amount="250", description="one")
    yield "wallet_b", request("ExecuteWalletBPayment", about, vaultToken=TOKEN, cryptogram="AAA=",
                              eciIndicator="05", browserInfoScreenWidth=1920,
                              browserInfoScreenHeight=1080, browserInfoColorDepth=24,
                              browserInfoUserAgent="Browser/1.0", browserInfoTimeZoneOffset=-60,
                              browserInfoLanguage="en-GB", browserInfoJavaEnabled=False)
    yield "link", request("CreatePaymentLink", money, merchantOrderId="l-1",
                          expirationPeriod="P20D")
    yield "session", request("CreateWalletASession", validationUrl="https://wallet.test/validate",
                             displayName="Shop", initiativeContext="shop.test")
    yield "get_order", request("GetOrder", orderId=ORDER.upper())
    yield "watch", request("WatchOrder", orderId=ORDER)
    yield "refunds", request("ListRefunds", orderId=ORDER)
    yield "get_link", request("GetPaymentLink", paymentLinkId=ORDER)
    yield "currencies", request("ListCurrencies")
    yield "store_card", request("StoreCard", {**key, **CARD}, setupToken=TOKEN, name="Ada Example")
    yield "exchange", request("ExchangeWalletBToken", key, walletPayMessage='{"a":1}',
                              setupToken=TOKEN, transactionId=TRANSACTION)
    yield "payout_card", request("CreatePayout", money, card=CARD, cvc="123", customer=CUSTOMER)
    yield "payout_token", request("CreatePayout", money, vaultToken=TOKEN, customer=CUSTOMER)
    yield "get_payout", request("GetPayout", orderId=ORDER)
    yield "search", request("SearchOrders", pageSize=100, sort="created desc", query={"filter": {
        "merchantOrderId": 'a "b\\ OR *', "status": "ORDER_STATUS_COMPLETED",
        "createdFrom": "2026-01-01T00:00:00Z", "createdTo": "2026-12-31T23:59:59.5Z"}})
    yield "search_raw", request("SearchOrders", query={"raw": "amount:[0 TO *] AND NOT id:x"})
    yield "stream", request("StreamOrders", query={"raw": "*"})
    yield "export", request("ExportOrders", query={"filter": {"merchantOrderId": "a-1"}})
    yield "many_rules", request("CreateOrder", {"project": "nobody"}, amount="-1", currency="euro",
                                returnUrl="javascript:alert(1)", extra={"tollbridge_operation": 1},
                                description="[tb:0123456789abcdef]", customer={"country": "usa"})


def methods():
    names = []
    for service in ("payments", "payouts", "vault", "search"):
        text = (ROOT / f"proto/tollbridge/{service}/v1/{service}.proto").read_text()
        names += re.findall(r"^  rpc (\w+)\(", text, re.M)
    return names


def noise(name, size):
    """Bytes that look random and are always the same."""
    blocks = (hashlib.sha256(f"{name} {i}".encode()).digest() for i in range(size // 32 + 1))
    return b"".join(blocks)[:size]


def write(target, name, data):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    assert len(data) <= 16384, name
    (folder / f"{name}.seed").write_bytes(data)


def main():
    count = 0
    for name, head, body in [*golden_answers(), *odd_answers()]:
        write("codec_answers", name, head.encode() + b"\n" + body)
        count += 1
    for name, (method, fields) in flows():
        write("published_requests", f"flow_{name}", method.encode() + b"\n" + compact(fields))
        count += 1
    for method in methods():
        write("published_requests", f"made_{method}", method.encode() + b"\n\x01" +
              noise(method, 96))
        count += 1
    write("published_requests", "wire_get_order", b"GetOrder\n=\x0a\x04shop\x12\x24" +
          ORDER.encode())
    write("published_requests", "wire_cut_off", b"GetOrder\n=\x0a\x7fshop")
    write("published_requests", "wire_unknown", b"GetOrder\n=\x0a\x04shop\xfa\x3f\x03abc")
    print(f"{count + 3} seeds")


if __name__ == "__main__":
    main()
