"""Recurring: a series that began on another platform goes on, without the customer."""

import test_cards
import tollbridge_client as tollbridge
from tollbridge.payments.v1 import payments_pb2
from tollbridge.vault.v1 import vault_pb2

# The card network's id of the series' first payment, from the platform before.
FIRST_PAYMENT = "123456789012345"


def flow(gateway, sandbox):
    created = tollbridge.mutate(
        gateway.payments.CreateOrder,
        payments_pb2.CreateOrderRequest(
            idempotency_key=tollbridge.new_key("recurring"),
            merchant_order_id="subscription-1-month-7",
            currency="EUR",
            amount=1250,
            transactions=[
                payments_pb2.NewTransaction(
                    payment_method="credit-card",
                    payment_method_details=payments_pb2.NewPaymentMethodDetails(
                        recurring_type="recurring", first_network_transaction_id=FIRST_PAYMENT
                    ),
                )
            ],
        ),
    ).order
    transaction = created.transactions[0]

    # The card that came along from the platform before. No security code: nobody is there to type it.
    stored = tollbridge.mutate(
        gateway.vault.StoreCard,
        vault_pb2.StoreCardRequest(
            idempotency_key=tollbridge.new_key("recurring-card"),
            pan=test_cards.APPROVED,
            expiry=test_cards.EXPIRY,
            name=test_cards.NAME,
            setup_token=transaction.payment_method_details.setup_token,
        ),
    ).card
    print(f"stored {stored.truncated_pan}")

    started = tollbridge.mutate(
        gateway.payments.InitiateTransaction,
        payments_pb2.InitiateTransactionRequest(
            idempotency_key=tollbridge.new_key("recurring-payment"),
            order_id=created.id,
            transaction_id=transaction.id,
            vault_token=stored.vault_token,
        ),
    ).order
    print(f"started, and {tollbridge.transaction_status(started)}: that is not paid yet")

    # As in own checkout the transaction's status counts, not the order's.
    order = tollbridge.watch(gateway, created.id, until=tollbridge.transaction_ended)
    tollbridge.expect("the transaction", tollbridge.transaction_status(order), "completed")
    details = order.transactions[0].payment_method_details
    tollbridge.expect(
        "it continues the series", details.first_network_transaction_id, FIRST_PAYMENT
    )


tollbridge.run(flow)
