"""Wallet B, decrypted: the shop opens the wallet's message itself, stores the card and pays with it."""

import test_cards
import tollbridge_client as tollbridge
from tollbridge.payments.v1 import payments_pb2
from tollbridge.vault.v1 import vault_pb2


def flow(gateway, sandbox):
    created = tollbridge.mutate(
        gateway.payments.CreateOrder,
        payments_pb2.CreateOrderRequest(
            idempotency_key=tollbridge.new_key("wallet-b"),
            merchant_order_id="wallet-b-decrypted",
            currency="EUR",
            amount=700,
            return_url="http://shop.test/thanks",
            transactions=[payments_pb2.NewTransaction(payment_method="wallet-b-pay")],
        ),
    ).order
    transaction = created.transactions[0]

    # The customer's part: what was in the message, decrypted (the shop has to be PCI DSS compliant).
    opened = {"pan": test_cards.APPROVED, "expirationMonth": 12, "expirationYear": 2030}
    opened.update({"cryptogram": "AAAA", "eciIndicator": "05"})

    stored = tollbridge.mutate(
        gateway.vault.StoreCard,
        vault_pb2.StoreCardRequest(
            idempotency_key=tollbridge.new_key("wallet-b-card"),
            pan=opened["pan"],
            expiry=f"{opened['expirationMonth']:02}{opened['expirationYear']}",
            setup_token=transaction.payment_method_details.setup_token,
        ),
    ).card
    print(f"stored {stored.truncated_pan}")

    payment = tollbridge.mutate(
        gateway.payments.ExecuteWalletBPayment,
        payments_pb2.ExecuteWalletBPaymentRequest(
            idempotency_key=tollbridge.new_key("wallet-b-payment"),
            order_id=created.id,
            transaction_id=transaction.id,
            vault_token=stored.vault_token,
            cryptogram=opened["cryptogram"],
            eci_indicator=opened["eciIndicator"],
            browser_info_user_agent="example",
            browser_info_language="en-GB",
        ),
    ).payment
    tollbridge.expect("the payment was taken", payment.is_successful, True)
    print("send the customer to redirect_url")

    # The order confirms it.
    order = tollbridge.watch(gateway, created.id, until=tollbridge.transaction_ended)
    tollbridge.expect("the transaction", tollbridge.transaction_status(order), "completed")


tollbridge.run(flow)
