"""The customer's part: what a person, their browser or their wallet does in real life.

A program of yours has nothing of this. Here it is played against the sandbox's pages, so that the flows
come to their end without a person.
"""

import http.client
import json
import urllib.parse

import test_cards

# Seconds in which a page answers.
TIMEOUT = 3


def find(sandbox):
    """Raises ConnectionError when nothing answers at the sandbox's address."""
    try:
        _exchange("GET", sandbox)
    except ConnectionError as failure:
        raise ConnectionError(f"{failure}; is ./dev demo running? the sandbox's address is SANDBOX_URL in "
                              "build/demo/addresses.env") from failure


def pay_on_hosted_page(order_url, pan=test_cards.APPROVED):
    """Picks the method, then pays with a card. Returns where the browser is sent at last."""
    card_page = _submit(order_url, {"method": "credit-card"})
    return pay_on_card_page(card_page, pan)


def pay_on_card_page(payment_url, pan=test_cards.APPROVED):
    """Pays on the page of a transaction. Returns where the browser is sent."""
    return _submit(
        payment_url,
        {"pan": pan, "expiry": "12/30", "cvc": test_cards.CVC, "name": test_cards.NAME},
    )


def confirm_one_click(payment_url):
    """Agrees on the page of a one-click payment. Returns where the browser is sent."""
    return _submit(payment_url, {})


def pass_challenge(redirect_url):
    """Passes the 3-D Secure challenge. Returns where the browser is sent."""
    return _submit(redirect_url, {"outcome": "pass"})


def wallet_b_message(sandbox, method):
    """What wallet B's script gives to the shop's page: PAN_ONLY or CRYPTOGRAM_3DS."""
    message = {
        "pan": test_cards.APPROVED,
        "expirationMonth": 12,
        "expirationYear": 2030,
        "authMethod": method,
    }
    return _operate(sandbox, "wallet-b-message", message)["walletPayMessage"]


def _submit(page, form):
    body = urllib.parse.urlencode(form)
    response, _ = _exchange("POST", page, body, "application/x-www-form-urlencoded")
    if response.status != 303:
        raise RuntimeError(f"the page answers {response.status}")
    return urllib.parse.urljoin(page, response.getheader("Location"))


def _operate(sandbox, command, members):
    response, body = _exchange(
        "POST", f"{sandbox}/_sandbox/{command}", json.dumps(members), "application/json"
    )
    if response.status != 200:
        raise RuntimeError(f"the sandbox answers {response.status} to {command}")
    return json.loads(body)


def _exchange(method, url, body=None, content_type="text/plain"):
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=TIMEOUT)
    try:
        connection.request(method, parts.path or "/", body, {"Content-Type": content_type})
        response = connection.getresponse()
        return response, response.read()
    except TimeoutError as error:
        raise ConnectionError(f"cannot reach {_origin(parts)}: no answer in {TIMEOUT} s") from error
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConnectionError(f"cannot reach {_origin(parts)}: {reason}") from error
    finally:
        connection.close()


def _origin(parts):
    """The address alone: the rest of a page's address opens a payment, and belongs into no log."""
    return f"{parts.scheme}://{parts.netloc}"
