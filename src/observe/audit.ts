import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Exchange } from '../base/exchange.js';
import { lineHash } from './audit-chain.js';
import { auditFile, lastLineOf } from './audit-file.js';
import type { Log } from './log.js';
import { LogSink } from './log-sink.js';
import { standardOutput } from './log-target.js';

/** Bytes of lines that wait for the disk; further lines are dropped, and counted in the next one. */
const BACKLOG_BYTES = 4 * 1024 * 1024;

/** Between two reports that lines cannot be written. */
const REPORT_MILLIS = 60_000;

/** One decision about a request that denied or changed something. */
interface Decision {
  readonly decision: 'denied' | 'withheld' | 'masked';
  /** Of the closed table of refusals, or of the configuration. */
  readonly rule: string;
  /** The names of fields or operations; null for none. */
  readonly of: readonly string[] | null;
}

/**
 * Writes a line for each decision that denied or changed something. Lines have no values: names of the configuration, the
 * schema and the closed tables, the client and the id of its request. Each names the hash of the one before, in a chain
 * for each process.
 */
export class Audit {
  readonly #sink: LogSink;
  readonly #chain = randomBytes(6).toString('hex');
  #previous: string | null;
  #seq = 0;
  #dropped = 0;

  /**
   * `file`: null for standard output. `failed` is told why lines cannot be written, once a minute at most. Throws the
   * system's error when the file cannot be opened.
   */
  constructor(file: string | null, failed: (reason: string) => void) {
    const last = file === null ? null : lastLineOf(file);
    this.#previous = last === null ? null : lineHash(last);
    let reportedMillis = Number.NEGATIVE_INFINITY;
    this.#sink = new LogSink(file === null ? standardOutput() : auditFile(file), BACKLOG_BYTES, (code) => {
      if (performance.now() - reportedMillis < REPORT_MILLIS) return;
      reportedMillis = performance.now();
      failed(code);
    });
  }

  /** Lines that are lost, because earlier ones could not be written. */
  get droppedLines(): number {
    return this.#sink.droppedLines;
  }

  /** Records the decisions about a request that is over. */
  record(exchange: Exchange): void {
    for (const decision of decisionsOf(exchange)) this.#write(exchange, decision);
  }

  async close(): Promise<void> {
    await this.#sink.close();
  }

  #write(exchange: Exchange, { decision, rule, of }: Decision): void {
    const { id, caller, clientClass, client, peer, route, operation } = exchange;
    const line = JSON.stringify({
      time: new Date().toISOString(),
      chain: this.#chain,
      seq: this.#seq + 1,
      previous: this.#previous,
      id,
      client: caller,
      class: clientClass,
      address: client,
      ...(peer === client ? {} : { peer }),
      route,
      operation,
      decision,
      rule,
      ...(of === null ? {} : { of: [...of].sort().slice(0, NAMES_MAX) }),
      ...(this.#dropped === 0 ? {} : { dropped: this.#dropped }),
    });
    const before = this.#sink.droppedLines;
    this.#sink.write(`${line}\n`);
    if (this.#sink.droppedLines > before) {
      this.#dropped++;
      return;
    }
    this.#dropped = 0;
    this.#seq++;
    this.#previous = lineHash(line);
  }
}

/** The record of a configuration; null without one. Throws the system's error when its file cannot be opened. */
export const openAudit = (to: { readonly file: string | null } | null, log: Log): Audit | null =>
  to === null ? null : new Audit(to.file, (reason) => log.event('error', 'the audit cannot be written', { reason }));

/** Names that one line lists. */
const NAMES_MAX = 100;

function decisionsOf({ refusal, decisions }: Exchange): readonly Decision[] {
  const found: Decision[] = (decisions ?? []).map(({ decision, of }) => ({
    decision,
    rule: decision === 'withheld' ? 'FORBIDDEN' : 'mask',
    of,
  }));
  if (refusal?.isOfCaller !== true || refusal.code === 'CLIENT_GONE') return found;
  // Of other refusals it may be what the client sent.
  const isName = refusal.code === 'FORBIDDEN' && typeof refusal.found === 'string';
  found.push({ decision: 'denied', rule: refusal.code, of: isName ? [String(refusal.found)] : null });
  return found;
}
