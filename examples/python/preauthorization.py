"""Pre-authorization: the amount is held first, and captured or released later, whole or in part."""

import sandbox_customer
import tollbridge_client as tollbridge
from tollbridge.payments.v1 import payments_pb2


def authorize(gateway, wish):
    """An order whose amount the customer's card holds."""
    created = tollbridge.mutate(
        gateway.payments.CreateOrder,
        payments_pb2.CreateOrderRequest(
            idempotency_key=tollbridge.new_key(wish),
            merchant_order_id=wish,
            currency="EUR",
            amount=1250,
            transactions=[
                payments_pb2.NewTransaction(payment_method="credit-card", capture_mode="manual")
            ],
        ),
    ).order
    # The customer's part.
    sandbox_customer.pay_on_card_page(created.transactions[0].payment_url)
    # Completed means that the amount is held. Nothing is paid before the capture.
    order = tollbridge.watch(gateway, created.id)
    tollbridge.expect("the order", tollbridge.order_status(order), "completed")
    tollbridge.expect("it can be captured", order.transactions[0].is_capturable, True)
    return order


def capture(gateway, order, amount=None):
    """Captures all of it, or a part (extension partial_capture); either way once."""
    request = payments_pb2.CaptureTransactionRequest(
        idempotency_key=tollbridge.new_key("capture"),
        order_id=order.id,
        transaction_id=order.transactions[0].id,
        amount=amount,
    )
    made = tollbridge.mutate(gateway.payments.CaptureTransaction, request).capture_order
    tollbridge.expect("the capture is of that order", made.capture_of_order_id == order.id, True)
    tollbridge.expect("captured", made.amount, amount or order.amount)


def void(gateway, order, released):
    """Releases what remains."""
    request = payments_pb2.VoidTransactionRequest(
        idempotency_key=tollbridge.new_key("void"),
        order_id=order.id,
        transaction_id=order.transactions[0].id,
    )
    made = tollbridge.mutate(gateway.payments.VoidTransaction, request).void_order
    tollbridge.expect("the void is of that order", made.void_of_order_id == order.id, True)
    tollbridge.expect("released", made.amount, released)


def flow(gateway, sandbox):
    whole = authorize(gateway, "captured-whole")
    capture(gateway, whole)
    order = tollbridge.read_order(gateway, whole.id)
    tollbridge.expect("it can be captured", order.transactions[0].is_capturable, False)

    in_part = authorize(gateway, "captured-in-part")
    capture(gateway, in_part, amount=1000)
    void(gateway, in_part, released=250)

    released = authorize(gateway, "released")
    void(gateway, released, released=1250)
    order = tollbridge.read_order(gateway, released.id)
    tollbridge.expect("it can be captured", order.transactions[0].is_capturable, False)


tollbridge.run(flow)
