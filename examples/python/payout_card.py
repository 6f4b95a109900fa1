"""Payout by card: money to a card whose number is given."""

import test_cards
import tollbridge_client as tollbridge
from tollbridge.common.v1 import customer_pb2
from tollbridge.payouts.v1 import payouts_pb2


def flow(gateway, sandbox):
    request = payouts_pb2.CreatePayoutRequest(
        idempotency_key=tollbridge.new_key("payout"),
        merchant_order_id="payout-1",
        currency="EUR",
        amount=900,
        card=payouts_pb2.PayoutCard(
            pan=test_cards.APPROVED, expiry=test_cards.EXPIRY, name=test_cards.NAME
        ),
        # The state is needed in US, CA and AU.
        customer=customer_pb2.Customer(
            first_name="Ada", last_name="Example", country="US", state="CA"
        ),
    )
    # Order, card and execution are one operation with one key.
    created = tollbridge.mutate(gateway.payouts.CreatePayout, request).order
    transaction = created.transactions[0]
    tollbridge.expect("the transaction's type", transaction.transaction_type, "oct")
    tollbridge.expect("credit or debit", transaction.credit_debit, "debit")

    # Called again with the same key, it pays out no second time.
    again = tollbridge.mutate(gateway.payouts.CreatePayout, request).order
    tollbridge.expect("the same key is the same payout", again.id == created.id, True)

    # Started is not paid out yet.
    tollbridge.watch(gateway, created.id)
    payout = tollbridge.ask(
        gateway.payouts.GetPayout, payouts_pb2.GetPayoutRequest(order_id=created.id)
    ).order
    tollbridge.expect("the payout", tollbridge.order_status(payout), "completed")


tollbridge.run(flow)
