"""Cards that the sandbox knows (docs/guides/sandbox.md has them all). No other number works there."""

APPROVED = "4111111111111111"
# Asks for a 3-D Secure challenge when the customer is present.
CHALLENGE = "4000000000003220"

EXPIRY = "122030"  # MMYYYY
CVC = "123"
NAME = "A Cardholder"
