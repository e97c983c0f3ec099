import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import type { RecordedMessage } from '../kit/backend.js';
import { RSA_KEY } from '../kit/certificates.js';
import { freePort } from '../kit/free-port.js';
import { postGraphql } from '../kit/graphql-client.js';
import { useBackend, useGateway } from '../kit/use.js';
import { buildJava, STORE_PASSWORD } from './java-stack.js';
import { missing } from './programs.js';

/**
 * CXF with MTOM signs by WSS4J's DOM: content of Body, certificate and values are parts of the
 * package.
 */

/** The service of CXF. */
async function startScans(t: Test) {
  const folder = t.testdir();
  const { classes } = buildJava(folder, 'cxf', 'Scans.java', {
    of: { service: RSA_KEY, client: RSA_KEY },
    extensions: 'DNS:a',
    alias: (name) => name,
  });
  const url = `http://127.0.0.1:${await freePort()}/scans`;
  const child = spawn('java', ['-cp', classes, 'Scans', folder, STORE_PASSWORD, url], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  t.teardown(() => child.kill());
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  t.equal((await lines.next()).value, 'ready');
  return { folder, url, child, lines };
}

async function start(t: Test) {
  const { folder, url, child, lines } = await startScans(t);
  const behind = await useBackend(t, (message, response) => relay(message, response, url));
  const gateway = await useGateway(
    t,
    `services:
  passed:
    url: ${behind.url}/scans
    security:
      verify:
        timestamp: { required: true }
        signature:
          authorities: { file: authority.pem }
          subjects: ["CN=client"]
          required: [Body, Timestamp, attachments]
`,
    folder,
  );
  const change = { of: (body: Buffer): Buffer => body };
  const before = await useBackend(t, (message, response) =>
    relay({ ...message, body: change.of(message.body) }, response, `${gateway.url}/soap/passed`),
  );
  return {
    before,
    behind,
    change,
    async call(bytes: number, isStored: boolean): Promise<string> {
      child.stdin.write(`call ${before.url}/scans ${bytes} ${isStored}\n`);
      return String((await lines.next()).value);
    },
  };
}

t.test(
  'CXF verifies the packages that the gateway signs',
  { skip: missing('maven', 'openssl') },
  async (t) => {
    t.setTimeout(240_000);
    const { folder, url } = await startScans(t);
    const behind = await useBackend(t, (message, response) => relay(message, response, url));
    const wsdl = await (await fetch(`${url}?wsdl`)).text();
    writeFileSync(join(folder, 'scans.wsdl'), wsdl);
    const gateway = await useGateway(
      t,
      `services:
  scans:
    wsdl: scans.wsdl
    url: ${behind.url}/scans
    mtom: true
    operations: { Store: { field: Mutation.store } }
    security:
      make: { timestamp: true, signature: { cert: { file: client.pem }, key: { file: \
client.key } } }
limits: { codec: { stringChars: 8000000 }, graphql: { bodyBytes: 8MiB } }
`,
      folder,
    );
    const query = 'mutation ($c: Base64) { store(name: "a & ä", scan: $c) }';
    for (const bytes of [1, 100, 1_000_000]) {
      const content = randomBytes(bytes);
      const variables = { c: content.toString('base64') };
      const answer = await (await postGraphql(gateway.url, { query, variables })).text();
      const digest = createHash('sha256').update(content).digest('hex');
      t.match(answer, `a & ä ${digest}`, `${bytes} bytes`);
      t.equal(partsOf(behind.complete.at(-1)?.body ?? Buffer.alloc(0)), 1, 'the content');
    }
  },
);

/** Passes a message on as it came, and answers with the answer. */
async function relay(
  { headers, body }: RecordedMessage,
  response: ServerResponse,
  url: string,
): Promise<void> {
  const head = { 'content-type': String(headers['content-type']), soapaction: '""' };
  const answer = await fetch(url, { method: 'POST', headers: head, body });
  response
    .writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    .end(Buffer.from(await answer.arrayBuffer()));
}

const partsOf = (body: Buffer): number => String(body).split(/^Content-ID:/im).length - 2;

t.test(
  'CXF with MTOM and a signature is verified, and passes byte for byte',
  { skip: missing('maven', 'openssl') },
  async (t) => {
    // Maven fetches CXF.
    t.setTimeout(240_000);
    const { before, behind, change, call } = await start(t);
    for (const isStored of [true, false])
      for (const bytes of [1, 100, 20_000, 1_000_000]) {
        t.equal(await call(bytes, isStored), 'stored', `${bytes} ${isStored}`);
        const sent = before.complete.at(-1)?.body ?? Buffer.alloc(0);
        t.ok(behind.complete.at(-1)?.body.equals(sent), 'byte for byte');
        t.equal(partsOf(sent), isStored ? 2 : 1, 'the certificate and the content');
      }
    const complete = behind.complete.length;
    for (const isStored of [true, false]) {
      for (const [name, text, other] of [
        ['the content', '\x1f\x3e', '\x1f\x3f'],
        ['a value of Body', 'a &amp; ä', 'b &amp; ä'],
      ] as const) {
        change.of = (body) => {
          const at = body.lastIndexOf(Buffer.from(text));
          if (at < 0) t.fail(`${name}: not there`);
          const changed = Buffer.from(body);
          changed.set(Buffer.from(other), at);
          return changed;
        };
        t.match(await call(5000, isStored), /^error /, name);
      }
      change.of = (body) =>
        Buffer.from(body.toString('latin1').replace('href="cid:', 'href="cid:x'), 'latin1');
      t.match(await call(5000, isStored), /^error /, 'another Include');
    }
    t.equal(behind.complete.length, complete, 'the backend gets none of them whole');
  },
);
