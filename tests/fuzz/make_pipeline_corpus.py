#!/usr/bin/env python3
"""Writes the hand-made seeds of the fuzz targets search_pages, hints, webhooks and http_messages.

What each target takes an input for stands in its source. Files that are there under other names (inputs
that once were findings, say) are left alone.
"""

import pathlib
import re

CORPUS = pathlib.Path(__file__).parent / "corpus"
ORDER = "5a0e1c2d-7f4b-4c0a-9d53-2f6f6c1f3a10"
REFUND = "6a1f2d3e-8a5c-4d1b-8e64-3a7a7d2a4b21"
UNKNOWN = "7b2f3e4f-9b6d-4e2c-9f75-4b8b8e3b5c32"


def varint(number):
    out = b""
    number &= (1 << 64) - 1
    while True:
        low, number = number & 0x7f, number >> 7
        if not number:
            return out + bytes([low])
        out += bytes([low | 0x80])


def text(field, value):
    data = value if isinstance(value, bytes) else value.encode()
    return varint(field << 3 | 2) + varint(len(data)) + data


def number(field, value):
    return varint(field << 3) + varint(value)


def hint(order=ORDER, project="shop", source=1, seconds=1767225000, nanos=0, more=b""):
    noticed = number(1, seconds) + number(2, nanos)
    return FIELDS["order_id"](order) + FIELDS["project"](project) + FIELDS["source"](source) + \
        FIELDS["noticed_at"](noticed) + more


def fields():
    """The numbers of hint.proto, by name."""
    proto = (CORPUS.parent.parent.parent / "proto/tollbridge/events/v1/hint.proto").read_text()
    numbers = {name: int(n) for name, n in re.findall(r"^\s+\S.*?(\w+) = (\d+);", proto, re.M)}
    return {name: (lambda value, n=numbers[name]: number(n, value) if isinstance(value, int) else
                   text(n, value)) for name in ("order_id", "member", "project", "source", "noticed_at",
                                                "hops")}


FIELDS = fields()
MOST = (1 << 63) - 1
HINTS = {
    "webhook": hint(),
    "sweep": hint(source=3),
    "member": hint(more=FIELDS["member"](REFUND)),
    "refund": hint(order=REFUND),
    "not_there": hint(order=UNKNOWN),
    "unknown_project": hint(project="nobody's"),
    "poller_of_unknown_project": hint(project="nobody's", source=2),
    "no_uuid": hint(order="../../etc"),
    "upper_case": hint(order=ORDER.upper()),
    "noticed_at_the_end_of_time": hint(order=UNKNOWN, seconds=MOST, nanos=MOST),
    "noticed_before_time": hint(order=UNKNOWN, seconds=-MOST, nanos=-1),
    "noticed_in_1969": hint(order=REFUND, seconds=-1, nanos=0),
    "many_hops": hint(order=REFUND, more=FIELDS["hops"](0xffffffff)),
    "not_utf8": hint(order=b"\xff" * 36),
    "cut_off": hint()[:-3],
    "garbage": b"\xff\xff garbage",
}


def webhook(body, target="/webhooks/{T}", more="", method="POST"):
    head = f"{method} {target} HTTP/1.1\r\nHost: h\r\nContent-Length: {len(body)}\r\n{more}\r\n"
    return head + body


BODY = f'{{"event":"order.completed","order_id":"{ORDER}"}}'
WEBHOOKS = {
    "one": webhook(BODY),
    "two": webhook(BODY) + webhook(BODY.replace(ORDER, REFUND)),
    "in_pieces": webhook(BODY).replace("order", "or{|}der"),
    "another_project": webhook(BODY[:-1] + f',"project_id":"{UNKNOWN}"}}'),
    "its_project": webhook(BODY[:-1] + ',"project_id":"0b3c8a52-4a6b-4f7e-9f0d-1a2b3c4d5e6f"}'),
    "null_project": webhook(BODY[:-1] + ',"project_id":null}'),
    "two_orders": webhook(BODY[:-1] + f',"order_id":"{REFUND}"}}'),
    "wrong_token": webhook(BODY, target="/webhooks/nobody"),
    "get": "GET /webhooks/{T} HTTP/1.1\r\nHost: h\r\n\r\n",
    "chunked": "POST /webhooks/{T} HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
               f"{len(BODY):x}\r\n{BODY}\r\n0\r\n\r\n",
    "two_lengths": webhook(BODY, more="Content-Length: 1\r\n"),
    "continue": webhook(BODY, more="Expect: 100-continue\r\n"),
    "too_large": webhook('{"a":"' + "x" * 4100 + '"}'),
    "too_deep": webhook(BODY[:-1] + ',"a":' + "[" * 9 + "]" * 9 + "}"),
    "surrogate": webhook(BODY[:-1] + r',"a":"\ud800"}'),
    "traced": webhook(BODY, more="traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n"),
    "garbage": "\0\1\2 garbage\r\n\r\n",
}


def page(*orders, hits=None, more=""):
    return f'{{"hits":{len(orders) if hits is None else hits},"orders":[{",".join(orders)}]{more}}}'


GOOD = f'{{"id":"{ORDER}","status":"completed","amount":1250,"currency":"EUR"}}'


def extra(value):
    return GOOD[:-1] + f',"extra":{{"a":{value}}}}}'


PAGES = {
    "one": page(GOOD),
    "none": page(),
    "next": page(GOOD, GOOD.replace(ORDER, REFUND), more=f',"search_after":"{REFUND}"'),
    "sort_in_last": page(GOOD[:-1] + f',"sort":["{ORDER}"]}}'),
    "deep": page(extra("[" * 27 + "]" * 27), GOOD),
    "too_deep": page(extra("[" * 40 + "]" * 40), GOOD),
    "surrogate": page(extra(r'"\ud800"'), GOOD),
    "not_utf8": page(extra('"\udcff"'), GOOD),
    "nan": page(extra("NaN"), GOOD),
    "null_order": page("null", GOOD),
    "number_order": page("7", GOOD),
    "text_order": page(f'"{ORDER}"', GOOD),
    "nested_list": page(f"[{GOOD}]", GOOD),
    "no_id": page('{"status":"new"}', GOOD),
    "twice": page(GOOD, GOOD),
    "orders_twice": f'{{"orders":[{GOOD}],"hits":1,"orders":[{GOOD},{GOOD}]}}',
    "null_orders": '{"hits":0,"orders":null}',
    "object_orders": '{"hits":1,"orders":{"a":1}}',
    "bare_list": f"[{GOOD}]",
    "wrong_types": page(f'{{"id":"{ORDER}","amount":"much","status":7}}'),
    "large_number": page(f'{{"id":"{ORDER}","amount":1e400}}', GOOD),
    "error": '{"error":{"type":"invalid","value":"query","status":400}}',
    "error_and_orders": page(GOOD, more=',"error":{"type":"x","value":"y","status":500}'),
    "cut_off": page(GOOD, GOOD)[:-20],
    "escaped_name": page(GOOD).replace('"orders"', r'"order\u0073"'),
    "behind_it": page(GOOD) + "x",
}

REQUEST = "POST /a?b=c HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody"
ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX: y\r\n\r\nbody"
CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nbod\r\n1\r\ny\r\n0\r\nT: t\r\n\r\n"
MESSAGES = {
    "request": "Q" + REQUEST,
    "requests": "Q" + REQUEST * 2 + "GET / HTTP/1.0\r\n\r\n",
    "chunked_request": "QPOST / HTTP/1.1\r\nHost: h\r\n" + CHUNKED.split("\r\n", 1)[1],
    "blank_lines": "Q\r\n\r\n" + REQUEST,
    "two_hosts": "QGET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "gzip_chunked": "QPOST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "both_lengths": "QPOST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
                    "0\r\n\r\n",
    "expects": "QPOST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx",
    "large_body": "QPOST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2049\r\n\r\nx",
    "folded": "QGET / HTTP/1.1\r\nHost: h\r\nA: b\r\n c\r\n\r\n",
    "answer": "A" + ANSWER,
    "answer_to_head": "H" + ANSWER,
    "streamed": "S" + CHUNKED,
    "streamed_error": "S" + CHUNKED.replace("200 OK", "500 Oh"),
    "chunked": "A" + CHUNKED,
    "to_the_end": "AHTTP/1.1 200 OK\r\n\r\nbody",
    "cut_off": "A" + ANSWER[:-1],
    "interim": "AHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n" + ANSWER,
    "only_interim": "AHTTP/1.1 100 Continue\r\n\r\n",
    "switching": "AHTTP/1.1 101 Switching Protocols\r\n\r\n",
    "no_content": "AHTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\n",
    "not_modified": "AHTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\n",
    "negative_length": "AHTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    "huge_length": "AHTTP/1.1 200 OK\r\nContent-Length: 18446744073709551616\r\n\r\n",
    "huge_chunk": "AHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
    "two_answers": "A" + ANSWER * 2,
    "http_2": "AHTTP/2 200\r\n\r\n",
    "garbage": "A\0\1\2",
    "nothing": "A",
}


def main():
    for target, suffix, seeds in (("hints", "bin", HINTS), ("webhooks", "http", WEBHOOKS),
                                  ("search_pages", "json", PAGES), ("http_messages", "http", MESSAGES)):
        folder = CORPUS / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, seed in seeds.items():
            data = seed if isinstance(seed, bytes) else seed.encode(errors="surrogateescape")
            (folder / f"{name}.{suffix}").write_bytes(data)


if __name__ == "__main__":
    main()
