"""Own checkout: the shop takes the card itself, stores it in the vault and pays with it."""

import sandbox_customer
import test_cards
import tollbridge_client as tollbridge
from tollbridge.payments.v1 import payments_pb2
from tollbridge.vault.v1 import vault_pb2


def flow(gateway, sandbox):
    created = tollbridge.mutate(
        gateway.payments.CreateOrder,
        payments_pb2.CreateOrderRequest(
            idempotency_key=tollbridge.new_key("own-checkout"),
            merchant_order_id="basket-2",
            currency="EUR",
            amount=1250,
            return_url="http://shop.test/thanks",
            transactions=[payments_pb2.NewTransaction(payment_method="credit-card")],
        ),
    ).order
    transaction = created.transactions[0]

    # The setup token is good for one card, within 300 seconds.
    stored = tollbridge.mutate(
        gateway.vault.StoreCard,
        vault_pb2.StoreCardRequest(
            idempotency_key=tollbridge.new_key("own-checkout-card"),
            pan=test_cards.CHALLENGE,
            expiry=test_cards.EXPIRY,
            name=test_cards.NAME,
            setup_token=transaction.payment_method_details.setup_token,
        ),
    ).card
    print(f"stored {stored.truncated_pan}")

    paid = tollbridge.mutate(
        gateway.payments.AuthenticateTransaction,
        payments_pb2.AuthenticateTransactionRequest(
            idempotency_key=tollbridge.new_key("own-checkout-payment"),
            order_id=created.id,
            transaction_id=transaction.id,
            vault_token=stored.vault_token,
            cvc=test_cards.CVC,
        ),
    )
    if not paid.redirect_url:
        raise RuntimeError("there is no redirect_url")
    print("send the customer to redirect_url, for 3-D Secure")

    # The customer's part.
    sandbox_customer.pass_challenge(paid.redirect_url)

    # In own checkout the transaction's status counts; the order may stay in processing for up to 60
    # minutes more.
    order = tollbridge.watch(gateway, created.id, until=tollbridge.transaction_ended)
    tollbridge.expect("the transaction", tollbridge.transaction_status(order), "completed")


tollbridge.run(flow)
