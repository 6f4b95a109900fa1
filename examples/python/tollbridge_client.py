"""What every caller of Tollbridge needs: a connection, keys, outcomes, and errors that can be read.

The generated modules (tollbridge.*_pb2) come from proto/.
"""

import argparse
import sys
import time
import uuid

import grpc
import sandbox_customer
from google.rpc import error_details_pb2, status_pb2

from tollbridge.common.v1 import order_pb2, transaction_pb2
from tollbridge.operations.v1 import operations_pb2
from tollbridge.payments.v1 import payments_pb2, payments_pb2_grpc
from tollbridge.payouts.v1 import payouts_pb2_grpc
from tollbridge.vault.v1 import vault_pb2_grpc

# Seconds in which a gateway that is there answers its first call.
CONNECT_TIMEOUT = 3
# What a program here exits with when it cannot reach an address that it was given: run_all.sh stops then.
CANNOT_REACH = 3
# Seconds for one call; each method has its own default when the caller sets none.
CALL_TIMEOUT = 30
# The codes of a call whose answer got lost.
LOST_CODES = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
# Seconds in which the programs here want their outcome. A service of yours keeps the key and comes back
# later, from another process if need be.
OUTCOME_TIMEOUT = 120


class Gateway:
    """The services of one gateway, over one connection."""

    def __init__(self, address, ca_file=None, certificate_file=None, key_file=None):
        """With ca_file the connection is TLS, and mutual TLS with the caller's certificate and key."""
        if ca_file:
            credentials = grpc.ssl_channel_credentials(
                _read(ca_file),
                _read(key_file) if key_file else None,
                _read(certificate_file) if certificate_file else None,
            )
            channel = grpc.secure_channel(address, credentials)
        else:
            channel = grpc.insecure_channel(address)
        self._address = address
        # The standard health check; an empty request asks for the process as a whole.
        self._check = channel.unary_unary("/grpc.health.v1.Health/Check")
        self.payments = payments_pb2_grpc.PaymentsStub(channel)
        self.payouts = payouts_pb2_grpc.PayoutsStub(channel)
        self.vault = vault_pb2_grpc.VaultStub(channel)

    def connect(self):
        """Raises ConnectionError when no gateway answers at the address. Once it has answered, a
        connection that gets lost is no mistake of the caller's: mutate() repeats with the same key."""
        try:
            self._check(b"", timeout=CONNECT_TIMEOUT)
        except grpc.RpcError as error:
            if error.code() == grpc.StatusCode.DEADLINE_EXCEEDED:
                reason = f"no answer in {CONNECT_TIMEOUT} s"
            elif error.code() == grpc.StatusCode.UNAVAILABLE:
                # The library tells the whole way there; what went wrong comes last.
                reason = error.details().rpartition(": ")[2].rstrip("]")
            else:
                # An answer, if only a refusal: the flow's own calls will say more.
                return
            raise ConnectionError(
                f"cannot reach the gateway at {self._address}: {reason}; is ./dev demo running? "
                "its address is GRPC_ADDR in build/demo/addresses.env"
            ) from error


class OutcomeUnknown(RuntimeError):
    """It is not known yet whether the mutation was executed. Asking with the same key finds out."""


class CallFailed(Exception):
    """An error answer, with what its details say."""

    def __init__(self, code, message, reason, retry, retry_after, violations):
        super().__init__(f"{code.name} {reason}: {message} {violations or ''}".strip())
        self.code = code  # a grpc.StatusCode
        self.reason = reason  # from ErrorInfo, as "IDEMPOTENCY_KEY_REUSED"
        self.retry = retry  # "SAFE_SAME_KEY", "AFTER_CHANGE" or "NEVER"
        self.retry_after = retry_after  # seconds
        self.violations = violations  # field path -> rule


def new_key(wish):
    """A key for one thing that is to be done once. Write it down, with the request, before the first
    call: it is what a later call asks with."""
    return f"{wish}-{uuid.uuid4()}"


def read_error(error):
    """The CallFailed of a grpc.RpcError."""
    # Where the answer got lost on the way, nobody could give details: the same key finds out.
    lost = error.code() in LOST_CODES
    reason, retry, retry_after = "", "SAFE_SAME_KEY" if lost else "NEVER", 1.0
    violations = {}
    for key, value in error.trailing_metadata() or ():
        if key != "grpc-status-details-bin":
            continue
        for detail in status_pb2.Status.FromString(value).details:
            info = error_details_pb2.ErrorInfo()
            delay = error_details_pb2.RetryInfo()
            request = error_details_pb2.BadRequest()
            if detail.Unpack(info):
                reason, retry = info.reason, info.metadata["retry"]
            elif detail.Unpack(delay):
                retry_after = delay.retry_delay.ToTimedelta().total_seconds()
            elif detail.Unpack(request):
                violations = {v.field: v.description for v in request.field_violations}
    return CallFailed(error.code(), error.details(), reason, retry, retry_after, violations)


def call(method, request):
    """Calls once. Raises CallFailed."""
    try:
        return method(request, timeout=CALL_TIMEOUT)
    except grpc.RpcError as error:
        raise read_error(error) from error


def ask(method, request):
    """Calls until there is an answer, and returns it: for what may be heard twice, a read or a mutation
    with its key. Raises CallFailed when it is refused, or when no answer came in OUTCOME_TIMEOUT."""
    end = time.monotonic() + OUTCOME_TIMEOUT
    while True:
        try:
            return call(method, request)
        except CallFailed as failure:
            _wait_or_raise(failure, end)


def mutate(method, request):
    """Asks until the outcome is known, always with the key that the request has, and returns the
    response. Raises CallFailed as ask(), and OutcomeUnknown after OUTCOME_TIMEOUT."""
    end = time.monotonic() + OUTCOME_TIMEOUT
    while True:
        response = ask(method, request)
        if response.WhichOneof("outcome") != "pending":
            return response
        pending = response.pending
        if pending.state == operations_pb2.OPERATION_STATE_NEEDS_REVIEW:
            raise RuntimeError(f"operation {pending.operation_id} waits for a person")
        if time.monotonic() > end:
            raise OutcomeUnknown("the outcome is not known yet; ask again with the same key")
        time.sleep(pending.retry_after.ToTimedelta().total_seconds())


def watch(gateway, order_id, until=None):
    """The order once it is final, or once until(order) holds. Raises CallFailed at the deadline."""
    request = payments_pb2.WatchOrderRequest(order_id=order_id)
    end = time.monotonic() + OUTCOME_TIMEOUT
    while True:
        try:
            for update in gateway.payments.WatchOrder(request, timeout=end - time.monotonic()):
                if until(update.order) if until else update.final:
                    return update.order
            raise RuntimeError(f"order {order_id} is final, and not what was waited for")
        except grpc.RpcError as error:
            # A gateway that ends closes its streams: the next one begins with the order as it is then.
            _wait_or_raise(read_error(error), end)


def _wait_or_raise(failure, end):
    """Waits until the same may be asked again; raises the failure where that leads to nothing."""
    if failure.retry != "SAFE_SAME_KEY" or time.monotonic() + failure.retry_after > end:
        raise failure
    time.sleep(failure.retry_after)


def read_order(gateway, order_id):
    """The order as it is now."""
    return ask(gateway.payments.GetOrder, payments_pb2.GetOrderRequest(order_id=order_id)).order


def order_status(order):
    """As the interface says it: "completed"."""
    return order_pb2.OrderStatus.Name(order.status).removeprefix("ORDER_STATUS_").lower()


def transaction_status(order):
    """The same of the order's only transaction."""
    status = transaction_pb2.TransactionStatus.Name(order.transactions[0].status)
    return status.removeprefix("TRANSACTION_STATUS_").lower()


def transaction_ended(order):
    """Whether the order's only transaction is final. In own checkout it is what counts: the order may
    stay in processing for up to 60 minutes more."""
    return transaction_status(order) in ("completed", "declined", "error", "cancelled", "expired")


def expect(what, found, wanted):
    """Ends the flow unless they are equal."""
    if found != wanted:
        raise RuntimeError(f"{what} is {found}, not {wanted}")
    print(f"{what}: {found}")


def run(flow):
    """Runs flow(gateway, sandbox) with the addresses of the command line. Exits with 0 only when it
    comes to its end, and with CANNOT_REACH when there is nothing at an address."""
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("--gateway", required=True, metavar="HOST:PORT")
    parser.add_argument("--sandbox", required=True, metavar="URL", help="for the customer's part")
    parser.add_argument("--ca", metavar="FILE", help="authorities to trust, PEM: use TLS")
    parser.add_argument("--certificate", metavar="FILE", help="of the caller, PEM")
    parser.add_argument("--key", metavar="FILE", help="of that certificate, PEM")
    given = parser.parse_args()
    try:
        gateway = Gateway(given.gateway, given.ca, given.certificate, given.key)
        gateway.connect()
        sandbox_customer.find(given.sandbox)
        flow(gateway, given.sandbox)
    except ConnectionError as failure:
        print(f"FAILED: {failure}", file=sys.stderr)
        sys.exit(CANNOT_REACH)
    except (CallFailed, RuntimeError) as failure:
        sys.exit(f"FAILED: {failure}")


def _read(path):
    with open(path, "rb") as file:
        return file.read()
