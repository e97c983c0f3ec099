import { readFileSync } from 'node:fs';

/** Files and connections that the system allows this process; no bound where it does not say. */
export function descriptorsMax(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'latin1');
    return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
