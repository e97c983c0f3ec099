import { createHash } from 'node:crypto';
import { errorCode } from '../invariant.js';
import { isRecord } from '../json/json.js';
import type { Inputs } from './inputs.js';

/** How the result of each kind of read is kept: as a text that is the same for the same result. */
const PRINT = {
  readFile: async (inputs: Inputs, path: string) =>
    createHash('sha256')
      .update(await inputs.readFile(path))
      .digest('base64'),
  realpath: (inputs: Inputs, path: string) => inputs.realpath(path),
  stat: async (inputs: Inputs, path: string) => {
    const found = await inputs.stat(path);
    return `${found.size} ${found.isFile()}`;
  },
  glob: async (inputs: Inputs, pattern: string) => JSON.stringify(await inputs.glob(pattern)),
} as const;

type Kind = keyof typeof PRINT;

/** One read, and its result as a text. */
export interface Read {
  readonly kind: Kind;
  readonly path: string;
  readonly result: string;
}

/** The reads of which something was made: with the same results it would be made the same again. */
export class RememberedReads {
  readonly #reads: Read[];

  constructor(reads: readonly Read[] = []) {
    this.#reads = [...reads];
  }

  get list(): readonly Read[] {
    return this.#reads;
  }

  /** Reads as `inputs` does, and remembers the results. */
  track(inputs: Inputs): Inputs {
    const track = async <T>(kind: Kind, path: string, reading: Promise<T>): Promise<T> => {
      this.#reads.push({
        kind,
        path,
        result: await resultOf(kind, path, { ...inputs, [kind]: () => reading }),
      });
      return reading;
    };
    return {
      readFile: (path) => track('readFile', path, inputs.readFile(path)),
      realpath: (path) => track('realpath', path, inputs.realpath(path)),
      stat: (path) => track('stat', path, inputs.stat(path)),
      glob: (pattern) => track('glob', pattern, inputs.glob(pattern)),
      fetch: (name, fetch) => inputs.fetch(name, fetch),
    };
  }

  /** Reads the same again: whether each result is as it was. */
  async areSame(inputs: Inputs): Promise<boolean> {
    for (const { kind, path, result } of this.#reads) {
      if ((await resultOf(kind, path, inputs)) !== result) return false;
    }
    return true;
  }
}

/** Whether a value that was read from bytes is a read. */
export const isRead = (value: unknown): value is Read =>
  isRecord(value) &&
  typeof value['kind'] === 'string' &&
  Object.hasOwn(PRINT, value['kind']) &&
  typeof value['path'] === 'string' &&
  typeof value['result'] === 'string';

async function resultOf(kind: Kind, path: string, inputs: Inputs): Promise<string> {
  try {
    return `is ${await PRINT[kind](inputs, path)}`;
  } catch (error) {
    return `fails ${errorCode(error) ?? 'unknown'}`;
  }
}
