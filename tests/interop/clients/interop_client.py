"""gRPC's interoperability cases by grpcio, on stubs that scripts/interop.sh makes.

interop_client.py CASE ADDRESS [CA-FILE]: with the file it speaks TLS. The status is 0 if the case went well.
"""

import queue
import sys

import grpc
import test_service_pb2 as pb
import test_service_pb2_grpc as stubs

# For what has to come; a case that waits longer has failed.
LIMIT = 60
REQUESTS = (27182, 8, 1828, 45904)
RESPONSES = (31415, 9, 2653, 58979)
STATUS = pb.EchoStatus(code=2, message="test status message")
SPECIAL = "\t\ntest with whitespace\r\nand Unicode BMP \u263a and non-BMP \U0001f608\t\n"
INITIAL = ("x-grpc-test-echo-initial", "test_initial_metadata_value")
TRAILING = ("x-grpc-test-echo-trailing-bin", b"\xab\xab\xab")


def check(holds, what):
    if not holds:
        raise AssertionError(what)


def payload(size):
    return pb.Payload(body=bytes(size))


def large():
    return pb.SimpleRequest(response_size=314159, payload=payload(271828))


def ask(response, size):
    return pb.StreamingOutputCallRequest(
        response_parameters=[pb.ResponseParameters(size=response)], payload=payload(size)
    )


def error_of(call):
    """The error that a call which must not go well has ended with."""
    try:
        call()
    except grpc.RpcError as error:
        return error
    raise AssertionError("the call went well")


def expect_error(error, code, details=None):
    check(error.code() == code, f"{error.code()}: {error.details()}")
    check(details is None or error.details() == details, repr(error.details()))


class Requests:
    """Messages of a stream, given one by one; None ends it."""

    def __init__(self):
        self._queue = queue.Queue()

    def put(self, message):
        self._queue.put(message)

    def __iter__(self):
        return iter(self._queue.get, None)


def empty_unary(stub, _):
    check(stub.EmptyCall(pb.Empty(), timeout=LIMIT) == pb.Empty(), "not empty")


def large_unary(stub, _):
    check(stub.UnaryCall(large(), timeout=LIMIT).payload.body == bytes(314159), "another payload")


def client_streaming(stub, _):
    requests = (pb.StreamingInputCallRequest(payload=payload(size)) for size in REQUESTS)
    size = stub.StreamingInputCall(requests, timeout=LIMIT).aggregated_payload_size
    check(size == sum(REQUESTS), size)


def server_streaming(stub, _):
    parameters = [pb.ResponseParameters(size=size) for size in RESPONSES]
    request = pb.StreamingOutputCallRequest(response_parameters=parameters)
    sizes = tuple(len(answer.payload.body) for answer in stub.StreamingOutputCall(request, timeout=LIMIT))
    check(sizes == RESPONSES, sizes)


def ping_pong(stub, _):
    requests = Requests()
    answers = stub.FullDuplexCall(iter(requests), timeout=LIMIT)
    for size, response in zip(REQUESTS, RESPONSES):
        requests.put(ask(response, size))
        check(len(next(answers).payload.body) == response, "another size")
    requests.put(None)
    check(list(answers) == [], "an answer too many")


def empty_stream(stub, _):
    check(list(stub.FullDuplexCall(iter(()), timeout=LIMIT)) == [], "an answer too many")


def status_code_and_message(stub, _):
    expect_error(
        error_of(lambda: stub.UnaryCall(pb.SimpleRequest(response_status=STATUS), timeout=LIMIT)),
        grpc.StatusCode.UNKNOWN,
        STATUS.message,
    )
    request = pb.StreamingOutputCallRequest(response_status=STATUS)
    expect_error(
        error_of(lambda: list(stub.FullDuplexCall(iter((request,)), timeout=LIMIT))),
        grpc.StatusCode.UNKNOWN,
        STATUS.message,
    )


def special_status_message(stub, _):
    request = pb.SimpleRequest(response_status=pb.EchoStatus(code=2, message=SPECIAL))
    expect_error(error_of(lambda: stub.UnaryCall(request, timeout=LIMIT)), grpc.StatusCode.UNKNOWN, SPECIAL)


def unimplemented(channel, path):
    call = channel.unary_unary(path, pb.Empty.SerializeToString, pb.Empty.FromString)
    expect_error(error_of(lambda: call(pb.Empty(), timeout=LIMIT)), grpc.StatusCode.UNIMPLEMENTED)


def unimplemented_method(_, channel):
    unimplemented(channel, "/grpc.testing.TestService/UnimplementedCall")


def unimplemented_service(_, channel):
    unimplemented(channel, "/grpc.testing.UnimplementedService/UnimplementedCall")


def expect_echoed(call):
    check(INITIAL in call.initial_metadata(), call.initial_metadata())
    check(TRAILING in call.trailing_metadata(), call.trailing_metadata())


def custom_metadata(stub, _):
    metadata = (INITIAL, TRAILING)
    _, call = stub.UnaryCall.with_call(large(), metadata=metadata, timeout=LIMIT)
    expect_echoed(call)
    stream = stub.FullDuplexCall(iter((ask(314159, 271828),)), metadata=metadata, timeout=LIMIT)
    check(len(list(stream)) == 1, "not one answer")
    expect_echoed(stream)


def timeout_on_sleeping_server(stub, _):
    requests = Requests()
    requests.put(pb.StreamingOutputCallRequest(payload=payload(27182)))
    error = error_of(lambda: list(stub.FullDuplexCall(iter(requests), timeout=0.001)))
    requests.put(None)
    expect_error(error, grpc.StatusCode.DEADLINE_EXCEEDED)


def cancel_after_begin(stub, _):
    requests = Requests()
    call = stub.StreamingInputCall.future(iter(requests), timeout=LIMIT)
    call.cancel()
    requests.put(None)
    check(call.cancelled() and call.code() == grpc.StatusCode.CANCELLED, "not cancelled")


def cancel_after_first_response(stub, _):
    requests = Requests()
    requests.put(ask(31415, 27182))
    call = stub.FullDuplexCall(iter(requests), timeout=LIMIT)
    check(len(next(call).payload.body) == 31415, "another size")
    call.cancel()
    requests.put(None)
    check(call.code() == grpc.StatusCode.CANCELLED, call.code())


def client_compressed_is_refused(stub, channel):
    """The answer names what is taken, and the connection is none the worse."""
    compressed = grpc.Compression.Gzip
    error = error_of(lambda: stub.UnaryCall(large(), compression=compressed, timeout=LIMIT))
    expect_error(error, grpc.StatusCode.UNIMPLEMENTED)
    stream = stub.FullDuplexCall(iter((ask(8, 271828),)), compression=compressed, timeout=LIMIT)
    expect_error(error_of(lambda: list(stream)), grpc.StatusCode.UNIMPLEMENTED)
    empty_unary(stub, channel)


CASES = (
    empty_unary,
    large_unary,
    client_streaming,
    server_streaming,
    ping_pong,
    empty_stream,
    status_code_and_message,
    special_status_message,
    unimplemented_method,
    unimplemented_service,
    custom_metadata,
    timeout_on_sleeping_server,
    cancel_after_begin,
    cancel_after_first_response,
    client_compressed_is_refused,
)


def open_channel(address, ca_file):
    if ca_file is None:
        return grpc.insecure_channel(address)
    with open(ca_file, "rb") as file:
        return grpc.secure_channel(address, grpc.ssl_channel_credentials(file.read()))


def main(name, address, ca_file=None):
    case = {case.__name__: case for case in CASES}[name]
    with open_channel(address, ca_file) as channel:
        case(stubs.TestServiceStub(channel), channel)


if __name__ == "__main__":
    main(*sys.argv[1:])
