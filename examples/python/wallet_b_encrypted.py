"""Wallet B, encrypted: the gateway has the wallet's message exchanged, and pays with what comes back."""

import sandbox_customer
import tollbridge_client as tollbridge
from tollbridge.payments.v1 import payments_pb2
from tollbridge.vault.v1 import vault_pb2


def pay(gateway, sandbox, method):
    """Pays with a card in the account (PAN_ONLY) or one bound to the device (CRYPTOGRAM_3DS)."""
    created = tollbridge.mutate(
        gateway.payments.CreateOrder,
        payments_pb2.CreateOrderRequest(
            idempotency_key=tollbridge.new_key("wallet-b"),
            merchant_order_id=f"wallet-b-{method}",
            currency="EUR",
            amount=700,
            return_url="http://shop.test/thanks",
            transactions=[payments_pb2.NewTransaction(payment_method="wallet-b-pay")],
        ),
    ).order
    transaction = created.transactions[0]

    # The customer's part: the wallet's script hands its message to the shop's page.
    message = sandbox_customer.wallet_b_message(sandbox, method)

    # The result is told once: it holds card data, and is not kept.
    token = tollbridge.mutate(
        gateway.vault.ExchangeWalletBToken,
        vault_pb2.ExchangeWalletBTokenRequest(
            idempotency_key=tollbridge.new_key("wallet-b-exchange"),
            wallet_pay_message=message,
            setup_token=transaction.payment_method_details.setup_token,
            transaction_id=transaction.id,
        ),
    ).token
    tollbridge.expect(
        f"{method} comes with a cryptogram", bool(token.cryptogram), method == "CRYPTOGRAM_3DS"
    )

    payment = tollbridge.mutate(
        gateway.payments.ExecuteWalletBPayment,
        payments_pb2.ExecuteWalletBPaymentRequest(
            idempotency_key=tollbridge.new_key("wallet-b-payment"),
            order_id=created.id,
            transaction_id=transaction.id,
            vault_token=token.vault_token,
            cryptogram=token.cryptogram,
            eci_indicator=token.eci_indicator,
            browser_info_screen_width=1280,
            browser_info_screen_height=800,
            browser_info_color_depth=24,
            browser_info_user_agent="example",
            browser_info_time_zone_offset=-60,
            browser_info_language="en-GB",
            browser_info_java_enabled=False,
        ),
    ).payment
    tollbridge.expect("the payment was taken", payment.is_successful, True)
    print("send the customer to redirect_url")

    # The order confirms it.
    order = tollbridge.watch(gateway, created.id, until=tollbridge.transaction_ended)
    tollbridge.expect("the transaction", tollbridge.transaction_status(order), "completed")


def flow(gateway, sandbox):
    for method in ("PAN_ONLY", "CRYPTOGRAM_3DS"):
        pay(gateway, sandbox, method)


tollbridge.run(flow)
