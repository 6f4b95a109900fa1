#!/usr/bin/env python3
"""Writes the hand-made seeds tests/fuzz/corpus/sandbox_requests/*.http.

Each is what one client writes on one connection, with the placeholders of placeholders.h. Files that
are there under other names (inputs that once were findings, say) are left alone. What is flow_* or
page_* begins with what makes the state it needs.
"""

import json
import pathlib

FOLDER = pathlib.Path(__file__).parent / "corpus" / "sandbox_requests"
SEEDS = {}

NEXT = "{|}"
CUSTOMER = {
    "merchant_customer_id": "c-1", "email_address": "ada@example.test", "first_name": "Ada",
    "last_name": "Example", "address_type": "billing", "address": "1 Main Street",
    "postal_code": "12345", "city": "Springfield", "country": "US", "state": "NY", "locale": "en",
    "phone_numbers": ["+15550100"], "ip_address": "192.0.2.1",
}
CARD = [{"payment_method": "credit-card"}]


def request(method, target, body=None, auth="{A}", kind="application/json", more=""):
    """One request; a body that is not text is sent as JSON, its length is filled in by {N}."""
    lines = [f"{method} {target} HTTP/1.1", "Host: localhost"]
    if auth:
        lines.append(f"Authorization: {auth}")
    if more:
        lines.append(more)
    if body is None:
        return "\r\n".join(lines) + "\r\n\r\n"
    text = body if isinstance(body, str) else json.dumps(body, separators=(",", ":"))
    lines += [f"Content-Type: {kind}", "Content-Length: {N}"]
    return "\r\n".join(lines) + "\r\n\r\n" + text


def get(target, **options):
    return request("GET", target, **options)


def post(target, body=None, **options):
    return request("POST", target, body, **options)


def form(target, text):
    return post(target, text, auth="", kind="application/x-www-form-urlencoded")


def order(**fields):
    return post("/v1/orders/", {"amount": 1250, "currency": "EUR", **fields})


def card_order(details=None, **fields):
    transaction = {"payment_method": "credit-card", **fields}
    if details:
        transaction["payment_method_details"] = details
    return order(transactions=[transaction])


def vault(card="{P0}", name="Ada Example"):
    return post("/vault/v1/cards/",
                {"pan": card, "expiry": "122031", "setup_token": "{S0}", "name": name})


def transaction(action, body=None, which="0"):
    return post("/v1/orders/{O%s}/transactions/{T%s}/%s/" % (which, which, action), body)


def clock(advance):
    return post("/_sandbox/clock", {"advance": advance}, auth="")


def pay(outcome, order_id="{O0}", **more):
    return post("/_sandbox/orders/%s/pay" % order_id, {"outcome": outcome, **more}, auth="")


def seed(name, *pieces):
    assert name not in SEEDS, name
    parts = [p if isinstance(p, bytes) else p.encode() for p in pieces]
    SEEDS[name] = NEXT.encode().join(parts)


READ = get("/v1/orders/{O0}/")
AUTHENTICATE = transaction("authenticate", {"vault_token": "{V0}", "cvc": "123"})


def flows():
    seed("flow_hosted_page", order(description="Two tickets", merchant_order_id="a-1",
                                   return_url="https://shop.test/back",
                                   webhook_url="https://shop.test/hook"),
         get("/pay/{O0}/", auth=""), form("/pay/{O0}/", "method=credit-card"),
         get("/pay/{O0}/{T0}/", auth=""),
         form("/pay/{O0}/{T0}/", "pan={P0}&expiry=12%2F31&cvc=123&name=Ada&action=pay"),
         get("/pay/{O0}/result/", auth=""), READ)
    seed("flow_own_checkout", card_order(), vault(), AUTHENTICATE, READ, clock("PT61M"), READ)
    seed("flow_challenge", card_order(), vault("{P8}"), vault("{P9}"), AUTHENTICATE,
         get("/pay/{O0}/{T0}/challenge/", auth=""),
         form("/pay/{O0}/{T0}/challenge/", "outcome=pass"), READ)
    seed("flow_external_3ds", card_order(), vault(),
         transaction("authenticate", {"vault_token": "{V0}", "cvc": "123", "cavv": "AAABBEg0VhI=",
                                      "3ds_version": "2.2.0", "3ds_method_used": "challenge",
                                      "ds_transaction_id": "{O0}"}), READ)
    seed("flow_initiate", card_order({"recurring_type": "recurring", "schedule_type": "unscheduled",
                                      "first_network_transaction_id": "123"}),
         vault(), transaction("initiate", {"vault_token": "{V0}"}), clock("PT2S"), READ)
    seed("flow_capture", card_order(capture_mode="manual"), vault(), AUTHENTICATE,
         transaction("captures"), transaction("captures", which="1"), READ)
    seed("flow_partial_capture", card_order(capture_mode="manual"), vault(), AUTHENTICATE,
         transaction("captures/amount", {"amount": 250, "description": "part"}),
         transaction("voids/amount", {"amount": 500}, which="1"),
         transaction("captures/amount", {"amount": 9007199254740993}, which="2"))
    seed("flow_void", card_order(capture_mode="manual"), vault(), AUTHENTICATE,
         transaction("voids", []), transaction("voids", "null", which="1"))
    seed("flow_delayed_capture", card_order(capture_mode="delayed"), vault(), AUTHENTICATE,
         clock("P8D"), READ)
    seed("flow_refund", card_order(), vault(), AUTHENTICATE, clock("PT61M"),
         post("/v1/orders/{O0}/refunds/", {"amount": 250, "description": "one ticket"}),
         get("/v1/orders/{O1}/refunds/"), post("/v1/orders/{O1}/refunds/", {"amount": 2000}))
    seed("flow_one_click", card_order({"one_click_type": "first"}), vault(), AUTHENTICATE,
         card_order({"one_click_type": "one-click", "vault_token": "{V0}", "cvc": "123"}),
         card_order({"one_click_type": "one-click", "first_transaction_id": "{T1}", "cvc": "123"}),
         get("/pay/{O0}/{T0}/", auth=""))
    seed("flow_zero_amount", post("/v1/orders/", {"amount": 0, "currency": "EUR", "transactions": [
        {"payment_method": "credit-card", "payment_method_details": {"one_click_type": "first"}}]}),
        vault(), AUTHENTICATE, READ)
    seed("flow_aft", order(customer=CUSTOMER, transactions=[
        {"payment_method": "credit-card", "capture_mode": "manual", "payment_method_details": {
            "receiver_account_number": "12345", "receiver_account_number_type": "card-account"}}]),
        vault(), AUTHENTICATE, transaction("captures"))
    seed("flow_payout", order(customer=CUSTOMER,
                              transactions=[{"payment_method": "credit-card-oct"}]),
         vault(), transaction("authenticate", {"vault_token": "{V0}"}), clock("PT2S"), READ)
    seed("flow_payout_at_once", order(customer=CUSTOMER, transactions=[
        {"payment_method": "credit-card-oct",
         "payment_method_details": {"vault_token": "{V0}"}}]), clock("PT2S"), READ)
    seed("flow_wallet_a", post("/v1/wallet-a-pay/sessions/", {
        "validationUrl": "https://wallet.test/validate", "displayName": "Sandbox shop",
        "merchantIdentifier": "11111111111141118111111111111111",
        "initiativeContext": "shop.test"}))
    execution = {"vaultToken": "{V0}", "cryptogram": "", "eciIndicator": "",
                 "browser_info_screen_width": 1920, "browser_info_screen_height": 1080,
                 "browser_info_color_depth": 24, "browser_info_user_agent": "a browser",
                 "browser_info_time_zone_offset": -60, "browser_info_language": "en",
                 "browser_info_java_enabled": False}
    message = json.dumps({"protocolVersion": "ECv2", "signature": "x", "signedMessage": "y"})
    seed("flow_wallet_b", order(transactions=[{"payment_method": "wallet-b-pay"}]),
         post("/_sandbox/wallet-b-message/", {"pan": "{P0}", "expirationMonth": 12,
                                              "expirationYear": 2031,
                                              "authMethod": "CRYPTOGRAM_3DS"}, auth=""),
         post("/wallet-b/test/tokens/", '{"walletPayMessage":"{W0}","setupToken":"{S0}",'
              '"transactionId":"{T0}"}', auth=""),
         post("/pay/{O0}/select-payment-method/wallet-b-pay/{T0}/", execution, auth=""), READ)
    seed("flow_wallet_b_decrypted", order(transactions=[{"payment_method": "wallet-b-pay"}]),
         vault(), post("/pay/{O0}/select-payment-method/wallet-b-pay/{T0}/",
                       {**execution, "cryptogram": "AAA=", "eciIndicator": "05"}, auth=""), READ)
    seed("flow_wallet_b_live_tokens", post("/wallet-b/tokens/", {
        "walletPayMessage": message, "setupToken": "{S0}", "transactionId": "{T0}"}, auth=""))
    seed("flow_payment_link", post("/v1/paymentlinks/", {
        "merchant_order_id": "l-1", "amount": 500, "currency": "EUR", "description": "A link",
        "expiration_period": "P20D", "webhook_url": "https://shop.test/hook"}),
        get("/pay/link/{L0}/", auth=""), form("/pay/link/{L0}/", "method=credit-card"),
        form("/pay/{O0}/{T0}/", "pan={P0}&expiry=12%2F31&cvc=123&name=Ada&action=pay"),
        get("/v1/paymentlinks/{L0}/"), clock("P31D"), get("/v1/paymentlinks/{L0}/"))
    seed("flow_decline", card_order(), vault("{P4}"), AUTHENTICATE, READ)
    seed("flow_slow_issuer", card_order(), vault("{P10}"), AUTHENTICATE, clock("PT31S"), READ)
    seed("flow_expiry", order(expiration_period="PT1H"), clock("PT61M"), READ,
         get("/pay/{O0}/", auth=""))
    seed("flow_name_inquiry", order(amount=0, transactions=CARD), vault("{P0}", "Grace Other"),
         AUTHENTICATE, READ)


def searches():
    def search(body, query=""):
        return post("/v1/search/orders/" + query, body)
    seed("search_all", order(), search({"query": "*"}))
    seed("search_paged", search({"query": "status:new", "size": 2, "start": 2, "sort": "id asc"}),
         search({"query": "*", "size": 2, "sort": "created desc", "search_after": "-1"}))
    seed("search_range", search({"query": "created:[2026-11-21 TO 2026-11-22T00:00:00Z]"}),
         search({"query": "amount:[0 TO *] AND NOT (currency:EUR OR status:\"new\")"}))
    seed("search_csv", order(description='He said "a,b"\nand left', transactions=CARD),
         search({"query": "*"}, "?format=csv"))
    seed("search_bad", search({"query": "((((((status:"}), search({"query": 7, "size": -1}),
         search({"query": "*", "start": 9999, "size": 1000}),
         search({"query": "*", "start": 1, "search_after": "-1"}), search({"query": "[ TO ]"}))


def admin():
    seed("admin_reads", get("/_sandbox/", auth=""), get("/_sandbox/ledger", auth=""),
         get("/_sandbox/deliveries", auth=""), get("/_sandbox/orders", auth=""))
    seed("admin_seed", post("/_sandbox/seed", {"orders": 20}, auth=""),
         post("/v1/search/orders/?format=csv", {"query": "*"}))
    seed("admin_fill", post("/_sandbox/seed", {"orders": 1500}, auth=""),
         post("/_sandbox/seed", {"orders": 1000000}, auth=""), order())
    seed("admin_reset", order(), post("/_sandbox/reset", auth=""), READ)
    seed("admin_outcomes", order(), pay("approve"), pay("refund", amount=50),
         pay("chargeback", "{O1}", amount=50), pay("reversal", "{O2}"), pay("refund"))
    seed("admin_decline", order(), pay("decline"), READ)
    seed("admin_expire", order(), pay("expire"), READ)
    seed("admin_clock", clock("PT5M"), clock("P1000Y"), clock("-PT1S"),
         post("/_sandbox/clock", {}, auth=""))
    def faults(*rules):
        return post("/_sandbox/faults", {"seed": 1, "rules": list(rules)}, auth="")

    def rule(kind, operation, **parameters):
        return {"on": {"operation": operation}, "fault": {"kind": kind, **parameters}}
    seed("faults_before", faults(rule("status", "create_order", status=503)), order(),
         faults(rule("too_many_requests", "get_order", retry_after_seconds=1)), READ,
         faults(rule("html", "get_order", status=502)), READ,
         faults(rule("drop_before", "get_order")), READ)
    seed("faults_after", order(), faults(rule("garble", "get_order")), READ,
         faults(rule("truncate", "get_order", after_bytes=10)), READ,
         faults(rule("read_lag", "get_order", seconds=60)), READ,
         faults(rule("status_after", "create_order", status=500)), order(),
         faults(rule("reset", "get_order", after_bytes=100)), READ)
    seed("faults_delayed", order(), faults(rule("delayed_execution", "create_order", seconds=5)),
         order())
    seed("faults_webhooks", faults(rule("lose", "webhook"), rule("reorder", "webhook")),
         order(webhook_url="http://127.0.0.1:9/hook"), pay("approve"), clock("PT30M"),
         faults(), post("/_sandbox/faults", {}, auth=""), get("/_sandbox/faults", auth=""))
    seed("admin_pages", order(), get("/_sandbox/view/{O0}/", auth=""),
         form("/_sandbox/view/{O0}/", "action=approve"),
         form("/_sandbox/view/{O0}/", "action=refund&amount=1.00"),
         form("/_sandbox/view/{O1}/", "action=refund&amount=x"),
         get("/_sandbox/?q=%3Cscript%3E&page=-1", auth=""))
    seed("admin_further_reads", get("/_sandbox/operations", auth=""),
         get("/_sandbox/projects", auth=""), get("/_sandbox/clock", auth=""),
         request("GET", "/_sandbox/ledger", auth="", more="Origin: http://evil.test"),
         "GET /_sandbox/ledger HTTP/1.1\r\nHost: evil.test\r\n\r\n")
    seed("admin_bad_faults", post("/_sandbox/faults", {"rules": [{"on": {"operation": 7}, "fault": {"kind": "x"}}]}, auth=""),
         post("/_sandbox/faults", "[[[", auth=""))


def access():
    seed("access_missing", get("/v1/orders/{O0}/", auth=""))
    seed("access_wrong", get("/v1/orders/{O0}/", auth="Basic AAAA"),
         get("/v1/orders/{O0}/", auth="Basic %%%"), get("/v1/orders/{O0}/", auth="Bearer x"))
    seed("access_forbidden", post("/v1/orders/", {"amount": 1, "currency": "EUR"}, auth="{A2}"))
    seed("access_other_project", order(), get("/v1/orders/{O0}/", auth="{A1}"))
    seed("access_two_headers", get("/v1/orders/{O0}/", more="Authorization: {A1}"))


def bad_requests():
    seed("bad_path", get("/nowhere"), get("/v1/orders/%zz/"), get("//v1//orders"), get("/"))
    seed("bad_method", request("DELETE", "/v1/orders/{O0}/"), request("BREW", "/v1/orders/"),
         request("OPTIONS", "*"))
    seed("bad_json", post("/v1/orders/", '{"amount":'), post("/v1/orders/", "null"),
         post("/v1/orders/", "[]"), post("/v1/orders/", "1e999"), post("/v1/orders/", ""))
    seed("bad_deep_json", post("/v1/orders/", "[" * 4000), post("/v1/orders/",
         '{"amount":1,"currency":"EUR","extra":' + '{"a":' * 300 + "1" + "}" * 301))
    seed("bad_utf8", post("/v1/orders/", '{"amount":1,"currency":"EUR","description":"').encode()
         + b"\xff\xfe\xc0\x80\xed\xa0\x80" + b'"}')
    seed("bad_types", post("/v1/orders/", {"amount": "1", "currency": 978, "customer": [],
                                           "transactions": {"payment_method": "credit-card"},
                                           "payment_methods": "credit-card", "extra": 1}))
    seed("bad_numbers", order(amount=-1), order(amount=1.5), order(amount=2**63),
         post("/v1/orders/", '{"amount":1E400,"currency":"EUR"}'))
    seed("bad_durations", order(expiration_period="PT"), order(expiration_period="P99999999999Y"),
         order(expiration_period="-P1D"), order(expiration_period="P1.5DT1H"))
    seed("bad_urls", order(return_url="javascript:alert(1)"), order(webhook_url="//shop.test"),
         order(failure_url="http://user:secret@shop.test/"))
    seed("bad_card", card_order(), vault("4"), vault("1" * 64),
         post("/vault/v1/cards/", {"pan": "{P0}", "expiry": "132031", "setup_token": "{S0}"}),
         post("/vault/v1/cards/", {"pan": "{P0}", "expiry": "122031", "setup_token": "{O0}"}))
    seed("bad_form", order(transactions=CARD),
         form("/pay/{O0}/{T0}/", "pan=%F0%9F%98%80&expiry=%00&cvc=&name=<script>&pan={P0}"),
         form("/pay/{O0}/{T0}/", "%"), form("/pay/{O0}/", "method=%3Cb%3E"), form("/pay/{O0}/", "action=cancel"),
         form("/pay/{O0}/{T0}/", "&".join("a%d=1" % n for n in range(300))))
    seed("bad_long_query", get("/v1/orders/{O0}/?" + "a=%41&" * 600))
    seed("bad_page", get("/pay/{O9}/", auth=""), get("/pay/link/x/", auth=""),
         get("/pay/", auth=""), post("/pay/{O0}/{T1}/", "x", auth=""))


def bytes_on_the_wire():
    seed("wire_huge_header", get("/v1/orders/", more="X-Long: " + "a" * 12000))
    seed("wire_many_headers", get("/v1/orders/", more="\r\n".join("A: b" for _ in range(500))))
    chunked = ("POST /v1/orders/ HTTP/1.1\r\nHost: localhost\r\nAuthorization: {A}\r\n"
               "Transfer-Encoding: chunked\r\n\r\n")
    seed("wire_chunked", chunked + '10\r\n{"amount":1,"cur\r\n', 'f;x="y"\r\nrency":"EUR"  }\r\n',
         "0\r\nTrailer: z\r\n\r\n")
    seed("wire_bad_chunks", chunked + "ffffffffffffffffff\r\n{}\r\n0\r\n\r\n")
    seed("wire_negative_chunk", chunked + "-1\r\n{}\r\n")
    seed("wire_pipelined", (get("/v1/orders/{O0}/") + request("HEAD", "/v1/orders/{O0}/")
                            + get("/nowhere") + get("/v1/orders/{O0}/", auth="")) * 3)
    seed("wire_split", *get("/v1/orders/", auth=""))
    seed("wire_expect", "POST /v1/orders/ HTTP/1.1\r\nHost: localhost\r\nAuthorization: {A}\r\n"
         "Expect: 100-continue\r\nContent-Length: 29\r\n\r\n", '{"amount":1,"currency":"EUR"}')
    seed("wire_bad_expect", get("/", more="Expect: the-unexpected"))
    seed("wire_http_1_0", "GET /v1/orders/{O0}/ HTTP/1.0\r\nAuthorization: {A}\r\n\r\n")
    seed("wire_csv_http_1_0", "POST /v1/search/orders/?format=csv HTTP/1.0\r\nAuthorization: {A}\r\n"
         'Content-Length: {N}\r\n\r\n{"query":"*"}')
    seed("wire_no_host", "GET / HTTP/1.1\r\n\r\n")
    seed("wire_two_lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n"
         "Content-Length: 2\r\n\r\nab")
    seed("wire_smuggled", "POST /v1/orders/ HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n"
         "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n")
    seed("wire_too_long", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\nx")
    seed("wire_folded", "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n")
    seed("wire_tls", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 32)
    seed("wire_nul", b"GET /\x00 HTTP/1.1\r\nHost: a\x00\r\n\r\n")
    seed("wire_cut_off", "POST /v1/orders/ HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\n{")
    seed("wire_absolute", "GET http://sandbox.test/v1/orders/ HTTP/1.1\r\nHost: a\r\n\r\n",
         "CONNECT sandbox.test:443 HTTP/1.1\r\nHost: a\r\n\r\n")
    seed("wire_upgrade", get("/", more="Connection: Upgrade\r\nUpgrade: websocket"))
    seed("wire_close", get("/", more="Connection: close") + get("/"))


def main():
    flows()
    searches()
    admin()
    access()
    bad_requests()
    bytes_on_the_wire()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, data in SEEDS.items():
        assert len(data) <= 16384, name
        (FOLDER / f"{name}.http").write_bytes(data)
    print(f"{len(SEEDS)} seeds")


if __name__ == "__main__":
    main()
