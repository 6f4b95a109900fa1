"""External 3-D Secure: another provider has authenticated the customer; the payment runs directly."""

import test_cards
import tollbridge_client as tollbridge
from tollbridge.payments.v1 import payments_pb2
from tollbridge.vault.v1 import vault_pb2


def flow(gateway, sandbox):
    created = tollbridge.mutate(
        gateway.payments.CreateOrder,
        payments_pb2.CreateOrderRequest(
            idempotency_key=tollbridge.new_key("external-3ds"),
            merchant_order_id="basket-3",
            currency="EUR",
            amount=1250,
            transactions=[payments_pb2.NewTransaction(payment_method="credit-card")],
        ),
    ).order
    transaction = created.transactions[0]
    stored = tollbridge.mutate(
        gateway.vault.StoreCard,
        vault_pb2.StoreCardRequest(
            idempotency_key=tollbridge.new_key("external-3ds-card"),
            pan=test_cards.CHALLENGE,
            expiry=test_cards.EXPIRY,
            name=test_cards.NAME,
            setup_token=transaction.payment_method_details.setup_token,
        ),
    ).card

    paid = tollbridge.mutate(
        gateway.payments.AuthenticateTransaction,
        payments_pb2.AuthenticateTransactionRequest(
            idempotency_key=tollbridge.new_key("external-3ds-payment"),
            order_id=created.id,
            transaction_id=transaction.id,
            vault_token=stored.vault_token,
            cvc=test_cards.CVC,
            # The customer's part: what their authentication at the provider came to. All four.
            cavv="AAABBB",
            three_ds_version="2.2.0",
            three_ds_method_used="challenge",
            ds_transaction_id="ds-1",
        ),
    )
    tollbridge.expect("there is a redirect_url", bool(paid.redirect_url), False)

    order = tollbridge.watch(gateway, created.id, until=tollbridge.transaction_ended)
    tollbridge.expect("the transaction", tollbridge.transaction_status(order), "completed")
    used = order.transactions[0].payment_method_details.external_authentication_details
    tollbridge.expect("processed with the authentication", used.ds_trans_id, "ds-1")


tollbridge.run(flow)
