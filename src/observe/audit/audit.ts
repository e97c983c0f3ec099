import { randomBytes } from 'node:crypto';
import type { Exchange } from '../../gateway/exchange.js';
import type { Operator } from '../admin.js';
import type { Log } from '../log/log.js';
import type { SinkState } from '../log/log-sink.js';
import { type AuditTarget, type ChainHead, ChainWriter } from './chain-writer.js';

/** One decision about a request that denied or changed something. */
interface Decision {
  readonly decision: 'denied' | 'withheld' | 'masked';
  /** A code of the closed table of refusals, or `mask`. */
  readonly rule: string;
  /** The names of fields or operations; null for none. */
  readonly of: readonly string[] | null;
}

/**
 * Writes a line for each decision that denied or changed something. Lines have no values: names of
 * the configuration, the schema and the closed tables, the client and the id of its request. Each
 * names the hash of the one before, in a chain for each process.
 */
export class Audit {
  readonly #writer: ChainWriter;

  /**
   * `failed` is told why lines cannot be written, once a minute at most. Throws the system's error
   * when the file cannot be opened.
   */
  constructor(
    target: AuditTarget,
    failed: (reason: string) => void,
    chain = randomBytes(8).toString('hex'),
  ) {
    this.#writer = new ChainWriter(target, chain, failed);
  }

  /** Lines that are lost, because earlier ones could not be written. */
  get droppedLines(): number {
    return this.#writer.droppedLines;
  }

  get head(): ChainHead {
    return this.#writer.head;
  }

  /** Records the decisions about a request that is over. */
  record(exchange: Exchange): void {
    for (const decision of decisionsOf(exchange)) {
      this.#write(exchange, decision);
    }
  }

  /** Records that an operator has moved calls of a service to another backend. */
  recordMove(service: string, share: number, by: Operator): void {
    this.#writer.append({
      ...operatorParts(by),
      route: service,
      decision: 'moved',
      rule: 'canary',
      share,
    });
  }

  /** Records that an operator has seen the values of an exchange, or was refused them. */
  recordLook(
    { service, operation, id }: { service: string; operation: string; id: string },
    by: Operator,
    isAllowed: boolean,
  ): void {
    this.#writer.append({
      ...operatorParts(by),
      route: service,
      operation,
      decision: isAllowed ? 'shown' : 'denied',
      rule: 'console.inspect',
      of: [id],
    });
  }

  /** Whether decisions are recorded. */
  get isUp(): boolean {
    return this.#writer.isUp;
  }

  get state(): SinkState {
    return this.#writer.state;
  }

  /** Resolves to the number of lines that could not be written. */
  close(): Promise<number> {
    return this.#writer.close();
  }

  #write(exchange: Exchange, { decision, rule, of }: Decision): void {
    const { id, caller, client, peer, route, operation, sender } = exchange;
    this.#writer.append({
      id,
      client: caller.label,
      class: caller.className,
      address: client,
      ...(peer === client ? {} : { peer }),
      route,
      operation,
      ...(sender === null ? {} : { sender }),
      decision,
      rule,
      ...(of === null ? {} : { of: [...of].sort().slice(0, NAMES_MAX) }),
    });
  }
}

/**
 * The record of a configuration; null without one. `chain`: its name, where the parent process has
 * put it on record. Throws the system's error when its file cannot be opened.
 */
export const openAudit = (to: AuditTarget | null, log: Log, chain?: string): Audit | null =>
  to === null
    ? null
    : new Audit(
        to,
        (reason) => log.event('error', 'the audit cannot be written', { reason }),
        chain,
      );

/** The parts of a record about an operator. */
const operatorParts = ({ operator, client }: Operator) => ({
  ...(operator === null ? {} : { operator }),
  address: client,
});

/** Names that one line lists. */
const NAMES_MAX = 100;

function decisionsOf({ refusal, graphql }: Exchange): readonly Decision[] {
  const found: Decision[] = (graphql.decisions ?? []).map(({ decision, of }) => ({
    decision,
    rule: decision === 'withheld' ? 'FORBIDDEN' : 'mask',
    of,
  }));
  if (refusal?.isOfCaller !== true || refusal.code === 'CLIENT_GONE') return found;
  // The text that another refusal found may be from the client.
  const isName = refusal.code === 'FORBIDDEN' && typeof refusal.found === 'string';
  found.push({
    decision: 'denied',
    rule: refusal.code,
    of: isName ? [String(refusal.found)] : null,
  });
  return found;
}
