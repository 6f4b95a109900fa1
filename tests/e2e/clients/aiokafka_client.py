"""aiokafka as clients_e2e_test asks for it: lines.py says what the arguments and the output are."""

import asyncio

import aiokafka

import lines


class Listener(aiokafka.ConsumerRebalanceListener):
    async def on_partitions_revoked(self, revoked):
        pass

    async def on_partitions_assigned(self, assigned):
        lines.say_assigned(len(assigned))


async def produce(settings):
    async with aiokafka.AIOKafkaProducer(bootstrap_servers=settings.brokers, acks="all") as producer:
        for key, value in lines.read_records(settings):
            await asyncio.wait_for(
                producer.send_and_wait(settings.topic, key=key, value=value, headers=[lines.HEADER]),
                lines.LIMIT,
            )


async def consume(settings):
    consumer = aiokafka.AIOKafkaConsumer(
        bootstrap_servers=settings.brokers,
        group_id=settings.group,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        heartbeat_interval_ms=lines.HEARTBEAT_MS,
    )
    consumer.subscribe([settings.topic], listener=Listener())
    await consumer.start()
    try:
        while lines.goes_on():
            polled = await consumer.getmany(timeout_ms=lines.POLL_MS)
            if polled:
                await consumer.commit()
            for records in polled.values():
                for record in records:
                    lines.say_record(record.key, record.value, record.headers)
    finally:
        await consumer.stop()


lines.main(
    lambda settings: asyncio.run(produce(settings)), lambda settings: asyncio.run(consume(settings))
)
