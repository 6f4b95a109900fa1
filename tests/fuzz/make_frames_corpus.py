#!/usr/bin/env python3
"""Writes the hand-made seeds of the fuzz target grpc_frames: frames after the preface, or any bytes
after "!". Files that are there under other names are left alone."""

import pathlib
import struct

CORPUS = pathlib.Path(__file__).parent / "corpus" / "grpc_frames"

END_STREAM, ACK, END_HEADERS = 1, 1, 4


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def block(**fields):
    pairs = {":method": "POST", ":scheme": "http", ":path": "/t.T/Echo", ":authority": "h",
             "te": "trailers", "content-type": "application/grpc"}
    pairs.update({name.replace("_", "-").replace("--", ":"): value for name, value in fields.items()})
    return b"".join(b"\0" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()
                    for name, value in pairs.items())


def message(text, flag=0):
    return struct.pack(">BI", flag, len(text)) + text


def headers(stream, flags=END_HEADERS, **fields):
    return frame(1, flags, stream, block(**fields))


def data(stream, payload, flags=END_STREAM):
    return frame(0, flags, stream, payload)


def seeds():
    call = headers(1) + data(1, message(b"hello"))
    yield "call", call
    yield "calls", b"".join(headers(s) + data(s, message(b"x" * s)) for s in range(1, 41, 2))
    yield "pieces", call.replace(b"hello", b"he{|}llo")
    yield "chat", headers(1, **{"--path": "/t.T/Chat"}) + data(1, message(b"a"), 0) + data(1, message(b"b"))
    yield "chat_many", headers(1, **{"--path": "/t.T/Chat"}) + data(1, message(b"") * 500)
    yield "wait", headers(1, **{"--path": "/t.T/Wait"}) + data(1, message(b""))
    yield "wait_reset", headers(1, **{"--path": "/t.T/Wait"}) + data(1, message(b"")) + b"{|}" + frame(3, 0, 1, b"\0\0\0\x08")
    yield "unknown", headers(1, **{"--path": "/t.T/No"}) + data(1, message(b""))
    yield "put", headers(1, **{"--method": "PUT"})
    yield "content_type", headers(1, content_type="text/plain")
    yield "compressed", headers(1, grpc_encoding="gzip") + data(1, message(b"x", 1))
    yield "flag", headers(1) + data(1, message(b"x", 1))
    yield "timeout", headers(1, grpc_timeout="1S") + data(1, message(b""))
    yield "bad_timeout", headers(1, grpc_timeout="soon") + data(1, message(b""))
    yield "two_messages", headers(1) + data(1, message(b"a") + message(b"b"))
    yield "no_message", headers(1, END_HEADERS | END_STREAM)
    yield "short_message", headers(1) + data(1, message(b"hello")[:7])
    yield "long_message", headers(1) + data(1, b"\0\x7f\xff\xff\xff", 0)
    yield "half_sent", b"".join(headers(s) + data(s, message(b"x" * 4000)[:3000], 0) for s in range(1, 41, 2))
    yield "binary", headers(1, x_bin="AAEC,AwQ") + data(1, message(b""))
    yield "bad_binary", headers(1, x_bin="!") + data(1, message(b""))
    yield "trailers", headers(1) + data(1, message(b""), 0) + frame(1, END_HEADERS | END_STREAM, 1, b"\0\1x\1y")
    yield "continuation", frame(1, 0, 1, block()[:20]) + frame(9, END_HEADERS, 1, block()[20:]) + data(1, message(b""))
    yield "continuations", frame(1, 0, 1, block()) + frame(9, 0, 1) * 20
    yield "resets", b"".join(headers(s) + frame(3, 0, s, b"\0\0\0\x08") for s in range(1, 801, 2))
    yield "pings", frame(6, 0, 0, b"12345678") * 60
    yield "settings", frame(4, 0, 0) * 30
    yield "empty", headers(1) + data(1, b"", 0) * 120
    yield "windows", call + frame(8, 0, 0, b"\x7f\xff\xff\xff") * 2
    yield "small_window", frame(4, 0, 0, b"\0\4\0\0\0\0") + call + frame(8, 0, 1, b"\0\0\0\1") * 5
    yield "goaway", call + frame(7, 0, 0, bytes(8))
    yield "priority", frame(2, 0, 1, b"\0\0\0\0\x10") + call
    yield "extension", frame(99, 7, 1, b"what") + call
    yield "idle_data", data(7, b"x")
    yield "http1", b"!GET / HTTP/1.1\r\nHost: h\r\n\r\n"
    yield "tls", b"!\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(40)


def main():
    CORPUS.mkdir(parents=True, exist_ok=True)
    for name, content in seeds():
        (CORPUS / name).write_bytes(content)


if __name__ == "__main__":
    main()
