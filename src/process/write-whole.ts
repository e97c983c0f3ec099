import type { Buffer } from 'node:buffer';
import { chmod, chown, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a file whole or not at all: a reader finds the one before, or this one. Its folder is made
 * if it is missing; a file that is replaced keeps its mode and, where the process may do that, its
 * owner.
 */
export async function writeWhole(file: string, content: Buffer | string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  const before = await stat(file).catch(() => null);
  try {
    const handle = await open(draft, 'w', before?.mode);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (before !== null) {
      await chmod(draft, before.mode & 0o7777);
      await chown(draft, before.uid, before.gid).catch(() => {});
    }
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}
