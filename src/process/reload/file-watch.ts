import { stat } from 'node:fs/promises';
import { inputFiles } from '../../core/index.js';

/**
 * Least time between two looks. Polling needs no support of the file system; mounted volumes often
 * have none.
 */
const LOOK_MILLIS = 500;

/**
 * Time between two looks for each file: a look takes about 0.03 ms of processor time for each, so
 * 1.5 % of it at most.
 */
const LOOK_MILLIS_PER_FILE = 2;

/** Files looked at, at most: of more, those that were read first. */
const FILES_MAX = 10_000;

/** Files looked at together: each takes a thread of the pool. */
const AT_ONCE = 4;

/** Before a pattern, whose matches are looked at: no path has this character. */
const GLOB = '\0';

/** What each file was before it was read, by path. */
export type FileIdentities = Map<string, string>;

type Identities = ReadonlyMap<string, string>;

/**
 * Reports changes of the files that a configuration was read from. A change is reported when two
 * looks in a row see the same: files are often replaced one after the other. Symbolic links are
 * followed at each look, for volumes of Kubernetes replace all files by changing one link.
 */
export class FileWatch {
  #files: FileIdentities = new Map();
  /** The state at the last look, where it differs from `#files`. */
  #pending: Identities | null = null;
  #changed: (() => Promise<unknown>) | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isLooking = false;

  /** Reads as `inputs` does, and looks at the files from now on. */
  track(inputs: inputFiles.Inputs): inputFiles.Inputs {
    return trackFiles(inputs, this.#files);
  }

  /**
   * Does the work that reads the files and adds them: from now on the ones to look at. Of a failure
   * those before are kept too.
   */
  async record<T>(work: (files: FileIdentities) => Promise<T>): Promise<T> {
    const files: FileIdentities = new Map();
    try {
      const result = await work(files);
      this.#files = files;
      return result;
    } catch (error) {
      this.#files = new Map([...this.#files, ...files]);
      throw error;
    }
  }

  /** Calls `changed` after each change from now on; null stops looking. */
  listen(changed: (() => Promise<unknown>) | null): void {
    this.#changed = changed;
    if (changed === null) {
      if (this.#timer !== null) {
        clearTimeout(this.#timer);
      }
      this.#timer = null;
      this.#pending = null;
    }
    this.#schedule();
  }

  #schedule(): void {
    if (this.#changed === null || this.#timer !== null || this.#isLooking) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#isLooking = true;
      void this.#look().finally(() => {
        this.#isLooking = false;
        this.#schedule();
      });
    }, lookMillis(this.#files.size)).unref();
  }

  /** Never rejects, as `changed` never does. */
  async #look(): Promise<void> {
    const before = this.#files;
    const now = await identitiesOf([...before.keys()].slice(0, FILES_MAX));
    // A reload meanwhile has read them.
    if (before !== this.#files) return;
    const isChanged = !areSame(now, before);
    const isQuiet = this.#pending !== null && areSame(now, this.#pending);
    this.#pending = isChanged ? now : null;
    if (!isChanged || !isQuiet) return;
    this.#pending = null;
    // A configuration that is refused is not tried again before the next change.
    this.#files = new Map([...before, ...now]);
    await this.#changed?.();
  }
}

/** Reads as `inputs` does, and keeps the identity of each file before it is read. */
export function trackFiles(inputs: inputFiles.Inputs, files: FileIdentities): inputFiles.Inputs {
  const track = async (path: string): Promise<void> => {
    if (!files.has(path)) {
      files.set(path, await identityOf(path));
    }
  };
  return {
    ...inputs,
    readFile: async (path) => {
      await track(path);
      return inputs.readFile(path);
    },
    realpath: async (path) => {
      await track(path);
      return inputs.realpath(path);
    },
    glob: async (pattern) => {
      await track(GLOB + pattern);
      return inputs.glob(pattern);
    },
  };
}

async function identitiesOf(paths: readonly string[]): Promise<Identities> {
  const found = new Map<string, string>();
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    const some = paths.slice(at, at + AT_ONCE);
    const identities = await Promise.all(some.map(identityOf));
    for (const [index, path] of some.entries()) {
      found.set(path, identities[index] ?? '');
    }
  }
  return found;
}

/**
 * A text that is equal while a file, the matches of a pattern, or a folder itself has not changed.
 * What is in the folder does not count: the record of decisions may be, or the socket of a
 * listener. '' where there is nothing at the path.
 */
async function identityOf(path: string): Promise<string> {
  try {
    if (path.startsWith(GLOB))
      return JSON.stringify(await inputFiles.glob(path.slice(GLOB.length)));
    const found = await stat(path, { bigint: true });
    const { dev, ino, size, mtimeNs, ctimeNs } = found;
    return (found.isDirectory() ? [dev, ino] : [dev, ino, size, mtimeNs, ctimeNs]).join();
  } catch {
    return '';
  }
}

const lookMillis = (files: number): number =>
  Math.max(LOOK_MILLIS, LOOK_MILLIS_PER_FILE * Math.min(files, FILES_MAX));

const areSame = (one: Identities, other: Identities): boolean => {
  for (const [path, identity] of one) {
    if (other.get(path) !== identity) return false;
  }
  return true;
};
