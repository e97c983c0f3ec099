import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';

import { runCommand } from '../kit/command.js';
import { envelope } from '../kit/envelope.js';
import { freePort } from '../kit/free-port.js';
import type { TestGateway } from '../kit/gateway.js';
import { until } from '../kit/until.js';
import { useGateway } from '../kit/use.js';
import { buildJava, missingLibraries } from './java-stack.js';
import { LineProgram } from './line-program.js';
import { missing, useProgram } from './programs.js';
import { STACKS, startStack } from './stacks.js';

/**
 * One service by PHP and by JAX-WS (CXF): callers of both in either version of SOAP over the
 * bridge, and the guide of moving from one to the other, as it is written.
 */

const run = promisify(execFile);

type Version = '1.1' | '1.2';

const VERSIONS: readonly Version[] = ['1.1', '1.2'];
const OTHER = { '1.1': '1.2', '1.2': '1.1' } as const;
const WSDL = join(STACKS, 'php', 'moving.wsdl');

interface Desks {
  /** The address of a stack's service in a version. */
  readonly url: Readonly<Record<Stack | 'packages', (version: Version) => string>>;
  /** Orders that the service of JAX-WS has placed. */
  placed(): Promise<number>;
  /** One call of a stack's client; what came back, in one line. */
  call(client: Stack, call: string, version: Version, url: string, more?: string): Promise<string>;
  stopJava(): void;
}

type Stack = 'php' | 'java';
const STACK_NAMES: readonly Stack[] = ['php', 'java'];

async function startDesks(t: Test): Promise<Desks> {
  const php = await useProgram(t, startStack('php'));
  const folder = t.testdir({ java: {} });
  const keys = { of: {}, extensions: '', alias: (name: string): string => name };
  const { classes } = buildJava(join(folder, 'java'), 'cxf', 'Orders.java', keys);
  const address = `http://127.0.0.1:${await freePort()}/orders`;
  const java = new LineProgram(['java', '-cp', classes, 'Orders', address]);
  t.teardown(() => java.close());
  await java.ask('placed');
  const client = join(STACKS, 'php', 'moving-client.php');
  return {
    url: {
      php: (version) => `${php.origin}/moving.php?version=${version}`,
      java: (version) => `${address}/${version.replace('.', '')}`,
      packages: (version) => `${address}/mtom${version.replace('.', '')}`,
    },
    placed: async () => Number(await java.ask('placed')),
    async call(stack, call, version, url, more = '') {
      const [operation = '', number = ''] = call.split(' ');
      return stack === 'java'
        ? java.ask(`${operation} ${version} ${url} ${number}${more}`)
        : (await run('php', [client, url, version, operation, number])).stdout;
    },
    stopJava: () => java.close(),
  };
}

const CALLS = ['get 7', 'get 9', 'get 0', 'scan 70000'] as const;

const isLacking = missing('php', 'maven', 'openssl');

t.test('callers by PHP and JAX-WS, over the bridge', { skip: isLacking }, async (t) => {
  // Maven fetches CXF.
  t.setTimeout(240_000);
  const reason = missingLibraries('cxf');
  if (reason !== false) return void (await t.skip(reason, () => {}));
  const { url, call } = await startDesks(t);
  const services = ([...STACK_NAMES, 'packages'] as const).flatMap((stack) =>
    VERSIONS.map(
      (version) =>
        `  ${stack}-${version.replace('.', '')}: { wsdl: ${WSDL}, url: "${url[stack](version)}", ` +
        `versions: ["${version}"], bridge: ["${OTHER[version]}"] }\n`,
    ),
  );
  const yaml = `services:\n${services.join('')}`;
  const gateway = await useGateway(t, yaml);
  for (const stack of STACK_NAMES) {
    for (const version of VERSIONS) {
      const direct = url[stack](version);
      const through = `${gateway.url}/soap/${stack}-${version.replace('.', '')}`;
      for (const client of STACK_NAMES) {
        for (const one of CALLS) {
          const name = `${client} ${one}, ${stack} in ${version}`;
          const expected = await call(client, one, version, direct);
          const got = await call(client, one, OTHER[version], through);
          t.equal(neutral(got), neutral(expected), name);
          t.notMatch(got, /^error|^different/, name);
        }
      }
    }
  }
  for (const version of VERSIONS) {
    for (const [one, more, served] of [
      ['scan 70000', ' mtom', 'packages'],
      ['get 7', ' mtom', 'packages'],
      ['get 0', ' mtom', 'packages'],
      ['get 7', ' addressing', 'java'],
      ['get 0', ' addressing', 'java'],
    ] as const) {
      const through = `${gateway.url}/soap/${served}-${version.replace('.', '')}`;
      const expected = await call('java', one, version, url[served](version), more);
      const got = await call('java', one, OTHER[version], through, more);
      t.equal(got, expected, `JAX-WS with${more} in ${OTHER[version]}`);
    }
  }
  const lines = (await gateway.metrics()).split('\n');
  t.equal(lines.filter((line) => line.startsWith('soapstone_bridged_total{')).length, 6);
});

/** Codes of Faults in the words of SOAP 1.1. */
const neutral = (line: string): string =>
  line.replace(/^Fault \S*(?:Receiver|Server) /, 'Fault Server ');

const GUIDE = readFileSync('deploy/moving.md', 'utf8');

/** The configurations of the guide in order: `record`, `shadow`, `header`, `share`, `switch`. */
const BLOCKS = [...GUIDE.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, block = '']) => block);

/** The command of the guide that begins so. */
const commandOf = (begin: string): string =>
  GUIDE.split('\n')
    .find((line) => line.trim().startsWith(begin))
    ?.trim() ?? '';

const REQUEST = '<GetOrder xmlns="urn:moving"><id>8</id></GetOrder>';

interface Walk {
  readonly folder: string;
  readonly gateway: TestGateway;
  /** A text of the guide with the addresses of the lab. */
  placed(text: string): string;
  /** Takes a step: the configuration of the guide, with edits. */
  step(index: number, edit?: (block: string) => string): Promise<void>;
  /** Orders that callers get; each is one call. */
  orders(count: number, headers?: Readonly<Record<string, string>>): Promise<readonly string[]>;
  shadowed(outcome: string): Promise<number>;
}

async function startWalk(t: Test, from: string, to: string): Promise<Walk> {
  const folder = t.testdir();
  copyFileSync(WSDL, join(folder, 'orders.wsdl'));
  writeFileSync(join(folder, 'message.xml'), envelope(REQUEST));
  const first = 'wsdl: orders.wsdl\nurl: http://old.internal/orders\nmode: monitor\n';
  const near = (text: string): string =>
    text
      .replaceAll('http://old.internal/orders', from)
      .replaceAll('http://new.internal/orders', to)
      .replaceAll('/var/lib/soapstone/orders', join(folder, 'recording'));
  const yaml = (block: string): string =>
    `services:\n  orders:\n${near(block).replaceAll(/^(?=.)/gm, '    ')}`;
  const gateway = await useGateway(t, yaml(first), folder);
  const placed = (text: string): string =>
    near(text)
      .replaceAll('http://127.0.0.1:4000', gateway.url)
      .replaceAll('http://127.0.0.1:4001', gateway.adminUrl);
  return {
    folder,
    gateway,
    placed,
    async step(index, edit = (block) => block) {
      await gateway.reload(() => yaml(edit(BLOCKS[index] ?? '')));
    },
    async orders(count, headers = {}) {
      const found: string[] = [];
      for (let at = 1; at <= count; at++) {
        const response = await fetch(`${gateway.url}/soap/orders`, {
          method: 'POST',
          headers: { 'content-type': 'text/xml', soapaction: '""', ...headers },
          body: envelope(REQUEST.replace('8', String(at))),
        });
        found.push(/serial>(\w+)-\d+</.exec(await response.text())?.[1] ?? String(response.status));
      }
      return found;
    },
    async shadowed(outcome) {
      const labels = `service="orders",operation="GetOrder",outcome="${outcome}"`;
      const pattern = new RegExp(`soapstone_shadow_total\\{${labels}\\} (\\d+)`);
      return Number(pattern.exec(await gateway.metrics())?.[1] ?? 0);
    },
  };
}

/** The program of the guide's command, in this process. */
const runSoapstone = (command: string, ...more: readonly string[]) =>
  runCommand(...command.split(/\s+/).slice(1), ...more);

const runShell = async (command: string, folder: string): Promise<string> =>
  (await run('sh', ['-c', command], { cwd: folder })).stdout;

for (const [old, next] of [
  ['php', 'java'],
  ['java', 'php'],
] as const) {
  t.test(`the guide, word for word: from ${old} to ${next}`, { skip: isLacking }, async (t) => {
    t.setTimeout(240_000);
    const reason = missingLibraries('cxf');
    if (reason !== false) return void (await t.skip(reason, () => {}));
    t.equal(BLOCKS.length, 5);
    const desks = await startDesks(t);
    const [from, to] = [desks.url[old]('1.1'), desks.url[next]('1.1')];
    const walk = await startWalk(t, from, to);
    const { gateway, step, orders, placed, shadowed, folder } = walk;
    const through = `${gateway.url}/soap/orders`;

    // 1. A gateway in between, in monitor mode.
    t.same(await orders(3), [old, old, old]);
    t.match(await desks.call('php', 'get 7', '1.1', through), `7 ${old}-7 139.3 `);
    t.notMatch(await gateway.metrics(), 'soapstone_monitored_violations_total{');

    // 2. Record and replay.
    await step(0);
    t.same(await orders(6), Array(6).fill(old));
    await desks.call('php', 'place 3', '1.1', through);
    const before = await desks.placed();
    await until(() => recordedIn(folder) === 7);
    const replay = placed(commandOf('soapstone replay'));
    const differing = await runSoapstone(replay);
    t.equal(differing.code, 1);
    t.match(differing.all, 'GetOrderResponse/order/serial');
    t.match(differing.all, '6 exchanges sent: 0 the same, 6 different, 0 failed. 1 not sent');
    t.notMatch(differing.all, 'order/total');
    t.notMatch(differing.all, 'order/placedAt');
    const ignored = await runSoapstone(replay, '--ignore', 'GetOrderResponse/order/serial');
    t.equal(ignored.code, 0, ignored.all);
    t.equal(await desks.placed(), before, 'no write is sent again');

    // 3. Shadow.
    const all = (block: string): string => block.replace('share: 0.1', 'share: 1');
    await step(1, all);
    t.same(await orders(4), Array(4).fill(old));
    await until(async () => (await shadowed('different')) === 4);
    t.match(await gateway.logLine('shadow differs'), { paths: ['GetOrderResponse/order/serial'] });
    await step(1, (block) =>
      all(block).replace('share: 1', 'share: 1, ignore: [GetOrderResponse/order/serial]'),
    );
    t.same(await orders(4), Array(4).fill(old));
    await until(async () => (await shadowed('same')) === 4);
    await desks.call('php', 'place 3', '1.1', through);
    t.equal(await desks.placed(), before + (old === 'java' ? 1 : 0), 'no write is sent twice');

    // 4. Canary by header field.
    await step(2);
    t.same(await orders(2), [old, old]);
    const curl = placed(commandOf('curl -s'));
    t.match(await runShell(curl, folder), `serial>${next}-8<`);
    await until(() => gateway.logLines().some((line) => line['backend'] === 'canary'));

    // 5. Canary by share.
    await step(3);
    const moved = placed(commandOf('curl -X POST'));
    t.match(await runShell(moved, folder), '"share":0.05');
    t.match(await gateway.metrics(), 'soapstone_canary_share{service="orders"} 0.05');
    await runShell(moved.replace('0.05', '1'), folder);
    t.same(await orders(3), [next, next, next]);
    await runShell(moved.replace('0.05', '0'), folder);
    t.same(await orders(3), [old, old, old]);

    // 6. Switch.
    await step(4);
    t.same(await orders(3), [next, next, next]);
  });
}

const recordedIn = (folder: string): number => {
  const recording = join(folder, 'recording');
  if (!existsSync(recording)) return 0;
  const files = readdirSync(recording, { recursive: true, encoding: 'utf8' });
  return files.filter((name) => name.endsWith('exchange.json')).length;
};
