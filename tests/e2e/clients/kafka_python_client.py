"""kafka-python as clients_e2e_test asks for it: lines.py says what the arguments and the output are."""

import kafka

import lines

# Longer than a join takes. When news of the topic's partitions ends a poll's patience in mid join, kafka-python
# 3.0.12 forgets the join: its need_rejoin() is answered by what the join has already noted, so nobody awaits it.
POLL_MS = 2_000


class Listener(kafka.ConsumerRebalanceListener):
    def on_partitions_revoked(self, revoked):
        pass

    def on_partitions_assigned(self, assigned):
        lines.say_assigned(len(assigned))


def produce(settings):
    producer = kafka.KafkaProducer(bootstrap_servers=settings.brokers, acks="all", retries=0)
    sent = [
        producer.send(settings.topic, key=key, value=value, headers=[lines.HEADER])
        for key, value in lines.read_records(settings)
    ]
    for future in sent:
        future.get(timeout=lines.LIMIT)
    producer.close()


def consume(settings):
    consumer = kafka.KafkaConsumer(
        bootstrap_servers=settings.brokers,
        group_id=settings.group,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        heartbeat_interval_ms=lines.HEARTBEAT_MS,
    )
    consumer.subscribe([settings.topic], listener=Listener())
    while lines.goes_on():
        polled = consumer.poll(timeout_ms=POLL_MS)
        if polled:
            consumer.commit()
        for records in polled.values():
            for record in records:
                lines.say_record(record.key, record.value, record.headers)
    consumer.close()


lines.main(produce, consume)
