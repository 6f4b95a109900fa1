"""Orders at a steady pace through a gateway and the sandbox, for ./dev up --load. Runs until SIGTERM.

    load.py --examples FOLDER --gateway HOST:PORT --sandbox URL [--orders-per-second N]

The calls are those of the example client in FOLDER. Orders are of all kinds: paid, declined and left on the hosted
page, paid and declined in own checkout, refunded, captured, released, paid out, and by payment link. Of one exchange
in a thousand the payment service's answer is lost, of one webhook in a hundred the webhook. Prints a line of JSON a
minute: what was done how often, and what failed.
"""

import argparse
import collections
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
        {"on": {"operation": MUTATIONS, "probability": 0.001}, "fault": {"kind": "drop_after"}},
        {"on": {"operation": "webhook", "probability": 0.01}, "fault": {"kind": "lose"}},
    ]
}

parser = argparse.ArgumentParser(description=__doc__)
for name in ("--examples", "--gateway", "--sandbox"):
    parser.add_argument(name, required=True)
parser.add_argument("--orders-per-second", type=float, default=20)
given = parser.parse_args()
sys.path.insert(0, given.examples)

# pylint: disable=wrong-import-position
import sandbox_customer as customer  # noqa: E402
import test_cards  # noqa: E402
import tollbridge_client as tollbridge  # noqa: E402
from tollbridge.common.v1 import customer_pb2  # noqa: E402
from tollbridge.payments.v1 import payments_pb2  # noqa: E402
from tollbridge.payouts.v1 import payouts_pb2  # noqa: E402
from tollbridge.vault.v1 import vault_pb2  # noqa: E402

DECLINED = "4000000000000002"

stopping = threading.Event()
done, failed = collections.Counter(), collections.Counter()
lock = threading.Lock()


def create(gateway, wish, **more):
    request = payments_pb2.CreateOrderRequest(
        idempotency_key=tollbridge.new_key(wish), merchant_order_id=wish, currency="EUR", amount=1250, **more
    )
    return tollbridge.mutate(gateway.payments.CreateOrder, request).order


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


def own_checkout(gateway, pan=test_cards.APPROVED):
    order = with_card(gateway, "own-checkout")
    transaction = order.transactions[0]
    stored = tollbridge.mutate(
        gateway.vault.StoreCard,
        vault_pb2.StoreCardRequest(
            idempotency_key=tollbridge.new_key("card"),
            pan=pan,
            expiry=test_cards.EXPIRY,
            name=test_cards.NAME,
            setup_token=transaction.payment_method_details.setup_token,
        ),
    ).card
    tollbridge.mutate(
        gateway.payments.AuthenticateTransaction,
        payments_pb2.AuthenticateTransactionRequest(
            idempotency_key=tollbridge.new_key("authenticate"),
            order_id=order.id,
            transaction_id=transaction.id,
            vault_token=stored.vault_token,
            cvc=test_cards.CVC,
        ),
    )


def own_checkout_declined(gateway):
    own_checkout(gateway, DECLINED)


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


def paid_out(gateway):
    request = payouts_pb2.CreatePayoutRequest(
        idempotency_key=tollbridge.new_key("payout"),
        merchant_order_id="payout",
        currency="EUR",
        amount=900,
        card=payouts_pb2.PayoutCard(pan=test_cards.APPROVED, expiry=test_cards.EXPIRY, name=test_cards.NAME),
        customer=customer_pb2.Customer(first_name="Ada", last_name="Example", country="DE"),
    )
    tollbridge.mutate(gateway.payouts.CreatePayout, request)


# Of twenty orders so many are of each kind.
KINDS = {
    paid: 8,
    declined: 3,
    left: 2,
    own_checkout: 2,
    own_checkout_declined: 1,
    refunded: 1,
    captured: 1,
    released: 1,
    paid_out: 1,
}


def worker():
    gateway = tollbridge.Gateway(given.gateway)
    pace = WORKERS / given.orders_per_second
    next_time = time.monotonic() + random.random() * pace
    while not stopping.wait(max(0.0, next_time - time.monotonic())):
        # What it is late by is not caught up with.
        next_time = max(next_time + pace, time.monotonic() - pace)
        (kind,) = random.choices(list(KINDS), KINDS.values())
        try:
            kind(gateway)
            with lock:
                done[kind.__name__] += 1
        except Exception as failure:  # whatever it is, it is an order that did not come to its end
            with lock:
                failed[f"{kind.__name__}: {type(failure).__name__}: {failure}"] += 1


def report():
    with lock:
        line = {"orders": sum(done.values()), "done": dict(done), "failed": dict(failed)}
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
    while not stopping.wait(REPORT_EVERY):
        report()
    for thread in threads:
        thread.join()
    report()


main()
