import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { freePort } from '../kit/free-port.js';
import { fileOf, isProgram, isQuick, median, print, readyUrl, table } from './kit.js';
import { largeWsdl } from './wsdl.js';

const SERVICES = 60;
const OPERATIONS = 50;
const TYPES = 60;
/** After this time nothing of the start is left to do. */
const SETTLING_MILLIS = 2000;

/** What changes before a reload. */
const CHANGES = ['nothing', 'a time limit', 'every WSDL', 'a mistake'] as const;
type Change = (typeof CHANGES)[number];
const API_KEYS = 10_000;

/** A large configuration: writes its files, and returns its sections for a turn. */
interface LargeConfiguration {
  readonly name: string;
  readonly changes: readonly Change[];
  sections(folder: string, turn: number, change: Change): Promise<string>;
}

const names = Array.from({ length: SERVICES }, (_, at) => `s${at}`);
const serviceOf = (name: string, turn: number): string =>
  `  ${name}: { wsdl: ${name}.wsdl, url: "http://127.0.0.1:9/${name}", ` +
  `timeoutMillis: ${30_000 + turn} }\n`;

const MANY_SERVICES: LargeConfiguration = {
  name: `${SERVICES} services with ${OPERATIONS} operations each`,
  changes: CHANGES,
  async sections(folder, turn, change) {
    if (change === 'every WSDL') {
      const wsdl = largeWsdl(TYPES, OPERATIONS).replaceAll('"f0"', `"f0of${turn}"`);
      await Promise.all(names.map((name) => writeFile(join(folder, `${name}.wsdl`), wsdl)));
    }
    return `services:\n${names.map((name) => serviceOf(name, turn)).join('')}`;
  },
};

const keyLine = (_: unknown, at: number): string =>
  `      client${at}: { class: all, keys: [key-of-client-${at}-0123456789] }\n`;

const MANY_KEYS: LargeConfiguration = {
  name: `${API_KEYS} API keys`,
  changes: ['nothing', 'a time limit', 'a mistake'],
  async sections(folder, turn) {
    await writeFile(join(folder, 's0.wsdl'), largeWsdl(1, 1));
    const keys = Array.from({ length: API_KEYS }, keyLine).join('');
    return (
      `services:\n${serviceOf('s0', turn)}clients:\n  classes: { all: {} }\n` +
      `  apiKeys:\n    clients:\n${keys}`
    );
  },
};

/** One gateway with the large configuration, whose files can be changed. */
class Gateway {
  readonly #folder: string;
  readonly #admin: string;
  readonly #content: LargeConfiguration;
  #turn = 0;

  constructor(folder: string, admin: string, content: LargeConfiguration) {
    this.#folder = folder;
    this.#admin = admin;
    this.#content = content;
  }

  get gaps(): string {
    return join(this.#folder, 'gaps');
  }

  async change(change: Change): Promise<void> {
    const turn = change === 'nothing' ? this.#turn : ++this.#turn;
    const sections = await this.#content.sections(this.#folder, turn, change);
    const keys = `listen: 127.0.0.1:0\nadmin: ${this.#admin}\nreload: { watch: false }\n`;
    const mistake = change === 'a mistake' ? 'limitz: {}\n' : '';
    await writeFile(join(this.#folder, 'soapstone.yaml'), `${keys}${mistake}${sections}`);
  }

  /** Resolves to the milliseconds it took. */
  async reload(change: Change): Promise<number> {
    const begin = performance.now();
    const answer = await fetch(`http://${this.#admin}/reload`, { method: 'POST' });
    const text = await answer.text();
    if (answer.status !== (change === 'a mistake' ? 409 : 200)) throw new Error(text);
    return performance.now() - begin;
  }

  /**
   * The longest time that an event loop stood still, without the gaps of each process that were
   * counted before.
   */
  longestGapMillis(after: ReadonlyMap<string, number>): number {
    let longest = 0;
    for (const pid of readdirSync(this.gaps))
      for (const line of this.#linesOf(pid).slice(after.get(pid) ?? 0))
        longest = Math.max(longest, Number(line.split(' ')[1]));
    return longest;
  }

  /** How many gaps each process has had. */
  gapsSoFar(): ReadonlyMap<string, number> {
    return new Map(readdirSync(this.gaps).map((pid) => [pid, this.#linesOf(pid).length]));
  }

  #linesOf(pid: string): readonly string[] {
    return readFileSync(join(this.gaps, pid), 'utf8').trimEnd().split('\n');
  }
}

/**
 * Reloads configurations of 60 services with 3,000 operations, and of 10,000 API keys, in one
 * process and in two workers: how long that takes, and the longest time that an event loop of any
 * of the processes stands still.
 */
export async function benchReload(quick: boolean): Promise<void> {
  for (const content of [MANY_SERVICES, MANY_KEYS]) {
    const rows: string[][] = [];
    for (const workers of [1, 2]) rows.push(...(await reload(content, workers, quick)));
    print(`\nReload of ${content.name}\n\n`);
    print(table(['processes', 'changed', 'median s', 'worst s', 'longest gap ms'], rows));
  }
}

async function reload(
  content: LargeConfiguration,
  workers: number,
  quick: boolean,
): Promise<readonly string[][]> {
  const rows: string[][] = [];
  const folder = await mkdtemp(join(tmpdir(), 'soapstone-reload-'));
  await mkdir(join(folder, 'gaps'));
  const gateway = new Gateway(folder, `127.0.0.1:${await freePort()}`, content);
  await gateway.change('every WSDL');
  const probe = ['--import', fileOf('loop-gap.js')];
  const program = [fileOf('../../bin/main.js'), 'start', '-c', join(folder, 'soapstone.yaml')];
  const child = spawn(process.execPath, [...probe, ...program, '--workers', `${workers}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, LOOP_GAPS: gateway.gaps },
  });
  try {
    await readyUrl(child);
    await wait(SETTLING_MILLIS);
    for (const change of content.changes) {
      const took: number[] = [];
      const before = gateway.gapsSoFar();
      for (let round = quick ? 2 : 5; round > 0; round--) {
        await gateway.change(change);
        took.push(await gateway.reload(change));
      }
      const [middle, worst] = [median(took), Math.max(...took)].map((millis) =>
        (millis / 1000).toFixed(2),
      );
      const gap = gateway.longestGapMillis(before).toFixed(0);
      rows.push([`${workers}`, change, middle ?? '', worst ?? '', gap]);
    }
  } finally {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true });
  }
  return rows;
}

if (isProgram(import.meta.url)) await benchReload(isQuick());
