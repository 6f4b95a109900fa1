"""A consumer with confluent-kafka's client of a schema registry, as clients_e2e_test asks for it.

    registry_client.py --brokers HOST:PORT --topic TOPIC --schema-id ID --events N

Reads the topic from its beginning until it has N events and a heartbeat, or for a minute at most. Each record is
turned into its message by the registry's deserializer, and back by its serializer, which must put the same frame
before it. Of each it writes a line: JSON with `type`, `id` and `frame_is_the_serializers`.

The registry is one of this process that speaks as much of the interface of schema registries as the client asks for:
schemas by id, versions of a subject, and the lookup of a schema in a subject. It holds the schema of events as the
version 1 of the topic's subject, under the id that the gateway's configuration has, and one for each file that it
imports.
"""

import argparse
import base64
import http.server
import json
import threading
import time
import urllib.parse

import confluent_kafka
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer, ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from google.protobuf import descriptor_pb2, json_format

from tollbridge.events.v1 import events_pb2

LIMIT_S = 60
CONTENT_TYPE = b"application/vnd.confluent.protobuf"
HEARTBEAT = b"tollbridge.heartbeat.v1"
FRAME_BYTES = 7


class Registry:
    """Schemas by subject. A client knows Google's own files by itself."""

    def __init__(self, root_subject, root_id):
        self.schemas = {}
        self._add(root_subject, events_pb2.DESCRIPTOR, root_id)

    def _add(self, subject, file, schema_id):
        if subject in self.schemas:
            return
        text = base64.b64encode(file.serialized_pb).decode()
        imports = [each for each in file.dependencies if not each.name.startswith("google/protobuf/")]
        self.schemas[subject] = {
            "subject": subject,
            "version": 1,
            "id": schema_id,
            "schemaType": "PROTOBUF",
            "schema": text,
            "references": [{"name": each.name, "subject": each.name, "version": 1} for each in imports],
        }
        for each in imports:
            self._add(each.name, each, schema_id + len(self.schemas))

    def by_id(self, schema_id):
        return next((each for each in self.schemas.values() if each["id"] == schema_id), None)

    def looked_up(self, subject, schema):
        found = self.schemas.get(subject)
        if found is None or not same_file(found["schema"], schema):
            return None
        return found


def same_file(one, other):
    files = [descriptor_pb2.FileDescriptorProto.FromString(base64.b64decode(text)) for text in (one, other)]
    return files[0] == files[1]


def handler_of(registry):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            parts = self.parts()
            if parts[:2] == ["schemas", "ids"]:
                self.answer(registry.by_id(int(parts[2])))
            elif parts[0] == "subjects" and parts[2] == "versions" and parts[3] in ("1", "latest"):
                self.answer(registry.schemas.get(parts[1]))
            else:
                self.answer(None)

        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            parts = self.parts()
            self.answer(registry.looked_up(parts[1], asked["schema"]) if len(parts) == 2 else None)

        def parts(self):
            path = urllib.parse.urlsplit(self.path).path
            return [urllib.parse.unquote(part) for part in path.strip("/").split("/")]

        def answer(self, schema):
            body = schema or {"error_code": 40403, "message": "there is no such schema: " + self.path}
            text = json.dumps(body).encode()
            self.send_response(200 if schema else 404)
            self.send_header("Content-Type", "application/vnd.schemaregistry.v1+json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    return Handler


def read(consumer):
    until = time.monotonic() + LIMIT_S
    while time.monotonic() < until:
        message = consumer.poll(0.1)
        if message is None:
            continue
        if message.error():
            raise confluent_kafka.KafkaException(message.error())
        yield message


def main():
    parser = argparse.ArgumentParser()
    for name in ("--brokers", "--topic"):
        parser.add_argument(name, required=True)
    parser.add_argument("--schema-id", type=int, required=True)
    parser.add_argument("--events", type=int, required=True)
    asked = parser.parse_args()

    registry = Registry(asked.topic + "-value", asked.schema_id)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler_of(registry))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = SchemaRegistryClient({"url": f"http://127.0.0.1:{server.server_address[1]}"})
    ways = {}
    for message in (events_pb2.PaymentEvent, events_pb2.Heartbeat):
        ways[message] = (
            ProtobufDeserializer(message, {"use.deprecated.format": False}, client),
            ProtobufSerializer(
                message, client, {"use.deprecated.format": False, "auto.register.schemas": False}
            ),
        )

    consumer = confluent_kafka.Consumer(
        {"bootstrap.servers": asked.brokers, "group.id": "registry", "auto.offset.reset": "earliest"}
    )
    consumer.subscribe([asked.topic])
    missing = {events_pb2.PaymentEvent: asked.events, events_pb2.Heartbeat: 1}
    for record in read(consumer):
        headers = dict(record.headers())
        if headers["content-type"] != CONTENT_TYPE:
            raise ValueError(f"the content type is {headers['content-type']}")
        kind = events_pb2.Heartbeat if headers["ce_type"] == HEARTBEAT else events_pb2.PaymentEvent
        deserialize, serialize = ways[kind]
        context = SerializationContext(asked.topic, MessageField.VALUE, record.headers())
        message = deserialize(record.value(), context)
        again = serialize(message, context)
        told = json_format.MessageToDict(message)
        line = {
            "type": headers["ce_type"].decode(),
            "id": told.get("id", ""),
            "frame_is_the_serializers": again[:FRAME_BYTES] == record.value()[:FRAME_BYTES]
            and len(again) == len(record.value()),
        }
        print(json.dumps(line), flush=True)
        missing[kind] -= 1
        if all(left <= 0 for left in missing.values()):
            break
    consumer.close()
    server.shutdown()


main()
