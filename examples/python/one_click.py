"""One-click: the first payment stores the card; later ones need the CVC alone. The customer is present."""

import sandbox_customer
import test_cards
import tollbridge_client as tollbridge
from tollbridge.payments.v1 import payments_pb2


def create(gateway, wish, amount, **details):
    """An order with one card transaction of these details."""
    request = payments_pb2.CreateOrderRequest(
        idempotency_key=tollbridge.new_key(wish),
        merchant_order_id=wish,
        currency="EUR",
        amount=amount,
        return_url="http://shop.test/thanks",
        transactions=[
            payments_pb2.NewTransaction(
                payment_method="credit-card",
                payment_method_details=payments_pb2.NewPaymentMethodDetails(**details),
            )
        ],
    )
    return tollbridge.mutate(gateway.payments.CreateOrder, request).order


def flow(gateway, sandbox):
    # Amount 0 stores and verifies the card, and charges nothing.
    first = create(gateway, "card-on-file", 0, one_click_type="first")
    # The customer's part.
    sandbox_customer.pay_on_card_page(first.transactions[0].payment_url)
    order = tollbridge.watch(gateway, first.id)
    tollbridge.expect("the first order", tollbridge.order_status(order), "completed")

    # Keep the token with the customer; the truncated number is safe to show.
    details = order.transactions[0].payment_method_details
    if not details.vault_token:
        raise RuntimeError("no card was stored")
    print(f"stored {details.truncated_pan}")

    for stored in (
        {"vault_token": details.vault_token},
        {"first_transaction_id": order.transactions[0].id},
    ):
        later = create(
            gateway, "later", 1250, one_click_type="one-click", cvc=test_cards.CVC, **stored
        )
        # The customer's part: payment_url leads to the authentication.
        sandbox_customer.confirm_one_click(later.transactions[0].payment_url)
        paid = tollbridge.watch(gateway, later.id)
        by = next(iter(stored))
        tollbridge.expect(f"the order paid by {by}", tollbridge.order_status(paid), "completed")


tollbridge.run(flow)
