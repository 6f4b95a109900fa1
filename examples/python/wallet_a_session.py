"""Wallet A: the session with the wallet's provider, when the browser asks for merchant validation."""

import tollbridge_client as tollbridge
from tollbridge.payments.v1 import payments_pb2


def flow(gateway, sandbox):
    # It changes nothing: it has no key, and a session that got lost is asked for anew.
    session = tollbridge.call(
        gateway.payments.CreateWalletASession,
        payments_pb2.CreateWalletASessionRequest(
            # The customer's part: the wallet gave this address to the browser.
            validation_url="https://wallet-a.test/validate",
            display_name="Example Shop",
            initiative_context="shop.test",
        ),
    ).session_data
    if not session.fields:
        raise RuntimeError("the session is empty")
    print(f"give the session to the browser as it is: {', '.join(sorted(session.fields))}")


tollbridge.run(flow)
