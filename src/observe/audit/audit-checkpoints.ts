import { randomBytes } from 'node:crypto';
import type { Log } from '../log/log.js';
import { hasCheckpoint } from './audit-file.js';
import { type AuditTarget, type ChainHead, ChainWriter } from './chain-writer.js';

/** Between two checkpoints, where chains have grown. */
const EVERY_MILLIS = 60_000;

/**
 * Writes lines that name every chain of a gateway with its last line, in a chain of its own: a
 * chain that is in none of them was made up, and one that ends before was cut.
 */
export class AuditCheckpoints {
  readonly #writer: ChainWriter;
  /** The last known lines of the chains that are written. */
  readonly #heads = new Map<string, ChainHead>();
  readonly #own: () => ChainHead | null;
  readonly #timer: NodeJS.Timeout;
  #written = '';

  /** `own` is the head of the chain of this process; null where its workers write all of them. */
  constructor(target: AuditTarget, failed: (reason: string) => void, own: () => ChainHead | null) {
    this.#writer = new ChainWriter(target, randomBytes(8).toString('hex'), failed);
    this.#own = own;
    this.#timer = setInterval(() => this.write('time'), EVERY_MILLIS).unref();
    if (own() !== null) {
      this.write('start');
    }
  }

  /** A process is going to write a chain: its name is on record before its first line. */
  add(chain: string): void {
    this.#heads.set(chain, { chain, seq: 0, hash: null });
    this.write('start');
  }

  /** What a process says about its chain. */
  take(head: ChainHead): void {
    if (this.#heads.has(head.chain)) {
      this.#heads.set(head.chain, head);
    }
  }

  /** The process of a chain has ended: the next line names the chain for the last time. */
  remove(chain: string): void {
    if (!this.#heads.has(chain)) return;
    this.write('end');
    this.#heads.delete(chain);
  }

  /** Writes a checkpoint; by time only where it differs from the last one. */
  write(checkpoint: 'start' | 'time' | 'reload' | 'end' | 'stop'): void {
    const own = this.#own();
    const heads = [...(own === null ? [] : [own]), ...this.#heads.values()];
    const text = JSON.stringify(heads);
    if (checkpoint === 'time' && text === this.#written) return;
    this.#written = text;
    this.#writer.append({ checkpoint, heads });
  }

  /** Resolves to the number of lines that could not be written. */
  close(): Promise<number> {
    clearInterval(this.#timer);
    this.write('stop');
    return this.#writer.close();
  }
}

const failedOf =
  (log: Log) =>
  (reason: string): void =>
    log.event('error', 'the audit cannot be written', { reason });

/**
 * Those of the parent of several processes. Rejects with the system's error when the file cannot be
 * opened.
 */
export const parentCheckpoints = async (
  to: AuditTarget | null,
  log: Log,
): Promise<AuditCheckpoints | null> =>
  to === null ? null : new AuditCheckpoints(to, failedOf(log), () => null);

/**
 * Those of one process alone, which has one chain and needs none: only where the file has some of
 * several processes, so that it is not taken for a chain that was made up.
 */
export const ownCheckpoints = (
  to: AuditTarget | null,
  log: Log,
  own: () => ChainHead | null,
): AuditCheckpoints | null =>
  to === null || to.file === null || !hasCheckpoint(to.file)
    ? null
    : new AuditCheckpoints(to, failedOf(log), own);
