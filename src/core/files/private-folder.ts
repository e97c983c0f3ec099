import type { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { lstat, mkdir, open, readdir, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The permission bits by which others than the owner can write. */
const WRITABLE_BY_OTHERS = 0o022;

/** A link is not followed, and a pipe is not waited for. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** After this time a file that was never finished is removed. */
const UNFINISHED_MILLIS = 3_600_000;

/** A file that is read counts as new again at most so often. */
const RENEW_MILLIS = 3_600_000;

/** What a folder keeps. Older files are removed first. */
export interface FolderBounds {
  readonly files: number;
  readonly bytes: number;
}

/**
 * A folder of files that only this user writes, and that can be lost at any time. Files of others,
 * files that others can write, links and what is no file count as absent. No method throws.
 */
export class PrivateFolder {
  readonly #path: string;
  readonly #ending: string;
  readonly #bounds: FolderBounds;
  #isTrimmed = false;

  /** `ending`: of its files, such as `.compiled`. Others in the folder are never touched. */
  constructor(path: string, ending: string, bounds: FolderBounds) {
    this.#path = path;
    this.#ending = ending;
    this.#bounds = bounds;
  }

  /** The content of a file; null where there is none that can be trusted. */
  async read(name: string): Promise<Buffer | null> {
    try {
      if (!(await this.#isOwnFolder())) return null;
      const file = await open(join(this.#path, `${name}${this.#ending}`), READ_FLAGS);
      try {
        const found = await file.stat();
        if (!found.isFile() || !isOwn(found) || found.size > this.#bounds.bytes) return null;
        if (Date.now() - found.mtimeMs > RENEW_MILLIS) {
          await file.utimes(new Date(), new Date());
        }
        return await file.readFile();
      } finally {
        await file.close();
      }
    } catch {
      return null;
    }
  }

  /**
   * Writes a file under another name, and renames it: another process sees the old one or all of
   * it. Resolves to whether it was written.
   */
  async write(name: string, content: Uint8Array): Promise<boolean> {
    try {
      await this.#make();
      if (!(await this.#isOwnFolder())) return false;
      await this.#trim();
    } catch {
      return false;
    }
    const path = join(this.#path, `${name}${this.#ending}`);
    const unfinished = `${path}.${randomUUID()}`;
    try {
      await writeFile(unfinished, content, { flag: 'wx', mode: 0o600 });
      await rename(unfinished, path);
      return true;
    } catch {
      await unlink(unfinished).catch(() => {});
      return false;
    }
  }

  /** A new folder is for this user alone, and nothing of it is added to a repository. */
  async #make(): Promise<void> {
    try {
      await mkdir(this.#path, { mode: 0o700 });
    } catch {
      // It is there, or it cannot be made.
      return;
    }
    await writeFile(join(this.#path, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 });
  }

  async #isOwnFolder(): Promise<boolean> {
    const found = await lstat(this.#path);
    return found.isDirectory() && isOwn(found);
  }

  /** Removes the oldest files beyond the bounds, before the first file that is written. */
  async #trim(): Promise<void> {
    if (this.#isTrimmed) return;
    this.#isTrimmed = true;
    const finished: { readonly path: string; readonly found: Stats }[] = [];
    for (const name of await readdir(this.#path)) {
      const at = name.indexOf(`${this.#ending}`);
      if (at <= 0) continue;
      const path = join(this.#path, name);
      const found = await lstat(path);
      if (!found.isFile()) continue;
      if (name.endsWith(this.#ending)) {
        finished.push({ path, found });
      } else if (Date.now() - found.mtimeMs > UNFINISHED_MILLIS) {
        await unlink(path);
      }
    }
    finished.sort((a, b) => b.found.mtimeMs - a.found.mtimeMs);
    let bytes = 0;
    for (const [index, { path, found }] of finished.entries()) {
      bytes += found.size;
      if (index >= this.#bounds.files - 1 || bytes > this.#bounds.bytes) {
        await unlink(path);
      }
    }
  }
}

/** Whether only the user of this process can have written it. Without users: never. */
const isOwn = ({ uid, mode }: Stats): boolean =>
  process.getuid?.() === uid && (mode & WRITABLE_BY_OTHERS) === 0;
