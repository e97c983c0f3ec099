import type { Buffer } from 'node:buffer';
import { readFile, realpath, stat } from 'node:fs/promises';
import { glob } from './glob.js';

/** Reads the files and documents of a start. */
export interface Inputs {
  readFile(path: string): Promise<Buffer>;
  realpath(path: string): Promise<string>;
  stat(path: string): Promise<{ readonly size: number; isFile(): boolean }>;
  /** The files that a pattern matches, sorted; see `glob`. */
  glob(pattern: string): Promise<readonly string[]>;
  /** Calls `fetch`; `name` is the key of its content in a snapshot. */
  fetch(name: string, fetch: () => Promise<Buffer>): Promise<Buffer>;
}

/** The files as they are, and the network. */
export const LIVE_INPUTS: Inputs = {
  readFile,
  realpath,
  stat,
  glob,
  fetch: (_name, fetch) => fetch(),
};

/** Contents by name, from which another process can start. */
export interface InputSnapshot {
  readonly contents: Map<string, Buffer>;
  readonly realPaths: Map<string, string>;
  /** The files that each pattern matches. */
  readonly matches: Map<string, readonly string[]>;
}

export const emptySnapshot = (): InputSnapshot => ({
  contents: new Map(),
  realPaths: new Map(),
  matches: new Map(),
});

/** Reads files and network, and keeps the contents in `snapshot`. */
export function recordInputs({ contents, realPaths, matches }: InputSnapshot): Inputs {
  const keep = async <T>(map: Map<string, T>, name: string, read: Promise<T>): Promise<T> => {
    const value = await read;
    map.set(name, value);
    return value;
  };
  return {
    readFile: (path) => keep(contents, path, readFile(path)),
    realpath: (path) => keep(realPaths, path, realpath(path)),
    stat,
    glob: (pattern) => keep(matches, pattern, glob(pattern)),
    fetch: (name, fetch) => keep(contents, name, fetch()),
  };
}

/** Reads from `snapshot` what it has, and the rest from `rest`. */
export function completeInputs(snapshot: InputSnapshot, rest: Inputs): Inputs {
  const { contents, realPaths, matches } = snapshot;
  const known = replayInputs(snapshot);
  const from = (map: ReadonlyMap<string, unknown>, name: string): Inputs =>
    map.has(name) ? known : rest;
  return {
    readFile: (path) => from(contents, path).readFile(path),
    realpath: (path) => from(realPaths, path).realpath(path),
    stat: (path) => from(contents, path).stat(path),
    glob: (pattern) => from(matches, pattern).glob(pattern),
    fetch: (name, fetch) => from(contents, name).fetch(name, fetch),
  };
}

/** Adds what another process has read. */
export function addInputs(to: InputSnapshot, from: InputSnapshot): void {
  for (const [name, content] of from.contents) {
    to.contents.set(name, content);
  }
  for (const [name, path] of from.realPaths) {
    to.realPaths.set(name, path);
  }
  for (const [pattern, paths] of from.matches) {
    to.matches.set(pattern, paths);
  }
}

/** Reads from `snapshot` alone; other names do not exist. */
export function replayInputs({ contents, realPaths, matches }: InputSnapshot): Inputs {
  const find = async <T>(map: ReadonlyMap<string, T>, name: string): Promise<T> => {
    const value = map.get(name);
    if (value === undefined) {
      throw Object.assign(new Error('not in the snapshot'), { code: 'ENOENT' });
    }
    return value;
  };
  return {
    readFile: (path) => find(contents, path),
    realpath: (path) => find(realPaths, path),
    stat: async (path) => ({ size: (await find(contents, path)).length, isFile: () => true }),
    glob: (pattern) => find(matches, pattern),
    fetch: (name) => find(contents, name),
  };
}
