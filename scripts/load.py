"""Orders at a steady pace through a gateway and the sandbox, for ./dev up --load. Runs until SIGTERM.

    load.py --examples FOLDER --gateway HOST:PORT --sandbox URL [--orders-per-second N] [--orders N | --minutes N]

The calls are those of the example client in FOLDER. Orders are of all kinds, so that each published method is called but
the one that people close operations with. Of one exchange in a thousand the payment service's answer is lost, and of the
tenth order's creation in any case; of one webhook in a hundred the webhook. Prints a line of JSON a minute: what was done
how often, how many outcomes were not known in time and orders dropped since a part of the answer was lost, and what
failed. Ends by itself after so many orders, or minutes; with 1 when one failed.
"""

import argparse
import collections
import itertools
import json
import random
import signal
import sys
import threading
import time
import urllib.request

WORKERS = 20
REPORT_EVERY = 60
# Operations at the payment service whose answers get lost, and the plan for it.
MUTATIONS = ["create_order", "authenticate", "create_refund", "capture", "void"]
FAULTS = {
    "rules": [
        {"on": {"operation": "create_order", "nth": 10}, "fault": {"kind": "drop_after"}},
        {"on": {"operation": MUTATIONS, "probability": 0.001}, "fault": {"kind": "drop_after"}},
        {"on": {"operation": "webhook", "probability": 0.01}, "fault": {"kind": "lose"}},
    ]
}

parser = argparse.ArgumentParser(description=__doc__)
for name in ("--examples", "--gateway", "--sandbox"):
    parser.add_argument(name, required=True)
parser.add_argument("--orders-per-second", type=float, default=20)
parser.add_argument("--orders", type=int)
parser.add_argument("--minutes", type=float)
given = parser.parse_args()
sys.path.insert(0, given.examples)

# pylint: disable=wrong-import-position
import grpc  # noqa: E402
import sandbox_customer as customer  # noqa: E402
import test_cards  # noqa: E402
import tollbridge_client as tollbridge  # noqa: E402
from tollbridge.common.v1 import customer_pb2  # noqa: E402
from tollbridge.operations.v1 import operations_pb2, operations_pb2_grpc  # noqa: E402
from tollbridge.payments.v1 import payments_pb2  # noqa: E402
from tollbridge.payouts.v1 import payouts_pb2  # noqa: E402
from tollbridge.search.v1 import search_pb2, search_pb2_grpc  # noqa: E402
from tollbridge.vault.v1 import vault_pb2  # noqa: E402

DECLINED = "4000000000000002"
# Seconds from which on, and until which ago, orders are searched: of these the payment service's index knows.
SEARCHED_FROM, SEARCHED_TO = 20, 10

stopping = threading.Event()
done, failed, noted = collections.Counter(), collections.Counter(), collections.Counter()
lock = threading.Lock()


class Gateway(tollbridge.Gateway):
    """With the services that the examples do not call."""

    def __init__(self, address):
        super().__init__(address)
        channel = grpc.insecure_channel(address)
        self.operations = operations_pb2_grpc.OperationsStub(channel)
        self.search = search_pb2_grpc.SearchStub(channel)


def create(gateway, wish, **members):
    """An order with all that its answer carries. Its reference is its own: by that it is found again where the answer
    is lost, and would be left unknown among more than a thousand with the same. A setup token cannot be read again; the
    gateway says to create another order then."""
    while True:
        key = tollbridge.new_key(wish)
        wished = {"idempotency_key": key, "merchant_order_id": key, "amount": 1250, **members}
        request = payments_pb2.CreateOrderRequest(currency="EUR", **wished)
        response = tollbridge.mutate(gateway.payments.CreateOrder, request)
        if "setup_token" not in response.not_recoverable:
            return response.order
        with lock:
            noted["dropped"] += 1


def with_card(gateway, wish, **more):
    """An order with one card transaction."""
    return create(
        gateway, wish, transactions=[payments_pb2.NewTransaction(payment_method="credit-card", **more)]
    )


def paid(gateway):
    order = create(gateway, "paid")
    customer.pay_on_hosted_page(order.order_url)
    tollbridge.read_order(gateway, order.id)


def declined(gateway):
    customer.pay_on_hosted_page(create(gateway, "declined").order_url, DECLINED)


def left(gateway):
    create(gateway, "left")


def store_card(gateway, transaction, pan=test_cards.APPROVED):
    request = vault_pb2.StoreCardRequest(
        idempotency_key=tollbridge.new_key("card"),
        pan=pan,
        expiry=test_cards.EXPIRY,
        name=test_cards.NAME,
        setup_token=transaction.payment_method_details.setup_token,
    )
    return tollbridge.mutate(gateway.vault.StoreCard, request).card.vault_token


def own_checkout(gateway, pan=test_cards.APPROVED):
    order = with_card(gateway, "own-checkout")
    transaction = order.transactions[0]
    tollbridge.mutate(
        gateway.payments.AuthenticateTransaction,
        payments_pb2.AuthenticateTransactionRequest(
            idempotency_key=tollbridge.new_key("authenticate"),
            order_id=order.id,
            transaction_id=transaction.id,
            vault_token=store_card(gateway, transaction, pan),
            cvc=test_cards.CVC,
        ),
    )


def own_checkout_declined(gateway):
    own_checkout(gateway, DECLINED)


def recurring(gateway):
    """A payment of a series that another platform began, without the customer."""
    details = payments_pb2.NewPaymentMethodDetails(
        recurring_type="recurring", first_network_transaction_id="123456789012345"
    )
    order = with_card(gateway, "recurring", payment_method_details=details)
    request = payments_pb2.InitiateTransactionRequest(
        idempotency_key=tollbridge.new_key("initiate"),
        order_id=order.id,
        transaction_id=order.transactions[0].id,
        vault_token=store_card(gateway, order.transactions[0]),
    )
    tollbridge.mutate(gateway.payments.InitiateTransaction, request)


def card_on_file(gateway):
    """The token of a card that the customer stored at no cost."""
    details = payments_pb2.NewPaymentMethodDetails(one_click_type="first")
    order = create(
        gateway,
        "card-on-file",
        amount=0,
        transactions=[payments_pb2.NewTransaction(payment_method="credit-card", payment_method_details=details)],
    )
    customer.pay_on_card_page(order.transactions[0].payment_url)
    return tollbridge.watch(gateway, order.id).transactions[0].payment_method_details.vault_token


def one_click(gateway):
    details = payments_pb2.NewPaymentMethodDetails(
        one_click_type="one-click", cvc=test_cards.CVC, vault_token=card_on_file(gateway)
    )
    order = with_card(gateway, "one-click", payment_method_details=details)
    customer.confirm_one_click(order.transactions[0].payment_url)
    tollbridge.watch(gateway, order.id)


def refunded(gateway):
    order = with_card(gateway, "refunded")
    customer.pay_on_card_page(order.transactions[0].payment_url)
    tollbridge.watch(gateway, order.id)
    tollbridge.mutate(
        gateway.payments.CreateRefund,
        payments_pb2.CreateRefundRequest(
            idempotency_key=tollbridge.new_key("refund"), order_id=order.id, amount=1000
        ),
    )
    tollbridge.ask(gateway.payments.ListRefunds, payments_pb2.ListRefundsRequest(order_id=order.id))


def authorized(gateway):
    order = with_card(gateway, "authorized", capture_mode="manual")
    customer.pay_on_card_page(order.transactions[0].payment_url)
    return tollbridge.watch(gateway, order.id)


def captured(gateway):
    order = authorized(gateway)
    request = payments_pb2.CaptureTransactionRequest(
        idempotency_key=tollbridge.new_key("capture"), order_id=order.id, transaction_id=order.transactions[0].id
    )
    tollbridge.mutate(gateway.payments.CaptureTransaction, request)


def released(gateway):
    order = authorized(gateway)
    request = payments_pb2.VoidTransactionRequest(
        idempotency_key=tollbridge.new_key("void"), order_id=order.id, transaction_id=order.transactions[0].id
    )
    tollbridge.mutate(gateway.payments.VoidTransaction, request)


def pay_out(gateway, **to):
    key = tollbridge.new_key("payout")
    request = payouts_pb2.CreatePayoutRequest(
        idempotency_key=key,
        merchant_order_id=key,
        currency="EUR",
        amount=900,
        customer=customer_pb2.Customer(first_name="Ada", last_name="Example", country="DE"),
        **to,
    )
    order = tollbridge.mutate(gateway.payouts.CreatePayout, request).order
    tollbridge.ask(gateway.payouts.GetPayout, payouts_pb2.GetPayoutRequest(order_id=order.id))


def paid_out(gateway):
    pay_out(
        gateway,
        card=payouts_pb2.PayoutCard(pan=test_cards.APPROVED, expiry=test_cards.EXPIRY, name=test_cards.NAME),
    )


def paid_out_to_a_stored_card(gateway):
    pay_out(gateway, vault_token=card_on_file(gateway))


def by_link(gateway):
    """Declined at first, and paid then."""
    key = tollbridge.new_key("link")
    request = payments_pb2.CreatePaymentLinkRequest(
        idempotency_key=key, merchant_order_id=key, amount=800, currency="EUR"
    )
    link = tollbridge.mutate(gateway.payments.CreatePaymentLink, request).payment_link
    customer.pay_on_hosted_page(link.payment_url, DECLINED)
    customer.pay_on_hosted_page(link.payment_url)
    tollbridge.ask(
        gateway.payments.GetPaymentLink, payments_pb2.GetPaymentLinkRequest(payment_link_id=link.id)
    )


def wallet_a_session(gateway):
    tollbridge.ask(gateway.payments.ListCurrencies, payments_pb2.ListCurrenciesRequest())
    request = payments_pb2.CreateWalletASessionRequest(
        validation_url="https://wallet-a.test/validate", display_name="Example", initiative_context="shop.test"
    )
    tollbridge.ask(gateway.payments.CreateWalletASession, request)


def wallet_b(gateway):
    order = create(
        gateway, "wallet-b", transactions=[payments_pb2.NewTransaction(payment_method="wallet-b-pay")]
    )
    transaction = order.transactions[0]
    exchange = vault_pb2.ExchangeWalletBTokenRequest(
        idempotency_key=tollbridge.new_key("exchange"),
        wallet_pay_message=customer.wallet_b_message(given.sandbox, "CRYPTOGRAM_3DS"),
        setup_token=transaction.payment_method_details.setup_token,
        transaction_id=transaction.id,
    )
    token = tollbridge.mutate(gateway.vault.ExchangeWalletBToken, exchange).token
    payment = payments_pb2.ExecuteWalletBPaymentRequest(
        idempotency_key=tollbridge.new_key("wallet-b"),
        order_id=order.id,
        transaction_id=transaction.id,
        vault_token=token.vault_token,
        cryptogram=token.cryptogram,
        eci_indicator=token.eci_indicator,
        browser_info_user_agent="example",
        browser_info_language="en-GB",
    )
    tollbridge.mutate(gateway.payments.ExecuteWalletBPayment, payment)


def looked_after(gateway):
    """The operation behind an order, as somebody who lost the answer finds it."""
    key = tollbridge.new_key("looked-after")
    order = create(gateway, "looked-after", idempotency_key=key)
    tollbridge.ask(gateway.operations.GetOperation, operations_pb2.GetOperationRequest(idempotency_key=key))
    tollbridge.ask(gateway.operations.ListOperations, operations_pb2.ListOperationsRequest(order_id=order.id))


def lately():
    """A query for orders that the index has."""
    by = search_pb2.OrderFilter()
    by.created_from.FromMilliseconds(int((time.time() - SEARCHED_FROM) * 1000))
    by.created_to.FromMilliseconds(int((time.time() - SEARCHED_TO) * 1000))
    return search_pb2.OrderQuery(filter=by)


def searched(gateway):
    tollbridge.ask(gateway.search.SearchOrders, search_pb2.SearchOrdersRequest(query=lately(), page_size=20))


def read_stream(method, request):
    for _ in method(request, timeout=tollbridge.CALL_TIMEOUT):
        pass


def streamed(gateway):
    read_stream(gateway.search.StreamOrders, search_pb2.StreamOrdersRequest(query=lately()))


def exported(gateway):
    read_stream(gateway.search.ExportOrders, search_pb2.ExportOrdersRequest(query=lately()))


# Of a hundred orders so many are of each kind.
KINDS = {
    paid: 30,
    declined: 12,
    left: 8,
    own_checkout: 8,
    own_checkout_declined: 4,
    refunded: 6,
    captured: 4,
    released: 4,
    paid_out: 4,
    paid_out_to_a_stored_card: 2,
    by_link: 4,
    one_click: 2,
    recurring: 3,
    wallet_a_session: 2,
    wallet_b: 3,
    looked_after: 1,
    searched: 1,
    streamed: 1,
    exported: 1,
}


def choose():
    """Kinds, each once before any comes again."""
    yield from KINDS
    while True:
        yield from random.choices(list(KINDS), KINDS.values())


kinds = choose() if given.orders is None else itertools.islice(choose(), given.orders)


def worker():
    gateway = Gateway(given.gateway)
    pace = WORKERS / given.orders_per_second
    next_time = time.monotonic() + random.random() * pace
    while not stopping.wait(max(0.0, next_time - time.monotonic())):
        # What it is late by is not caught up with.
        next_time = max(next_time + pace, time.monotonic() - pace)
        with lock:
            kind = next(kinds, None)
        if kind is None:
            return
        try:
            kind(gateway)
            with lock:
                done[kind.__name__] += 1
        except tollbridge.OutcomeUnknown:  # the gateway finds it out, or an alert says that it does not
            with lock:
                noted["not_known_yet"] += 1
        except Exception as failure:  # whatever it is, it is an order that did not come to its end
            with lock:
                failed[f"{kind.__name__}: {type(failure).__name__}: {failure}"] += 1


def report():
    with lock:
        orders = done.total() + noted["not_known_yet"]
        line = {"orders": orders, "done": dict(done), "noted": dict(noted), "failed": dict(failed)}
    print(json.dumps(line), flush=True)


def main():
    plan = urllib.request.Request(
        given.sandbox + "/_sandbox/faults", json.dumps(FAULTS).encode(), {"Content-Type": "application/json"}
    )
    urllib.request.urlopen(plan, timeout=30).close()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    threads = [threading.Thread(target=worker) for _ in range(WORKERS)]
    for thread in threads:
        thread.start()
    report()
    begun = reported = time.monotonic()
    while any(thread.is_alive() for thread in threads) and not stopping.wait(0.2):
        now = time.monotonic()
        if given.minutes is not None and now > begun + 60 * given.minutes:
            stopping.set()
        if now > reported + REPORT_EVERY:
            report()
            reported = now
    for thread in threads:
        thread.join()
    report()
    return 1 if failed else 0


sys.exit(main())
