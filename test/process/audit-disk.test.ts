import { once } from 'node:events';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { verifyAudit } from '../../src/cli/audit.js';
import { envelope, postSoap } from '../kit/envelope.js';
import { type GatewayProcess, startProcess } from '../kit/gateway-process.js';
import { postJson } from '../kit/graphql-client.js';
import { until } from '../kit/until.js';
import { useFolder } from '../kit/use.js';
import { SERVICES } from './process-kit.js';

/** The record of decisions on a disk that takes no more: files may grow to 4 KiB. */

const FULL = { before: 'ulimit -f 8;' };
const KEY = {
  authorization: 'Bearer key-of-the-erp-system-1',
  'x-api-key': 'key-of-the-erp-system-1',
};

const yamlOf = (file: string, more = '', workers = 1): string =>
  `${SERVICES.replace('url:', 'rest: true, url:')}workers: ${workers}
audit: { file: "${file}"${more} }
mcp: { operations: ["orders.*"] }
clients: { apiKeys: { clients: { erp: { class: a, keys: [key-of-the-erp-system-1] } } \
}, classes: { a: {} } }
`;

const deny = async ({ url }: GatewayProcess): Promise<void> => {
  await (await postJson(`${url}/graphql`, { query: '{ __typename }' })).text();
};

/** Has decisions denied until they cannot be recorded. */
const fill = (gateway: GatewayProcess): Promise<void> =>
  until(async () => {
    for (let times = 0; times < 10; times++) await deny(gateway);
    return (await gateway.metric('soapstone_audit_up')) === 0;
  });

async function stop({ child }: GatewayProcess): Promise<number | null> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const [code] = await ended;
  return typeof code === 'number' ? code : null;
}

async function verify(...files: readonly string[]) {
  const said: string[] = [];
  const print = (text: string): void => void said.push(text);
  const options = { isContinued: false, keyFile: null };
  const code = await verifyAudit(files, options, { out: print, error: print });
  return { code, said: said.join('\n') };
}

async function useAudit(t: Test): Promise<string> {
  return join(await useFolder(t), 'audit.log');
}

t.test(
  'lines that a full disk has not taken are counted at the end, and by the next start',
  async (t) => {
    const file = await useAudit(t);
    for (const workers of [1, 2]) {
      const gateway = await startProcess(t, yamlOf(file, '', workers), FULL);
      await fill(gateway);
      t.ok((await gateway.metric('soapstone_audit_lines_waiting')) > 0);
      t.equal(await stop(gateway), 1);
      const { lines } = await gateway.line('lines of the audit are lost');
      t.ok(Number(lines) > 0, `${lines} lines`);
      t.match(await gateway.line('stopped'), { cut: 0 });
      t.notMatch(readFileSync(file, 'utf8'), /\n$/, 'its last line is cut');
      t.match(await verify(file), { code: 1, said: 'no later line records' });

      const next = await startProcess(t, yamlOf(file, '', workers));
      const before = readFileSync(file).length;
      await deny(next);
      await until(() => readFileSync(file).length > before);
      t.equal(await stop(next), 0);
      t.match(await verify(file), { code: 0, said: /unchanged, with 1 recorded gaps/ });
      const text = readFileSync(file, 'utf8');
      renameSync(file, `${file}.${workers}`);
      t.match(
        await verify(withCutLine(`${file}.forged`, text)),
        { code: 1, said: 'no later line records' },
        'a line that was cut by another hand',
      );
    }
  },
);

/** A copy in which one line in the middle is cut. */
function withCutLine(file: string, text: string): string {
  const lines = text.split('\n');
  writeFileSync(file, lines.map((line, at) => (at === 2 ? line.slice(0, 40) : line)).join('\n'));
  return file;
}

t.test(
  'requests are refused while decisions cannot be recorded, where that is configured',
  async (t) => {
    const file = await useAudit(t);
    const gateway = await startProcess(t, yamlOf(file, ', onFailure: refuse'), FULL);
    await fill(gateway);
    const { url, adminUrl } = gateway;
    const agent = { accept: 'application/json, text/event-stream' };
    const ask = {
      soap: () => postSoap(`${url}/soap/orders`, envelope('<x xmlns="urn:x"/>'), KEY),
      rest: () => postJson(`${url}/rest/orders/GetOrder`, { id: 1 }, KEY),
      graphql: () => postJson(`${url}/graphql`, { query: '{ __typename }' }, KEY),
      mcp: () =>
        postJson(`${url}/mcp`, { jsonrpc: '2.0', id: 1, method: 'ping' }, { ...KEY, ...agent }),
    };
    for (const [endpoint, status] of [
      ['soap', 500],
      ['rest', 503],
      ['graphql', 503],
      ['mcp', 503],
    ] as const) {
      const answer = await ask[endpoint]();
      t.equal(answer.status, status, endpoint);
      t.equal(answer.headers.get('retry-after'), '1', endpoint);
      t.match(await answer.text(), 'AUDIT_UNAVAILABLE', endpoint);
    }
    for (const path of ['live', 'metrics', 'ready'])
      t.equal((await fetch(`${adminUrl}/${path}`)).status, 200, path);

    renameSync(file, `${file}.1`);
    await until(async () => (await ask.graphql()).status === 200);
    t.equal(await gateway.metric('soapstone_audit_up'), 1);
    t.equal(await gateway.metric('soapstone_audit_lines_waiting'), 0);
    t.equal(await stop(gateway), 0);
    t.match(await verify(`${file}.1`, file), { code: 0, said: /is whole/ });
  },
);

t.test('by default requests are answered meanwhile', async (t) => {
  const gateway = await startProcess(t, yamlOf(await useAudit(t)), FULL);
  await fill(gateway);
  const answer = await postJson(`${gateway.url}/graphql`, { query: '{ __typename }' }, KEY);
  t.equal(answer.status, 200);
});
