import { createHash } from 'node:crypto';
import { isRecord } from '../base/record.js';

/** The hash that the next line of a chain names: SHA-256 of a line without its end, in hexadecimal. */
export const lineHash = (line: string): string => createHash('sha256').update(line).digest('hex');

/** What is wrong with a line: it does not fit the lines before it, or names one that was not given (`earlier`). */
export interface ChainFinding {
  readonly kind: 'broken' | 'earlier';
  readonly what: string;
}

/** Verifies the chains of audit lines, which may be interleaved: each process that writes to a file has one. */
export class ChainVerifier {
  /** The last line of each chain. */
  readonly #chains = new Map<string, { readonly seq: number; readonly hash: string }>();
  readonly #seen = new Set<string>();

  get chains(): number {
    return this.#chains.size;
  }

  /** Checks the next line. Null for one that fits. */
  check(line: string): ChainFinding | null {
    const read = readLine(line);
    if (read === null) return broken('is no line of an audit');
    const { chain, seq, previous } = read;
    const hash = lineHash(line);
    const known = this.#chains.get(chain);
    const isAnchored = previous === null || this.#seen.has(previous);
    this.#chains.set(chain, { seq, hash });
    this.#seen.add(hash);
    if (known === undefined) {
      if (seq > 1) return { kind: 'earlier', what: `chain ${chain} begins with line ${seq}` };
      if (isAnchored) return null;
      return { kind: 'earlier', what: `chain ${chain} begins after a line that is not there` };
    }
    if (seq !== known.seq + 1) return broken(`chain ${chain}: line ${known.seq + 1} is missing`);
    return previous === known.hash ? null : broken(`chain ${chain}: the line before was changed`);
  }
}

const broken = (what: string): ChainFinding => ({ kind: 'broken', what });

interface Linked {
  readonly chain: string;
  readonly seq: number;
  readonly previous: string | null;
}

function readLine(line: string): Linked | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return null;
  }
  if (!isRecord(parsed)) return null;
  const { chain, seq, previous } = parsed;
  if (typeof chain !== 'string' || typeof seq !== 'number') return null;
  return typeof previous === 'string' || previous === null ? { chain, seq, previous } : null;
}
