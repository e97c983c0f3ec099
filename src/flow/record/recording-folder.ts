import { Buffer } from 'node:buffer';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../core/index.js';
import type { ReplyTypes } from '../compare/reply-types.js';
import type { ExchangeDescription } from './exchange-description.js';
import { ValueReplacer } from './replaced-value.js';

/** An exchange as it is written. */
interface WrittenExchange {
  readonly day: string;
  readonly name: string;
  readonly operation: string;
  readonly types: ReplyTypes;
  readonly request: Buffer;
  readonly reply: Buffer;
  readonly description: Omit<ExchangeDescription, 'types'>;
}

const KEY_FILE = 'recording.key';
const KEY_BYTES = 32;

/** Only its owner reads a recording. */
const FOLDER = { recursive: true, mode: 0o700 } as const;
const FILE = { mode: 0o600 } as const;

/**
 * A folder of recorded exchanges: `<day>/<time>-<operation>/` with `request.xml`, `reply.xml` and
 * `exchange.json`, and the types of replies in `types`. Several processes may write to it.
 */
export class RecordingFolder {
  readonly #folder: string;
  readonly #dayBytes: number;
  #replacer: ValueReplacer | null = null;
  #day = '';
  /** Bytes of the day, those of other processes as far as they were counted. */
  #bytes = 0;
  #uncounted = 0;
  readonly #knownTypes = new Set<string>();

  constructor(folder: string, dayBytes: number) {
    this.#folder = folder;
    this.#dayBytes = dayBytes;
  }

  /** The bytes of this day are used up. */
  get isFull(): boolean {
    return this.#day === today() && this.#bytes >= this.#dayBytes;
  }

  /** Replaces values by the key of the folder, which all processes share. */
  async replacer(): Promise<ValueReplacer> {
    if (this.#replacer === null) {
      await mkdir(this.#folder, FOLDER);
      const path = join(this.#folder, KEY_FILE);
      try {
        await writeFile(path, randomBytes(KEY_BYTES).toString('base64'), { ...FILE, flag: 'wx' });
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw error;
      }
      this.#replacer = new ValueReplacer(await keyIn(path));
    }
    return this.#replacer;
  }

  async write(exchange: WrittenExchange): Promise<void> {
    const { day, name, request, reply, description } = exchange;
    await this.#count(day);
    if (this.isFull) return;
    const types = await this.#writeTypes(exchange);
    const folder = join(this.#folder, day, name);
    await mkdir(folder, FOLDER);
    const text = `${JSON.stringify({ ...description, types }, null, 2)}\n`;
    await writeFile(join(folder, 'request.xml'), request, FILE);
    await writeFile(join(folder, 'reply.xml'), reply, FILE);
    // Last: a folder with it is complete.
    await writeFile(join(folder, 'exchange.json'), text, FILE);
    const bytes = request.length + reply.length + text.length;
    this.#bytes += bytes;
    this.#uncounted += bytes;
  }

  /** Adds up the day anew now and then: other processes write to it too. */
  async #count(day: string): Promise<void> {
    if (day === this.#day && this.#uncounted < this.#dayBytes / COUNTED_PART) return;
    this.#day = day;
    this.#uncounted = 0;
    this.#bytes = await bytesIn(join(this.#folder, day));
  }

  /** Writes the types of an operation once; returns the name of their file. */
  async #writeTypes({ operation, types }: WrittenExchange): Promise<string> {
    const text = JSON.stringify(types);
    const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
    const name = `${operation}-${digest}.json`;
    if (!this.#knownTypes.has(name)) {
      await mkdir(join(this.#folder, 'types'), FOLDER);
      await writeFile(join(this.#folder, 'types', name), text, FILE);
      this.#knownTypes.add(name);
    }
    return name;
  }
}

/** A day is counted anew when it has grown by this part of its bound. */
const COUNTED_PART = 64;

const today = (): string => new Date().toISOString().slice(0, 10);

/** The process that made the file may not have written it yet. */
async function keyIn(path: string): Promise<Buffer> {
  for (let tries = 0; tries < KEY_TRIES; tries++) {
    const key = Buffer.from(await readFile(path, 'utf8'), 'base64');
    if (key.length === KEY_BYTES) return key;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the key of a recording is not whole');
}

const KEY_TRIES = 20;

async function bytesIn(folder: string): Promise<number> {
  let names: readonly string[];
  try {
    names = await readdir(folder, { recursive: true });
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
  let bytes = 0;
  for (const name of names) {
    const found = await stat(join(folder, name));
    bytes += found.isFile() ? found.size : 0;
  }
  return bytes;
}
