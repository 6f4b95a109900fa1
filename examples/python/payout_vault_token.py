"""Payout by vault token: money to a card that was stored before."""

import sandbox_customer
import tollbridge_client as tollbridge
from tollbridge.common.v1 import customer_pb2
from tollbridge.payments.v1 import payments_pb2
from tollbridge.payouts.v1 import payouts_pb2


def stored_card(gateway):
    """The token of a card that the customer stored, as in one_click.py."""
    created = tollbridge.mutate(
        gateway.payments.CreateOrder,
        payments_pb2.CreateOrderRequest(
            idempotency_key=tollbridge.new_key("card-on-file"),
            merchant_order_id="card-on-file",
            currency="EUR",
            amount=0,
            transactions=[
                payments_pb2.NewTransaction(
                    payment_method="credit-card",
                    payment_method_details=payments_pb2.NewPaymentMethodDetails(
                        one_click_type="first"
                    ),
                )
            ],
        ),
    ).order
    # The customer's part.
    sandbox_customer.pay_on_card_page(created.transactions[0].payment_url)
    order = tollbridge.watch(gateway, created.id)
    return order.transactions[0].payment_method_details.vault_token


def flow(gateway, sandbox):
    # No number passes through the shop: order and execution are one operation with one key.
    created = tollbridge.mutate(
        gateway.payouts.CreatePayout,
        payouts_pb2.CreatePayoutRequest(
            idempotency_key=tollbridge.new_key("payout"),
            merchant_order_id="payout-2",
            currency="EUR",
            amount=900,
            vault_token=stored_card(gateway),
            customer=customer_pb2.Customer(first_name="Ada", last_name="Example", country="DE"),
        ),
    ).order
    tollbridge.expect("the transaction's type", created.transactions[0].transaction_type, "oct")

    tollbridge.watch(gateway, created.id)
    payout = tollbridge.ask(
        gateway.payouts.GetPayout, payouts_pb2.GetPayoutRequest(order_id=created.id)
    ).order
    tollbridge.expect("the payout", tollbridge.order_status(payout), "completed")


tollbridge.run(flow)
