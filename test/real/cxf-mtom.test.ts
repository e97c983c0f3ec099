import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import type { ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import type { RecordedMessage } from '../kit/backend.js';
import { RSA_KEY } from '../kit/certificates.js';
import { freePort } from '../kit/free-port.js';
import { useBackend, useGateway } from '../kit/use.js';
import { buildJava, STORE_PASSWORD } from './java-stack.js';
import { missing } from './programs.js';

/**
 * CXF with MTOM signs by WSS4J's DOM: content of Body, certificate and values are parts of the
 * package.
 */

async function start(t: Test) {
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
