import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from '../invariant.js';

/**
 * The files that a pattern matches, sorted. `*` and `?` stand for characters within one name of the
 * path, but not for a dot at its beginning. A pattern with neither is the path of one file, whether
 * it exists or not.
 */
export async function glob(pattern: string): Promise<readonly string[]> {
  const steps = pattern.split('/');
  let found = [pattern.startsWith('/') ? '/' : ''];
  for (const [index, step] of steps.entries()) {
    const isLast = index === steps.length - 1;
    if (step === '') continue;
    if (!/[*?]/.test(step)) {
      found = found.map((path) => join(path, step));
    } else {
      found = (await Promise.all(found.map((path) => namesIn(path, step, isLast)))).flat();
    }
  }
  return found.sort();
}

/** The paths of the entries of a folder that match; none of what is no folder. */
async function namesIn(
  path: string,
  pattern: string,
  wantsFiles: boolean,
): Promise<readonly string[]> {
  const entries = await readdir(path === '' ? '.' : path, { withFileTypes: true }).catch(
    (error: unknown) => {
      const code = errorCode(error);
      if (code === 'ENOENT' || code === 'ENOTDIR') return [];
      throw error;
    },
  );
  return entries
    .filter((entry) => (wantsFiles ? !entry.isDirectory() : !entry.isFile()))
    .filter(({ name }) => matchesName(name, pattern))
    .map(({ name }) => join(path, name));
}

/** Goes back to the last `*` alone: the time is at most the product of both lengths. */
export function matchesName(name: string, pattern: string): boolean {
  if (name.startsWith('.') && !pattern.startsWith('.')) return false;
  let at = 0;
  let star = -1;
  let resume = 0;
  let here = 0;
  while (here < name.length) {
    if (pattern[at] === '*') {
      star = at++;
      resume = here;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === name[here])) {
      at++;
      here++;
    } else if (star >= 0) {
      at = star + 1;
      here = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[at] === '*') {
    at++;
  }
  return at === pattern.length;
}
