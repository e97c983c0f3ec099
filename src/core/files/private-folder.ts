import type { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, lstat, mkdir, open, readdir, rename, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../invariant.js';

/** The permission bits by which others than the owner can write. */
const WRITABLE_BY_OTHERS = 0o022;

/** A link is not followed, and a pipe is not waited for. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** After this time a file that was never finished is removed. */
const UNFINISHED_MILLIS = 3_600_000;

/** A file that another process began later than this is left to it. */
const WRITING_MILLIS = 60_000;

/** A file that is read counts as new again at most so often. */
const RENEW_MILLIS = 3_600_000;

/** Makes the parts of a file; null for none. */
export type PrivateContent = () => Promise<readonly Uint8Array[] | null>;

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
   * Writes a file under another name, and renames it: another process sees nothing or all of it.
   * Resolves to whether it was written. One that is there stays, and one that another process is
   * writing is left to it: `content` is not called.
   */
  async write(name: string, content: PrivateContent): Promise<boolean> {
    const path = join(this.#path, `${name}${this.#ending}`);
    try {
      await this.#make();
      if (!(await this.#isOwnFolder())) return false;
      await this.#trim();
      const there = await lstat(path).catch(() => null);
      if (there?.isFile() && isOwn(there)) return false;
      if (await this.#isBeingWritten(`${name}${this.#ending}.`)) return false;
      return await writeRenamed(path, content);
    } catch {
      return false;
    }
  }

  /** Removes a file of which no use can be made. */
  async remove(name: string): Promise<void> {
    await unlink(join(this.#path, `${name}${this.#ending}`)).catch(() => {});
  }

  /** Why no files can be kept: the end of a sentence about the folder. Null where they can. */
  async problem(): Promise<string | null> {
    try {
      const found = await lstat(this.#path);
      if (!found.isDirectory()) return 'is no folder';
      if (found.uid !== process.getuid?.()) return 'belongs to another user';
      if (!isOwn(found)) return 'can be written by other users';
      await access(this.#path, constants.R_OK | constants.W_OK | constants.X_OK);
      return null;
    } catch (error) {
      const code = errorCode(error);
      if (code === 'ENOENT') return this.#problemAbove();
      // Files that are there can be used.
      return code === 'EROFS' ? null : `cannot be used (${code})`;
    }
  }

  /** Why the folder, which is missing, cannot be made. */
  async #problemAbove(): Promise<string | null> {
    try {
      await access(dirname(this.#path), constants.W_OK | constants.X_OK);
      return null;
    } catch (error) {
      const code = errorCode(error);
      return code === 'ENOENT' ? 'is missing, with the one above it' : `cannot be made (${code})`;
    }
  }

  async #isBeingWritten(beginning: string): Promise<boolean> {
    for (const name of await readdir(this.#path)) {
      if (!name.startsWith(beginning)) continue;
      const found = await lstat(join(this.#path, name)).catch(() => null);
      if (found !== null && Date.now() - found.mtimeMs < WRITING_MILLIS) return true;
    }
    return false;
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
      // Another process may remove the same.
      const found = await lstat(path).catch(() => null);
      if (!found?.isFile()) continue;
      if (name.endsWith(this.#ending)) {
        finished.push({ path, found });
      } else if (Date.now() - found.mtimeMs > UNFINISHED_MILLIS) {
        await unlink(path).catch(() => {});
      }
    }
    finished.sort((a, b) => b.found.mtimeMs - a.found.mtimeMs);
    let bytes = 0;
    for (const [index, { path, found }] of finished.entries()) {
      bytes += found.size;
      if (index >= this.#bounds.files - 1 || bytes > this.#bounds.bytes) {
        await unlink(path).catch(() => {});
      }
    }
  }
}

/** The file is there before its content is made, so that other processes leave it to this one. */
async function writeRenamed(path: string, content: PrivateContent): Promise<boolean> {
  const unfinished = `${path}.${randomUUID()}`;
  try {
    await writeFile(unfinished, '', { flag: 'wx', mode: 0o600 });
    const parts = await content();
    if (parts !== null) {
      await writeFile(unfinished, parts);
      await rename(unfinished, path);
      return true;
    }
  } catch {
    // As without a file.
  }
  await unlink(unfinished).catch(() => {});
  return false;
}

/** Whether only the user of this process can have written it. Without users: never. */
const isOwn = ({ uid, mode }: Stats): boolean =>
  process.getuid?.() === uid && (mode & WRITABLE_BY_OTHERS) === 0;
