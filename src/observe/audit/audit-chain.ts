import { createHash } from 'node:crypto';
import { isRecord, jsonValues } from '../../core/index.js';

/**
 * The hash that the next line of a chain names: SHA-256 of a line without its end, in hexadecimal.
 */
export const lineHash = (line: string): string => createHash('sha256').update(line).digest('hex');

/**
 * What is wrong with a line: it does not fit the lines before it, or names one that was not given
 * (`earlier`).
 */
export interface ChainFinding {
  readonly kind: 'broken' | 'earlier';
  readonly what: string;
}

/** Lines that were cut and are remembered. */
const CUT_LINES_MAX = 10_000;

/** A line that is none, until a later one explains it. */
interface CutLine {
  readonly text: string;
  readonly place: string;
}

/** A finding at a place in a file: `audit.log:7`. */
export interface PlacedFinding extends ChainFinding {
  readonly place: string;
}

interface Chain {
  readonly place: string;
  readonly firstSeq: number;
  /** The hashes of all lines of the chain, the first one first. */
  readonly hashes: string[];
  /** The number of its last line among all lines. */
  lastLine: number;
}

/** What a checkpoint says about a chain. */
interface Claim {
  readonly chain: string;
  readonly seq: number;
  readonly hash: string | null;
  readonly place: string;
}

/**
 * Verifies the chains of audit lines, which may be interleaved: each process that writes to a file
 * has one. Where there are checkpoints, every chain is in them, as long as they say.
 */
export class ChainVerifier {
  readonly #chains = new Map<string, Chain>();
  readonly #seen = new Set<string>();
  /** The chains that consist of checkpoints, in the order of their beginnings. */
  readonly #ofCheckpoints: string[] = [];
  /** Chains that a checkpoint names. */
  readonly #named = new Set<string>();
  /** Chains whose beginning a checkpoint announces: their lines are in no earlier file. */
  readonly #begun = new Set<string>();
  readonly #claims: Claim[] = [];
  /** Lines that cannot be read, in the order of the files. */
  #cutLines: CutLine[] = [];
  /** The places of lines that a process that died has left, which the next one has recorded. */
  readonly gaps: string[] = [];
  #lines = 0;
  #lastHash: string | null = null;
  /** The first checkpoint: its number among all lines, and whether it follows the line before. */
  #first: { readonly line: number; readonly follows: boolean } | null = null;

  get chains(): number {
    return this.#chains.size;
  }

  /** Checks the next line. Null for one that fits. */
  check(line: string, place: string): ChainFinding | null {
    const read = readLine(line);
    if (read === null) {
      if (this.#cutLines.length >= CUT_LINES_MAX) return broken(NO_LINE);
      this.#cutLines.push({ text: line, place });
      return null;
    }
    this.#lines++;
    this.#explainCut(line, read.gap);
    const { chain, seq, previous, heads } = read;
    const hash = lineHash(line);
    const known = this.#chains.get(chain);
    const isAnchored = previous === null || this.#seen.has(previous);
    const fits = known === undefined || seq === known.firstSeq + known.hashes.length;
    const before = known?.hashes.at(-1) ?? null;
    if (known === undefined || !fits) {
      this.#chains.set(chain, { place, firstSeq: seq, hashes: [hash], lastLine: this.#lines });
    } else {
      known.hashes.push(hash);
      known.lastLine = this.#lines;
    }
    this.#first ??=
      heads === null ? null : { line: this.#lines, follows: previous === this.#lastHash };
    this.#seen.add(hash);
    this.#lastHash = hash;
    const late = heads === null ? null : this.#take(chain, heads, place);
    if (known === undefined) {
      if (late !== null) return late;
      if (seq > 1) return { kind: 'earlier', what: `chain ${chain} begins with line ${seq}` };
      if (isAnchored) return null;
      return { kind: 'earlier', what: `chain ${chain} begins after a line that is not there` };
    }
    if (!fits) {
      return broken(`chain ${chain}: line ${known.firstSeq + known.hashes.length} is missing`);
    }
    return previous === before ? late : broken(`chain ${chain}: the line before was changed`);
  }

  /** What the checkpoints say is compared with all lines. */
  finish(): readonly PlacedFinding[] {
    const cut = this.#cutLines.map(({ place }): PlacedFinding => ({ ...broken(NO_LINE), place }));
    if (this.#first === null) return cut;
    return [
      ...cut,
      ...this.#unnamed(this.#first),
      ...this.#claims.flatMap((claim) => this.#compare(claim) ?? []),
    ];
  }

  /**
   * A line that was cut is the beginning of one that was written again after the disk was full; or
   * the process died, and the next one names its hash.
   */
  #explainCut(line: string, gap: string | null): void {
    if (this.#cutLines.length === 0) return;
    this.#cutLines = this.#cutLines.filter(({ text, place }) => {
      if (line.startsWith(text)) return false;
      if (gap === null || lineHash(text) !== gap) return true;
      this.gaps.push(place);
      return false;
    });
  }

  /**
   * Takes what a checkpoint says. One gateway writes after the other: checkpoints of an earlier one
   * are no more written.
   */
  #take(chain: string, heads: readonly Omit<Claim, 'place'>[], place: string): ChainFinding | null {
    this.#named.add(chain);
    for (const head of heads) {
      this.#named.add(head.chain);
      if (head.seq > 0) {
        this.#claims.push({ ...head, place });
      } else {
        this.#begun.add(head.chain);
      }
    }
    if (!this.#ofCheckpoints.includes(chain)) {
      this.#ofCheckpoints.push(chain);
    }
    const latest = this.#ofCheckpoints.at(-1);
    return latest === chain
      ? null
      : broken(`checkpoints ${chain} go on after checkpoints ${latest} have begun`);
  }

  /** Chains that are in no checkpoint, but for one that was over before the first of them. */
  #unnamed(first: { readonly line: number; readonly follows: boolean }): readonly PlacedFinding[] {
    return [...this.#chains].flatMap(([chain, { place, firstSeq, lastLine }]): PlacedFinding[] => {
      if (this.#named.has(chain) || (lastLine < first.line && first.follows)) return [];
      const kind = firstSeq > 1 ? 'earlier' : 'broken';
      return [{ kind, what: `chain ${chain} is in no checkpoint`, place }];
    });
  }

  #compare({ chain, seq, hash, place }: Claim): PlacedFinding | null {
    const known = this.#chains.get(chain);
    const kind = this.#begun.has(chain) ? 'broken' : 'earlier';
    if (known === undefined) {
      return { kind, what: `chain ${chain}: all of its ${seq} lines are missing`, place };
    }
    const { firstSeq, hashes } = known;
    if (seq < firstSeq) return null;
    const found = hashes[seq - firstSeq];
    if (found === undefined) {
      return {
        ...broken(
          `chain ${chain}: lines after ${firstSeq + hashes.length - 1} are missing, up to ${seq}`,
        ),
        place,
      };
    }
    return found === hash
      ? null
      : { ...broken(`chain ${chain}: line ${seq} is another one`), place };
  }
}

const NO_LINE = 'is no line of an audit, and no later line records that it was cut';

const broken = (what: string): ChainFinding => ({ kind: 'broken', what });

interface Linked {
  /** The hash of a line before, which was cut. */
  readonly gap: string | null;
  readonly chain: string;
  readonly seq: number;
  readonly previous: string | null;
  /** The ends of chains that a checkpoint names; null for a decision. */
  readonly heads: readonly Omit<Claim, 'place'>[] | null;
}

function readLine(line: string): Linked | null {
  const parsed = jsonValues.parsedJson(line);
  if (!isRecord(parsed)) return null;
  const { chain, seq, previous, heads } = parsed;
  if (typeof chain !== 'string' || typeof seq !== 'number') return null;
  if (typeof previous !== 'string' && previous !== null) return null;
  const gap = typeof parsed['gap'] === 'string' ? parsed['gap'] : null;
  if (parsed['checkpoint'] === undefined) return { gap, chain, seq, previous, heads: null };
  const read = Array.isArray(heads) ? heads.map(readHead) : [null];
  return read.includes(null)
    ? null
    : { gap, chain, seq, previous, heads: read.flatMap((head) => head ?? []) };
}

function readHead(head: unknown): Omit<Claim, 'place'> | null {
  if (!isRecord(head)) return null;
  const { chain, seq, hash } = head;
  if (typeof chain !== 'string' || typeof seq !== 'number') return null;
  return typeof hash === 'string' || hash === null ? { chain, seq, hash } : null;
}
