"""Hosted page: the customer picks the method and pays on the payment service's page."""

import sandbox_customer
import tollbridge_client as tollbridge
from tollbridge.payments.v1 import payments_pb2


def flow(gateway, sandbox):
    request = payments_pb2.CreateOrderRequest(
        idempotency_key=tollbridge.new_key("hosted-page"),
        merchant_order_id="basket-1",
        description="one coffee grinder",
        currency="EUR",
        amount=1250,
        return_url="http://shop.test/thanks",
        failure_url="http://shop.test/failed",
    )
    created = tollbridge.mutate(gateway.payments.CreateOrder, request)
    print("send the customer to the order's order_url")

    # The same key asks again, and makes no second order.
    again = tollbridge.mutate(gateway.payments.CreateOrder, request)
    if again.order.id != created.order.id:
        raise RuntimeError("the same key made another order")

    # The customer's part.
    went_to = sandbox_customer.pay_on_hosted_page(created.order.order_url)
    tollbridge.expect("the customer comes back to", went_to.split("?")[0], request.return_url)

    # That the customer came back says nothing: the order does.
    order = tollbridge.watch(gateway, created.order.id)
    tollbridge.expect("the order", tollbridge.order_status(order), "completed")


tollbridge.run(flow)
