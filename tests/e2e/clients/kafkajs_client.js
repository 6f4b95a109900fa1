// kafkajs as clients_e2e_test asks for it: lines.py says what the arguments and the output are.
'use strict';

const fs = require('node:fs');
const { parseArgs } = require('node:util');
const { Kafka, logLevel } = require('kafkajs');

const LIMIT_MS = 60_000;

const text = { type: 'string' };
const { positionals, values: settings } = parseArgs({
  allowPositionals: true,
  options: { brokers: text, topic: text, group: text, records: text },
});
const kafka = new Kafka({ brokers: settings.brokers.split(','), logLevel: logLevel.ERROR });

async function produce() {
  const lines = fs.readFileSync(settings.records, 'utf8').trimEnd().split('\n');
  const messages = lines.map((line) => {
    const [key, value] = line.split(':');
    return { key, value, headers: { client: 'by-itself' } };
  });
  const producer = kafka.producer();
  await producer.connect();
  await producer.send({ topic: settings.topic, acks: -1, messages });
  await producer.disconnect();
}

async function consume() {
  const consumer = kafka.consumer({ groupId: settings.group, heartbeatInterval: 300, maxWaitTimeInMs: 200 });
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    console.log(`assigned: ${(payload.memberAssignment[settings.topic] ?? []).length}`);
  });
  process.on('SIGTERM', () => consumer.disconnect().then(() => process.exit(0)));
  await consumer.connect();
  await consumer.subscribe({ topic: settings.topic, fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachMessage: async ({ topic, partition, message }) => {
      const offset = (BigInt(message.offset) + 1n).toString();
      await consumer.commitOffsets([{ topic, partition, offset }]);
      const told = Object.entries(message.headers).map(([name, value]) => `${name}=${value}`);
      console.log(`record ${message.key} ${message.value} ${told.join(' ')}`);
    },
  });
}

setTimeout(() => process.exit(1), LIMIT_MS).unref();
({ produce, consume })[positionals[0]]().catch((error) => {
  console.error(error);
  process.exit(1);
});
