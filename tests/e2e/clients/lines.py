"""What the clients in Python share: the command line, and the lines that clients_e2e_test waits for.

    NAME_client.py produce --brokers HOST:PORT --topic TOPIC --records FILE
    NAME_client.py consume --brokers HOST:PORT --topic TOPIC --group GROUP

`produce` writes the KEY:VALUE lines of a file, each with a header, and ends when the broker has them all.
`consume` is a member of the group until SIGTERM, or for a minute at most: it commits what it has read, says
so, and leaves the group in the end.
"""

import argparse
import signal
import time

LIMIT = 60
POLL_MS = 100
# How soon a member learns that another one came.
HEARTBEAT_MS = 300
HEADER = ("client", b"by-itself")

_stop = {"by": time.monotonic() + LIMIT}


def goes_on():
    return time.monotonic() < _stop["by"]


def read_records(settings):
    with open(settings.records, "rb") as records:
        for line in records:
            key, value = line.rstrip(b"\n").split(b":")
            yield key, value


def say_assigned(count):
    print(f"assigned: {count}", flush=True)


def say_record(key, value, headers):
    told = " ".join(f"{name}={content.decode()}" for name, content in headers)
    print(f"record {key.decode()} {value.decode()} {told}", flush=True)


def main(produce, consume):
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["produce", "consume"])
    for name in ("--brokers", "--topic"):
        parser.add_argument(name, required=True)
    for name in ("--group", "--records"):
        parser.add_argument(name)
    settings = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: _stop.update(by=0))
    {"produce": produce, "consume": consume}[settings.what](settings)
