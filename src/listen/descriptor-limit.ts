import { readFileSync } from 'node:fs';

/** Reads how many open files the system allows this process; infinity where that is not known. */
export function readDescriptorLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'latin1');
    return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
