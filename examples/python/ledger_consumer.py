"""A consumer of domain events: keeps a ledger in SQLite, as docs/guides/consumers.md says it.

    ledger_consumer.py --brokers HOST:PORT --database ledger.sqlite

It books each order once, by its last outcome, drops repeats, notices gaps, and leaves to people what the
gateway leaves to people. It keeps how far each partition is complete, by its heartbeats. It may die at any
moment: offsets are committed after the ledger is on disk.
"""

import argparse
import json
import sqlite3
import sys
import time

import confluent_kafka
from google.protobuf import json_format

from tollbridge.common.v1 import order_pb2
from tollbridge.events.v1 import events_pb2

# Seconds in which brokers that are there answer for the first time.
CONNECT_TIMEOUT = 3
# Records that are booked in one transaction of the database.
BATCH = 100
# Seconds to wait for a batch to fill.
BATCH_WAIT = 0.5
# Ids have to be kept for as long as they can come again in a new stream (events.baseline_window, 72 hours)
# and for as long as this consumer may be behind.
KEEP_IDS_DAYS = 30

# What a record is that holds an event, and what one is that holds a heartbeat.
EVENT_SCHEMA = "urn:tollbridge:proto:tollbridge.events.v1.PaymentEvent"
HEARTBEAT_TYPE = "tollbridge.heartbeat.v1"
# So many intervals without a heartbeat are no delay any more.
HEARTBEATS_MISSED = 3

# What a completed order of a kind does to the merchant's balance. An authorization only reserves, a void
# only releases. What comes of a kind that is not known here is left to a person.
DIRECTION = {
    events_pb2.EVENT_KIND_PAYMENT: 1,
    events_pb2.EVENT_KIND_ACCOUNT_FUNDING: 1,
    events_pb2.EVENT_KIND_CAPTURE: 1,
    events_pb2.EVENT_KIND_AUTHORIZATION: 0,
    events_pb2.EVENT_KIND_VOID: 0,
    events_pb2.EVENT_KIND_REFUND: -1,
    events_pb2.EVENT_KIND_CHARGEBACK: -1,
    events_pb2.EVENT_KIND_REVERSAL: -1,
    events_pb2.EVENT_KIND_PAYOUT: -1,
}
# Of an authorization; and what has none of these.
PARTS = (events_pb2.EVENT_KIND_CAPTURE, events_pb2.EVENT_KIND_VOID)
AT_ONCE = (events_pb2.EVENT_KIND_PAYMENT, events_pb2.EVENT_KIND_ACCOUNT_FUNDING)
OUTCOMES = {
    events_pb2.EVENT_WHAT_COMPLETED,
    events_pb2.EVENT_WHAT_FAILED,
    events_pb2.EVENT_WHAT_CANCELLED,
    events_pb2.EVENT_WHAT_EXPIRED,
}

SCHEMA = """
CREATE TABLE IF NOT EXISTS orders (
  order_id TEXT PRIMARY KEY, root TEXT NOT NULL, outcome TEXT, kind INTEGER, currency TEXT,
  booked INTEGER NOT NULL DEFAULT 0, review INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS orders_root ON orders (root);
CREATE TABLE IF NOT EXISTS streams (
  root TEXT NOT NULL, stream TEXT NOT NULL, sequence INTEGER NOT NULL, PRIMARY KEY (root, stream));
CREATE TABLE IF NOT EXISTS gaps (
  root TEXT NOT NULL, stream TEXT NOT NULL, after INTEGER NOT NULL, before INTEGER NOT NULL,
  PRIMARY KEY (root, stream, after));
CREATE TABLE IF NOT EXISTS seen (id TEXT PRIMARY KEY, at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP);
CREATE INDEX IF NOT EXISTS seen_at ON seen (at);
CREATE TABLE IF NOT EXISTS positions (
  root TEXT NOT NULL, stream TEXT NOT NULL, sequence INTEGER NOT NULL, id TEXT NOT NULL,
  at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, PRIMARY KEY (root, stream, sequence));
CREATE INDEX IF NOT EXISTS positions_at ON positions (at);
CREATE TABLE IF NOT EXISTS alarms (
  root TEXT NOT NULL, stream TEXT NOT NULL, sequence INTEGER NOT NULL, id TEXT NOT NULL,
  PRIMARY KEY (root, stream, sequence, id));
CREATE TABLE IF NOT EXISTS heartbeats (
  topic TEXT NOT NULL, partition INTEGER NOT NULL, complete_before INTEGER NOT NULL, made_at INTEGER NOT NULL,
  interval INTEGER NOT NULL, PRIMARY KEY (topic, partition));
"""


def read_record(message):
    """The event or the heartbeat of a record, whichever encoding the gateway is set to; None for what a later
    version puts there beside them. Fields and values that a later version has and this one does not are
    passed over."""
    headers = {name: value.decode() for name, value in message.headers() or ()}
    if headers.get("ce_type") == HEARTBEAT_TYPE:
        read = events_pb2.Heartbeat()
    elif headers.get("ce_dataschema", EVENT_SCHEMA) == EVENT_SCHEMA:
        read = events_pb2.PaymentEvent()
    else:
        return None
    if headers.get("content-type") == "application/json":
        return json_format.Parse(message.value(), read, ignore_unknown_fields=True)
    value = message.value()
    if headers.get("content-type") == "application/vnd.confluent.protobuf":
        value = behind_frame(value)
    read.ParseFromString(value)
    return read


def says_amount(event):
    """Whether an event says how much money it is about: absent is not 0."""
    return event.HasField("amount") and event.amount >= 0 and event.currency != ""


def behind_frame(value):
    """The message of encoding confluent: behind a zero byte, the schema's id in four bytes, and the indexes of
    the message with their number before them, as zigzag varints."""
    indexes, at = read_varint(value, 5)
    for _ in range(indexes):
        _, at = read_varint(value, at)
    return value[at:]


def read_varint(value, at):
    """The number there, and where the next one begins."""
    encoded = shift = 0
    while True:
        encoded |= (value[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if value[at - 1] < 0x80:
            return (encoded >> 1) ^ -(encoded & 1), at


class Ledger:
    """The projection. A batch is one transaction: all of it is on disk, or none."""

    def __init__(self, path):
        self._database = sqlite3.connect(path, isolation_level=None)
        self._database.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;" + SCHEMA)

    def apply(self, events, heartbeats=()):
        """Books events and returns how many were new. A heartbeat is its topic, its partition and itself, and
        lies behind the events that it vouches for: these are applied before, or in the same transaction."""
        self._database.execute("BEGIN IMMEDIATE")
        new = sum(self._apply_one(event) for event in events)
        for topic, partition, heartbeat in heartbeats:
            self._note(topic, partition, heartbeat)
        for table in ("seen", "positions"):
            self._database.execute(
                f"DELETE FROM {table} WHERE at < datetime('now', ?)", (f"-{KEEP_IDS_DAYS} days",))
        self._database.execute("COMMIT")
        return new

    def _note(self, topic, partition, heartbeat):
        """The latest time counts: another process of the gateway may know less for a while, or nothing (0)."""
        self._database.execute(
            "INSERT INTO heartbeats VALUES (?, ?, ?, ?, ?) ON CONFLICT (topic, partition) DO UPDATE SET "
            "complete_before = MAX(complete_before, excluded.complete_before), "
            "made_at = MAX(made_at, excluded.made_at), interval = excluded.interval",
            (topic, partition, heartbeat.published_before.ToMilliseconds(), heartbeat.made_at.ToMilliseconds(),
             heartbeat.interval.ToMilliseconds()))

    def _apply_one(self, event):
        late, other = not self._advance(event), self._other_at_its_place(event)
        seen = self._database.execute("SELECT 1 FROM seen WHERE id = ?", (event.id,)).fetchone()
        # The same id is the same event: sent twice, or told again in a new stream. An event that is late in
        # its stream, was not seen, and in whose place none is known can only be one of before KEEP_IDS_DAYS:
        # what came after it holds.
        if seen or (late and not other):
            return False
        # Only an id whose event is applied is kept: what was dropped may come again, and then has to count.
        self._database.execute("INSERT INTO seen (id) VALUES (?)", (event.id,))
        self._database.execute(
            "INSERT OR IGNORE INTO orders (order_id, root) VALUES (?, ?)",
            (event.order_id, event.root_order_id))
        if event.what == events_pb2.EVENT_WHAT_NEEDS_REVIEW:
            # published_what and observed_what of the event say what the gateway told before and what the
            # order shows now.
            self._leave_to_a_person(event)
        elif event.what in OUTCOMES and event.kind in DIRECTION:
            self._book(event)
        elif event.what in OUTCOMES or event.is_outcome:
            # An outcome that a later version tells of, and nobody has said here what it does to the books.
            self._leave_to_a_person(event)
        # Anything else is progress.
        return True

    def _book(self, event):
        """Books the first outcome, and that of an order that failed and completed after all. Any other change,
        of the kind too, can only come after the gateway lost its memory, and is a needs_review that it could
        not tell. So is money of which the event does not say how much it is."""
        outcome = event.type.split(".")[2]
        told, kind = self._database.execute(
            "SELECT outcome, kind FROM orders WHERE order_id = ?", (event.order_id,)).fetchone()
        # That it had failed before it completed was lost, and is told again.
        before = (told, outcome) == ("completed", "failed") and event.status == order_pb2.ORDER_STATUS_COMPLETED
        changed = told not in (None, outcome) and (told, outcome) != ("failed", "completed") and not before
        completed = event.what == events_pb2.EVENT_WHAT_COMPLETED
        unsure = completed and DIRECTION[event.kind] and not says_amount(event)
        if changed or unsure or kind not in (None, event.kind) or self._is_told_twice(event):
            self._leave_to_a_person(event)
            return
        if before:
            return
        booked = DIRECTION[event.kind] * event.amount if completed else 0
        self._database.execute(
            "UPDATE orders SET outcome = ?, kind = ?, currency = ?, booked = ? WHERE order_id = ?",
            (outcome, event.kind, event.currency, booked, event.order_id))

    def _is_told_twice(self, event):
        """Whether the money of a payment would be booked again as that of its capture, or the other way
        round: what is paid at once has no captures, so one of both was told as the wrong kind."""
        told = "SELECT 1 FROM orders WHERE {} = ? AND kind IN (?, ?)"
        if event.kind in PARTS:
            told = self._database.execute(told.format("order_id"), (event.root_order_id, *AT_ONCE))
        elif event.kind in AT_ONCE:
            told = self._database.execute(told.format("root"), (event.order_id, *PARTS))
        else:
            return False
        return told.fetchone() is not None

    def _leave_to_a_person(self, event):
        """What was booked stays until a person has decided. The kind counts as told, one that is not known
        here too."""
        self._database.execute("UPDATE orders SET review = 1, kind = COALESCE(kind, ?) WHERE order_id = ?",
                               (event.kind, event.order_id))

    def _advance(self, event):
        """Moves the position in the event's stream on and notes a gap. False for a number that was passed."""
        key = (event.root_order_id, event.stream)
        row = self._database.execute(
            "SELECT sequence FROM streams WHERE root = ? AND stream = ?", key).fetchone()
        position = row[0] if row else 0
        if event.sequence <= position:
            return False
        if event.sequence > position + 1:
            # Events were lost on the way, or are older than the topic keeps. An alarm; reading the order
            # with GetOrder tells what became of it.
            self._database.execute("INSERT OR IGNORE INTO gaps VALUES (?, ?, ?, ?)",
                                   (*key, position, event.sequence))
        self._database.execute("INSERT OR REPLACE INTO streams VALUES (?, ?, ?)", (*key, event.sequence))
        return True

    def _other_at_its_place(self, event):
        """Whether another event is known at this number of this stream. That must never be: an alarm, and no
        reason to drop either of them."""
        key = (event.root_order_id, event.stream, event.sequence)
        self._database.execute("INSERT OR IGNORE INTO positions (root, stream, sequence, id) VALUES (?, ?, ?, ?)",
                               (*key, event.id))
        known = self._database.execute(
            "SELECT id FROM positions WHERE root = ? AND stream = ? AND sequence = ?", key).fetchone()[0]
        if known != event.id:
            self._database.execute("INSERT OR IGNORE INTO alarms VALUES (?, ?, ?, ?)", (*key, event.id))
        return known != event.id

    def _completeness(self):
        """By topic and partition: all events noticed before `complete_before` (ms since 1970; 0: not known) are
        in the ledger. Late: its heartbeats have stopped, so that no events does not mean that nothing happens:
        the gateway does not publish, or this ledger does not read."""
        now = time.time() * 1000
        return {
            f"{topic}-{partition}": {
                "complete_before": complete_before,
                "late": now - made_at > HEARTBEATS_MISSED * interval,
            }
            for topic, partition, complete_before, made_at, interval in self._database.execute(
                "SELECT topic, partition, complete_before, made_at, interval FROM heartbeats")
        }

    def report(self):
        """What the ledger holds, for people and tests."""
        rows = self._database.execute
        balances = {}
        # Not by SQL, whose numbers end where those of one order do.
        for currency, booked in rows("SELECT currency, booked FROM orders WHERE outcome IS NOT NULL"):
            balances[currency] = balances.get(currency, 0) + booked
        orders = {
            order: {"root": root, "outcome": outcome or "", "booked": booked}
            for order, root, outcome, booked in rows("SELECT order_id, root, outcome, booked FROM orders")
        }
        return {
            "balances": balances,
            "orders": orders,
            "review": [row[0] for row in rows("SELECT order_id FROM orders WHERE review ORDER BY 1")],
            "gaps": [row[0] for row in rows("SELECT root FROM gaps ORDER BY 1")],
            "alarms": [row[0] for row in rows("SELECT root FROM alarms ORDER BY 1")],
            "partitions": self._completeness(),
        }


def connect(arguments):
    """A consumer that has reached a broker; ends the program when none answers. Afterwards the library
    goes on by itself, however long the brokers are away."""
    first_error, connected = None, False

    def on_error(error):
        nonlocal first_error
        first_error = first_error or error
        if connected and error.code() == confluent_kafka.KafkaError._ALL_BROKERS_DOWN:
            print("the brokers are away, trying again", file=sys.stderr, flush=True)

    settings = {
        "bootstrap.servers": arguments.brokers,
        "group.id": arguments.group,
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        "enable.partition.eof": True,
        "error_cb": on_error,
        # The library would write a line for each try to connect.
        "log_level": 0,
    }
    if arguments.instance:
        settings["group.instance.id"] = arguments.instance
    consumer = confluent_kafka.Consumer(settings)
    try:
        consumer.list_topics(arguments.topic, timeout=CONNECT_TIMEOUT)
    except confluent_kafka.KafkaException:
        consumer.poll(0)  # Brings the errors.
        reason = f"no answer in {CONNECT_TIMEOUT} s"
        if first_error:
            # As "HOST:PORT/bootstrap: Connect to HOST:PORT failed: Connection refused (after 0ms in ...)".
            reason = first_error.str().rpartition(": ")[2].partition(" (after")[0]
        sys.exit(f"FAILED: cannot reach Kafka at {arguments.brokers}: {reason}; is ./dev demo running? "
                 "its address is KAFKA_BROKERS in build/demo/addresses.env")
    connected = True
    return consumer


def consume(arguments, ledger):
    """Books until it is stopped, or until the end of the topic."""
    consumer = connect(arguments)
    at_end, assigned = set(), set()

    def on_assign(_, partitions):
        assigned.update(partition.partition for partition in partitions)

    def on_revoke(_, partitions):
        # Nothing is half done here: each batch is committed before the next is asked for.
        assigned.difference_update(partition.partition for partition in partitions)

    consumer.subscribe([arguments.topic], on_assign=on_assign, on_revoke=on_revoke)
    while not (arguments.until_end and assigned and assigned <= at_end):
        messages = consumer.consume(BATCH, BATCH_WAIT)
        events, heartbeats = [], []
        for message in messages:
            if message.error() is None:
                at_end.discard(message.partition())
                read = read_record(message)
                if isinstance(read, events_pb2.Heartbeat):
                    heartbeats.append((message.topic(), message.partition(), read))
                elif read is not None and (not read.test or arguments.test_orders):
                    events.append(read)
            elif message.error().code() == confluent_kafka.KafkaError._PARTITION_EOF:
                at_end.add(message.partition())
            elif message.error().fatal():
                raise confluent_kafka.KafkaException(message.error())
        if not any(message.error() is None for message in messages):
            continue
        new = ledger.apply(events, heartbeats)
        # Only now: what is committed is on disk.
        consumer.commit(asynchronous=False)
        if events:
            print(f"booked {new} new of {len(events)} events", flush=True)
    consumer.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--brokers", default="127.0.0.1:9092")
    parser.add_argument("--topic", default="tollbridge.events.v1")
    parser.add_argument("--group", default="example-ledger-python")
    parser.add_argument("--instance", help="name of this process in the group: when it comes back after it died "
                                           "it goes on at once")
    parser.add_argument("--database", required=True, help="file of the ledger")
    parser.add_argument("--test-orders", action="store_true", help="book orders of test projects too")
    parser.add_argument("--until-end", action="store_true", help="stop at the end of the topic")
    parser.add_argument("--report", action="store_true", help="print the ledger and do nothing else")
    arguments = parser.parse_args()
    ledger = Ledger(arguments.database)
    if arguments.report:
        json.dump(ledger.report(), sys.stdout, sort_keys=True)
        return
    consume(arguments, ledger)


main()
