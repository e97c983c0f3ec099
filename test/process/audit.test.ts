import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { verifyAudit } from '../../src/cli/audit.js';
import { lineHash } from '../../src/observe/audit/audit-chain.js';
import { childrenOf, type GatewayProcess, startProcess } from '../kit/gateway-process.js';
import { RawClient } from '../kit/raw-client.js';
import { until } from '../kit/until.js';
import { useFolder } from '../kit/use.js';
import { SERVICES } from './process-kit.js';

/**
 * The record of decisions of several processes: no chain can be taken out, cut or put in unseen.
 */

const KEY = 'a-key-of-the-audit-with-32-characters';
const DENIED =
  'GET /graphql?query=%7B__typename%7D HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

interface Line {
  readonly chain: string;
  readonly seq: number;
  readonly decision?: string;
  readonly checkpoint?: string;
  readonly heads?: readonly { readonly chain: string; readonly seq: number }[];
}

const linesOf = (file: string): readonly string[] =>
  readFileSync(file, 'utf8').split('\n').slice(0, -1);
const read = (line: string): Line => JSON.parse(line);
const chainsIn = (lines: readonly string[]): ReadonlySet<string> =>
  new Set(lines.map(read).flatMap(({ chain, decision }) => (decision === undefined ? [] : chain)));

async function denyUntil({ url }: GatewayProcess, isEnough: () => boolean): Promise<void> {
  await until(async () => {
    const client = await RawClient.connect(url);
    await client.send(DENIED);
    await client.reply();
    client.close();
    return isEnough();
  });
}

async function stop({ child }: GatewayProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

const yamlOf = (file: string, workers: number, more = ''): string => `${SERVICES}workers: ${workers}
audit: { file: "${file}"${more} }
clients: { apiKeys: { clients: { erp: { class: a, keys: [key-of-the-erp-system-1] } } \
}, classes: { a: {} } }
`;

async function verify(
  files: readonly string[],
  keyFile: string | null = null,
  isContinued = false,
) {
  const said: string[] = [];
  const print = (text: string): void => void said.push(text);
  const code = await verifyAudit(files, { isContinued, keyFile }, { out: print, error: print });
  return { code, said: said.join('\n') };
}

t.test('a chain of a worker cannot be taken out, cut or put in unseen', async (t) => {
  const folder = await useFolder(t);
  const file = join(folder, 'audit.log');
  const gateway = await startProcess(t, yamlOf(file, 2));
  await until(() => childrenOf(gateway.child).length === 2);
  await denyUntil(gateway, () => chainsIn(linesOf(file)).size === 2);
  await stop(gateway);

  const lines = linesOf(file);
  t.match(await verify([file]), { code: 0, said: /is whole: .*chains 3/ });
  t.match(
    lines.map(read).findLast(({ checkpoint }) => checkpoint === 'stop') ?? {},
    { chain: String },
    'the last word is that of the parent',
  );
  const [victim = ''] = chainsIn(lines);
  const ofVictim = lines.filter((line) => read(line).chain === victim);
  const madeUp = (previous: string | null): string =>
    JSON.stringify({
      time: new Date().toISOString(),
      chain: '00112233',
      seq: 1,
      previous,
      decision: 'denied',
    });
  const cases: Readonly<Record<string, readonly [edited: readonly string[], finding: RegExp]>> = {
    'taken out': [
      lines.filter((line) => read(line).chain !== victim),
      new RegExp(`${victim}: all of its \\d+ lines`),
    ],
    'cut at its end': [
      lines.filter((line) => line !== ofVictim.at(-1)),
      new RegExp(`${victim}: (?:lines after|all of)`),
    ],
    'a chain put in': [
      [...lines.slice(0, 3), madeUp(null), ...lines.slice(3)],
      /00112233 is in no checkpoint/,
    ],
    'a chain put at the end': [
      [...lines, madeUp(lineHash(lines.at(-1) ?? ''))],
      /00112233 is in no checkpoint/,
    ],
    'a chain put at the beginning': [[madeUp(null), ...lines], /00112233 is in no checkpoint/],
  };
  for (const [what, [edited, finding]] of Object.entries(cases)) {
    const forged = join(folder, 'forged.log');
    writeFileSync(forged, `${edited.join('\n')}\n`);
    t.match(await verify([forged]), { code: 1, said: finding }, what);
    if (what === 'taken out')
      t.equal((await verify([forged], null, true)).code, 1, 'also where files are missing');
  }
});

t.test('a gateway of one process may follow one of several, and precede it', async (t) => {
  const folder = await useFolder(t);
  const file = join(folder, 'audit.log');
  for (const workers of [1, 2, 1]) {
    const before = chainsIn(linesOfIfThere(file)).size;
    const gateway = await startProcess(t, yamlOf(file, workers));
    await denyUntil(gateway, () => chainsIn(linesOfIfThere(file)).size > before);
    await stop(gateway);
    t.match(await verify([file]), { code: 0 }, `${workers}`);
  }
});

const linesOfIfThere = (file: string): readonly string[] => {
  try {
    return linesOf(file);
  } catch {
    return [];
  }
};

t.test('with a key no line can be written without it', async (t) => {
  const folder = await useFolder(t);
  const file = join(folder, 'audit.log');
  const keyFile = join(folder, 'audit.key');
  writeFileSync(keyFile, `${KEY}\n`);
  const gateway = await startProcess(t, yamlOf(file, 1, `, key: { file: "${keyFile}" }`));
  await denyUntil(gateway, () => linesOfIfThere(file).length >= 3);
  await stop(gateway);
  t.match(await verify([file], keyFile), { code: 0 });
  t.match(await verify([file]), { code: 0, said: 'Lines are signed' });
  const lines = linesOf(file);
  t.notMatch(lines.join('\n'), KEY);
  const last = lines.at(-1) ?? '';
  const forged = join(folder, 'forged.log');
  const more = { ...JSON.parse(last), seq: read(last).seq + 1, previous: lineHash(last) };
  for (const [what, line] of [
    ['is not signed with this key', JSON.stringify(more)],
    ['has no signature', JSON.stringify({ ...more, mac: undefined })],
  ] as const) {
    writeFileSync(forged, `${[...lines, line].join('\n')}\n`);
    t.match(await verify([forged]), { code: 0 }, 'the chain alone fits');
    t.match(await verify([forged], keyFile), { code: 1, said: what });
  }
  const other = join(folder, 'other.key');
  writeFileSync(other, `${KEY}2`);
  t.equal((await verify([file], other)).code, 1);
  t.match(await verify([file], join(folder, 'none.key')), {
    code: 2,
    said: 'none.key cannot be read (ENOENT)',
  });
});
