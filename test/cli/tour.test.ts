import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';

import { freePort } from '../kit/free-port.js';
import { MAIN } from '../kit/gateway-process.js';

/**
 * The tour of README.md, as a newcomer types it: its commands are run as they stand there, but for
 * free ports.
 */

const README = readFileSync('README.md', 'utf8');
/** Ports of the demonstration, and of the gateway that the tour starts beside it. */
const PORTS = ['4000', '4001', '8081', '5000', '5001'];
const COMMAND_MILLIS = 60_000;

/** The fenced blocks of one section, without their indentation. */
function blocksOf(heading: string, language: string): readonly string[] {
  const section = README.split(`\n## ${heading}`)[1]?.split(/\n##/)[0] ?? '';
  const fence = new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\``, 'gm');
  return [...section.matchAll(fence)].map(([, indent = '', text = '']) =>
    text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

const commandsIn = (block: string): readonly string[] =>
  block
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');

class Newcomer {
  readonly #t: Test;
  readonly #cwd: string;
  readonly #ports: ReadonlyMap<string, number>;

  constructor(t: Test, cwd: string, ports: ReadonlyMap<string, number>) {
    this.#t = t;
    this.#cwd = cwd;
    this.#ports = ports;
  }

  /** The same text with free ports. */
  moved(text: string): string {
    return text.replaceAll(
      /127\.0\.0\.1:(\d+)/g,
      (all, port) => `127.0.0.1:${this.#ports.get(port) ?? all.split(':')[1]}`,
    );
  }

  /** Runs a command to its end; what it writes. One that starts a gateway goes on. */
  async type(command: string): Promise<string> {
    const line = this.moved(command).replace(
      /^npx soapstone /,
      `exec '${process.execPath}' '${MAIN}' `,
    );
    const child = spawn('sh', ['-c', line], { cwd: this.#cwd, env: { PATH: process.env['PATH'] } });
    const leave = (): boolean => child.kill('SIGKILL');
    this.#t.teardown(leave);
    process.once('exit', leave);
    return command.startsWith('npx soapstone start') ? ready(child) : ended(child, command);
  }

  /** Replaces the lines of a file that begin with the same key. */
  edit(file: string, lines: string): void {
    const path = resolve(this.#cwd, file);
    let text = readFileSync(path, 'utf8');
    for (const line of commandsIn(this.moved(lines))) {
      const key = /^ *\w+:/.exec(line)?.[0] ?? '';
      const found = text.split('\n').filter((each) => each.startsWith(key));
      this.#t.equal(found.length, 1, `${key} is there`);
      text = text.replace(found[0] ?? '', line);
    }
    writeFileSync(path, text);
  }
}

async function ready(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('no output');
  for await (const line of createInterface({ input: child.stdout })) {
    if (JSON.parse(line)['msg'] === 'ready') {
      child.stdout.resume();
      return line;
    }
  }
  throw new Error('ended before it was ready');
}

async function ended(child: ChildProcess, command: string): Promise<string> {
  let out = '';
  const hear = (piece: Buffer): void => {
    out += piece;
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);
  const [code] = await once(child, 'close', { signal: AbortSignal.timeout(COMMAND_MILLIS) });
  if (code !== 0) throw new Error(`${command}\n${out}`);
  return out;
}

const hasCurl = spawnSync('curl', ['--version']).status === 0;

t.test('the tour of the README', { skip: hasCurl ? false : 'curl is not installed' }, async (t) => {
  const home = t.testdir({});
  const ports = new Map<string, number>();
  for (const port of PORTS) ports.set(port, await freePort());
  const newcomer = new Newcomer(t, home, ports);

  // `npm start` is this, on the configuration of the demonstration.
  cpSync('config', resolve(home, 'config'), { recursive: true });
  const demo = resolve(home, 'config/soapstone.yaml');
  writeFileSync(demo, newcomer.moved(readFileSync(demo, 'utf8')));
  await newcomer.type('npx soapstone start');

  const [, things = ''] = blocksOf('Try it', 'sh');
  const [soap = '', graphql = '', rest = '', tool = '', ...others] = commandsIn(things);
  t.same(others, [], 'four calls');
  t.match(await newcomer.type(soap), /<\w*:?GetOrderResponse/, 'the SOAP call of "Try it"');
  const tried = JSON.parse(await newcomer.type(graphql));
  t.match(tried, {
    data: { order: { status: String, lines: [{ sku: String }] } },
    errors: undefined,
  });
  t.match(JSON.parse(await newcomer.type(rest)), { status: 'SHIPPED', total: '309.30' });
  t.match(JSON.parse(await newcomer.type(tool)), {
    result: { structuredContent: { status: 'SHIPPED', total: '309.30' } },
  });

  const [imports = '', starts = '', asks = ''] = blocksOf('Five minutes', 'sh');
  for (const command of commandsIn(imports)) await newcomer.type(command);
  const [edits = ''] = blocksOf('Five minutes', 'yaml');
  newcomer.edit('desk/soapstone.yaml', edits);
  for (const command of commandsIn(starts)) await newcomer.type(command);
  const [ask = ''] = commandsIn(asks);
  const answer = JSON.parse(await newcomer.type(ask));
  t.match(answer, { data: { order: { id: 7, lines: [{ sku: String }] } }, errors: undefined });
});
