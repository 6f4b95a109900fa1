"""Callers and webhooks at a steady pace while gateways are restarted, for rolling_restart_e2e_test.

    load.py --examples FOLDER --gateway HOST:PORT --webhook URL --body TEXT

The calls are those of the example client in FOLDER. Webhooks go each on a connection of its own; their body
is TEXT with an order's id for ORDER_ID. Runs until SIGTERM, or for five minutes at most; then prints one
line of JSON: what was called how often, what failed, and what came of each.
"""

import argparse
import collections
import json
import signal
import sys
import threading
import time
import urllib.request
import uuid

CALLERS = 10
# Of all callers together.
CALLS_PER_SECOND = 200
# One in so many rounds is a payout: order, card and execution, and webhooks about it.
PAYOUT_EVERY = 10
WEBHOOKS_PER_SECOND = 20
WEBHOOK_TIMEOUT = 5
LIMIT = 300

parser = argparse.ArgumentParser(description=__doc__)
for name in ("--examples", "--gateway", "--webhook", "--body"):
    parser.add_argument(name, required=True)
given = parser.parse_args()
sys.path.insert(0, given.examples)

# pylint: disable=wrong-import-position
import test_cards  # noqa: E402
import tollbridge_client as tollbridge  # noqa: E402
from tollbridge.common.v1 import customer_pb2  # noqa: E402
from tollbridge.payments.v1 import payments_pb2  # noqa: E402
from tollbridge.payouts.v1 import payouts_pb2  # noqa: E402

stopping = threading.Event()
# What threads add to; CPython's appends need no lock.
orders, payouts, failed, acknowledged, not_taken = [], [], [], [], []
# How single calls ended, those included that the client repeated.
answers = collections.Counter()
answers_lock = threading.Lock()


def counted(call):
    def count(method, request):
        ended = "OK"
        try:
            return call(method, request)
        except tollbridge.CallFailed as failure:
            ended = f"{failure.code.name} {failure.reason or 'bare'}"
            raise
        finally:
            with answers_lock:
                answers[ended] += 1

    return count


tollbridge.call = counted(tollbridge.call)


def at_pace(per_second, work):
    """Does it so often until the end; what it is late by is caught up with."""
    next_time = time.monotonic()
    while not stopping.wait(max(0.0, next_time - time.monotonic())):
        next_time += 1 / per_second
        work()


def create_and_read(gateway):
    name = f"order-{uuid.uuid4()}"
    created = tollbridge.mutate(
        gateway.payments.CreateOrder,
        payments_pb2.CreateOrderRequest(
            idempotency_key=tollbridge.new_key("order"),
            merchant_order_id=name,
            currency="EUR",
            amount=1250,
        ),
    ).order
    orders.append(name)
    if tollbridge.read_order(gateway, created.id).merchant_order_id != name:
        raise RuntimeError(f"another order was read than {created.id}")


def pay_out(gateway):
    name = f"payout-{uuid.uuid4()}"
    created = tollbridge.mutate(
        gateway.payouts.CreatePayout,
        payouts_pb2.CreatePayoutRequest(
            idempotency_key=tollbridge.new_key("payout"),
            merchant_order_id=name,
            currency="EUR",
            amount=900,
            card=payouts_pb2.PayoutCard(
                pan=test_cards.APPROVED, expiry=test_cards.EXPIRY, name=test_cards.NAME
            ),
            customer=customer_pb2.Customer(first_name="Ada", last_name="Example", country="DE"),
        ),
    ).order
    orders.append(name)
    payouts.append(created.id)


def caller():
    gateway = tollbridge.Gateway(given.gateway)
    rounds = 0

    def one_round():
        nonlocal rounds
        rounds += 1
        try:
            if rounds % PAYOUT_EVERY == 0:
                pay_out(gateway)
            else:
                create_and_read(gateway)
        except Exception as failure:  # whatever it is, it is a failed call
            failed.append(f"{type(failure).__name__}: {failure}")

    # A round is two calls, nearly.
    at_pace(CALLS_PER_SECOND / CALLERS / 2, one_round)


def send_webhook():
    order = str(uuid.uuid4())
    body = given.body.replace("ORDER_ID", order).encode()
    request = urllib.request.Request(
        given.webhook, data=body, headers={"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=WEBHOOK_TIMEOUT):
            acknowledged.append(order)
    except OSError as failure:
        not_taken.append(str(failure))


signal.signal(signal.SIGTERM, lambda *_: stopping.set())
threads = [threading.Thread(target=caller) for _ in range(CALLERS)]
threads.append(threading.Thread(target=at_pace, args=(WEBHOOKS_PER_SECOND, send_webhook)))
started = time.monotonic()
for thread in threads:
    thread.start()
print("running", flush=True)
stopping.wait(LIMIT)
stopping.set()
for thread in threads:
    thread.join()
print(
    json.dumps(
        {
            "seconds": time.monotonic() - started,
            "answers": answers,
            "failed": failed,
            "orders": orders,
            "payouts": payouts,
            "webhooks_acknowledged": acknowledged,
            "webhooks_not_taken": not_taken,
        }
    ),
    flush=True,
)
