"""Account funding (AFT): a card payment that tops up an account, which the request names."""

import sandbox_customer
import tollbridge_client as tollbridge
from tollbridge.common.v1 import customer_pb2
from tollbridge.payments.v1 import payments_pb2


def flow(gateway, sandbox):
    created = tollbridge.mutate(
        gateway.payments.CreateOrder,
        payments_pb2.CreateOrderRequest(
            idempotency_key=tollbridge.new_key("account-funding"),
            merchant_order_id="top-up-1",
            currency="EUR",
            amount=1250,
            # All of these are needed, the state in US and CA alone.
            customer=customer_pb2.Customer(
                first_name="Ada",
                last_name="Example",
                address_type="billing",
                address="Main Street 1",
                postal_code="94016",
                city="Somewhere",
                country="US",
                state="CA",
            ),
            transactions=[
                payments_pb2.NewTransaction(
                    payment_method="credit-card",
                    payment_method_details=payments_pb2.NewPaymentMethodDetails(
                        receiver_account_number="DE00123456780000000000",
                        receiver_account_number_type="card-account",
                    ),
                )
            ],
        ),
    ).order
    transaction = created.transactions[0]
    tollbridge.expect("the transaction's type", transaction.transaction_type, "aft")

    # The customer's part. From here on it is a card payment like any other.
    sandbox_customer.pay_on_card_page(transaction.payment_url)
    order = tollbridge.watch(gateway, created.id)
    tollbridge.expect("the order", tollbridge.order_status(order), "completed")


tollbridge.run(flow)
