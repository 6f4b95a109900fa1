// gRPC's interoperability cases by grpc-js. interop_client.js CASE ADDRESS PROTO-FILE [CA-FILE]: with the last file
// it speaks TLS. The status is 0 if the case went well.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');

// For what has to come; a case that waits longer has failed.
const LIMIT_MS = 60_000;
const REQUESTS = [27182, 8, 1828, 45904];
const RESPONSES = [31415, 9, 2653, 58979];
const STATUS = { code: 2, message: 'test status message' };
const SPECIAL = '\t\ntest with whitespace\r\nand Unicode BMP \u263a and non-BMP \u{1f608}\t\n';
const INITIAL = 'x-grpc-test-echo-initial';
const TRAILING = 'x-grpc-test-echo-trailing-bin';
const GZIP = { 'grpc.default_compression_algorithm': grpc.compressionAlgorithms.gzip };

const [name, address, protoFile, caFile] = process.argv.slice(2);
const { TestService } = grpc.loadPackageDefinition(loader.loadSync(protoFile)).grpc.testing;
const credentials = caFile ? grpc.credentials.createSsl(fs.readFileSync(caFile)) : grpc.credentials.createInsecure();

const payload = (size) => ({ body: Buffer.alloc(size) });
const large = () => ({ responseSize: 314159, payload: payload(271828) });
const ask = (response, size) => ({ responseParameters: [{ size: response }], payload: payload(size) });
const withLimit = () => ({ deadline: Date.now() + LIMIT_MS });

// One call that answers once: what it gave, with its metadata. Rejects with its error.
function unary(start, metadata = new grpc.Metadata()) {
  return new Promise((resolve, reject) => {
    const told = {};
    const call = start(metadata, withLimit(), (error, response) => {
      if (error) return reject(error);
      told.response = response;
    });
    call.on('metadata', (initial) => (told.initial = initial));
    call.on('status', (status) => {
      told.trailing = status.metadata;
      if (status.code === grpc.status.OK) setImmediate(() => resolve(told));
    });
  });
}

// All that a stream gives until its end. Rejects with its error.
function readAll(stream) {
  return new Promise((resolve, reject) => {
    const told = { responses: [] };
    stream.on('data', (response) => told.responses.push(response));
    stream.on('metadata', (initial) => (told.initial = initial));
    stream.on('error', reject);
    stream.on('status', (status) => {
      told.trailing = status.metadata;
      if (status.code === grpc.status.OK) setImmediate(() => resolve(told));
    });
  });
}

async function expectError(call, code, details) {
  const error = await call.then(
    () => assert.fail('the call went well'),
    (failure) => failure,
  );
  assert.strictEqual(error.code, code, String(error));
  if (details !== undefined) assert.strictEqual(error.details, details);
  return error;
}

function expectEchoed(told) {
  assert.deepStrictEqual(told.initial.get(INITIAL), ['test_initial_metadata_value']);
  assert.deepStrictEqual(told.trailing.get(TRAILING), [Buffer.from([0xab, 0xab, 0xab])]);
}

function unimplemented(client, path) {
  const nothing = () => Buffer.alloc(0);
  return expectError(
    unary((metadata, options, done) =>
      client.makeUnaryRequest(path, nothing, nothing, {}, metadata, options, done)),
    grpc.status.UNIMPLEMENTED,
  );
}

const emptyCall = (client) => unary((...rest) => client.emptyCall({}, ...rest));
const unaryCall = (client, request, metadata) => unary((...rest) => client.unaryCall(request, ...rest), metadata);
const duplexCall = (client, metadata = new grpc.Metadata()) => client.fullDuplexCall(metadata, withLimit());

const CASES = {
  async empty_unary(client) {
    assert.deepStrictEqual((await emptyCall(client)).response, {});
  },

  async large_unary(client) {
    const { response } = await unaryCall(client, large());
    assert.ok(response.payload.body.equals(Buffer.alloc(314159)));
  },

  async client_streaming(client) {
    const { response } = await unary((...rest) => {
      const call = client.streamingInputCall(...rest);
      for (const size of REQUESTS) call.write({ payload: payload(size) });
      call.end();
      return call;
    });
    assert.strictEqual(response.aggregatedPayloadSize, 74922);
  },

  async server_streaming(client) {
    const request = { responseParameters: RESPONSES.map((size) => ({ size })) };
    const { responses } = await readAll(client.streamingOutputCall(request, withLimit()));
    assert.deepStrictEqual(responses.map((response) => response.payload.body.length), RESPONSES);
  },

  async ping_pong(client) {
    const stream = duplexCall(client);
    const sizes = [];
    const next = () => (sizes.length < 4 ? stream.write(ask(RESPONSES[sizes.length], REQUESTS[sizes.length])) : stream.end());
    stream.on('data', (response) => {
      sizes.push(response.payload.body.length);
      next();
    });
    next();
    await readAll(stream);
    assert.deepStrictEqual(sizes, RESPONSES);
  },

  async empty_stream(client) {
    const stream = duplexCall(client);
    stream.end();
    assert.deepStrictEqual((await readAll(stream)).responses, []);
  },

  async status_code_and_message(client) {
    await expectError(unaryCall(client, { responseStatus: STATUS }), grpc.status.UNKNOWN, STATUS.message);
    const stream = duplexCall(client);
    stream.write({ responseStatus: STATUS });
    stream.end();
    await expectError(readAll(stream), grpc.status.UNKNOWN, STATUS.message);
  },

  async special_status_message(client) {
    const request = { responseStatus: { code: 2, message: SPECIAL } };
    await expectError(unaryCall(client, request), grpc.status.UNKNOWN, SPECIAL);
  },

  async unimplemented_method(client) {
    await unimplemented(client, '/grpc.testing.TestService/UnimplementedCall');
  },

  async unimplemented_service(client) {
    await unimplemented(client, '/grpc.testing.UnimplementedService/UnimplementedCall');
  },

  async custom_metadata(client) {
    const metadata = new grpc.Metadata();
    metadata.set(INITIAL, 'test_initial_metadata_value');
    metadata.set(TRAILING, Buffer.from([0xab, 0xab, 0xab]));
    expectEchoed(await unaryCall(client, large(), metadata));
    const stream = duplexCall(client, metadata);
    stream.write(ask(314159, 271828));
    stream.end();
    const told = await readAll(stream);
    assert.strictEqual(told.responses.length, 1);
    expectEchoed(told);
  },

  async timeout_on_sleeping_server(client) {
    const stream = client.fullDuplexCall(new grpc.Metadata(), { deadline: Date.now() + 1 });
    stream.write({ payload: payload(27182) });
    await expectError(readAll(stream), grpc.status.DEADLINE_EXCEEDED);
  },

  async cancel_after_begin(client) {
    const call = unary((...rest) => {
      const started = client.streamingInputCall(...rest);
      setImmediate(() => started.cancel());
      return started;
    });
    await expectError(call, grpc.status.CANCELLED);
  },

  async cancel_after_first_response(client) {
    const stream = duplexCall(client);
    stream.on('data', () => stream.cancel());
    stream.write(ask(31415, 27182));
    await expectError(readAll(stream), grpc.status.CANCELLED);
  },

  // The connection is none the worse.
  async client_compressed_is_refused() {
    const client = new TestService(address, credentials, GZIP);
    await expectError(unaryCall(client, large()), grpc.status.UNIMPLEMENTED);
    await expectError(emptyCall(client), grpc.status.UNIMPLEMENTED);
    client.close();
  },
};

async function main() {
  const client = new TestService(address, credentials);
  await CASES[name](client);
  client.close();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
