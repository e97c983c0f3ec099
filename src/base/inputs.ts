import type { Buffer } from 'node:buffer';
import { readFile, realpath, stat } from 'node:fs/promises';

/** Reads the files and documents of a start. */
export interface Inputs {
  readFile(path: string): Promise<Buffer>;
  realpath(path: string): Promise<string>;
  stat(path: string): Promise<{ readonly size: number; isFile(): boolean }>;
  /** Calls `fetch`; `name` is the key of its content in a snapshot. */
  fetch(name: string, fetch: () => Promise<Buffer>): Promise<Buffer>;
}

/** The files as they are, and the network. */
export const LIVE_INPUTS: Inputs = { readFile, realpath, stat, fetch: (_name, fetch) => fetch() };

/** Contents by name, from which another process can start. */
export interface InputSnapshot {
  readonly contents: Map<string, Buffer>;
  readonly realPaths: Map<string, string>;
}

/** Reads files and network, and keeps the contents in `snapshot`. */
export function recordInputs({ contents, realPaths }: InputSnapshot): Inputs {
  const keep = async <T>(map: Map<string, T>, name: string, read: Promise<T>): Promise<T> => {
    const value = await read;
    map.set(name, value);
    return value;
  };
  return {
    readFile: (path) => keep(contents, path, readFile(path)),
    realpath: (path) => keep(realPaths, path, realpath(path)),
    stat,
    fetch: (name, fetch) => keep(contents, name, fetch()),
  };
}

/** Reads from `snapshot` alone; other names do not exist. */
export function replayInputs({ contents, realPaths }: InputSnapshot): Inputs {
  const find = async <T>(map: ReadonlyMap<string, T>, name: string): Promise<T> => {
    const value = map.get(name);
    if (value === undefined) throw Object.assign(new Error('not in the snapshot'), { code: 'ENOENT' });
    return value;
  };
  return {
    readFile: (path) => find(contents, path),
    realpath: (path) => find(realPaths, path),
    stat: async (path) => ({ size: (await find(contents, path)).length, isFile: () => true }),
    fetch: (name) => find(contents, name),
  };
}
