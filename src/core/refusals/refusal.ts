import { type Facts, type Place, placeOf } from './facts.js';
import type { RefusalKind } from './refusal-kind.js';
import { kindOf, type RefusalCode } from './refusals.js';

/**
 * An expected failure of one request or one upstream call. Any other exception at run time is a bug
 * and becomes `INTERNAL`.
 */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly kind: RefusalKind;
  /**
   * The rule that is broken, in words. Holds no input. Callers see it where the code has it among
   * its facts.
   */
  readonly rule: string | null;
  /**
   * Names of the message of the caller, and what was expected. Callers see those that the code has
   * among its facts.
   */
  readonly facts: Facts;
  /**
   * For the log only: the value found in the request, as text; null when the code is enough. Log
   * writers cut it.
   */
  readonly found: string | number | null;
  /**
   * The limit that was exceeded; null for other reasons. Callers see it where the code has it among
   * its facts.
   */
  readonly limit: ExceededLimit | null;
  /**
   * For the log only: the address of the backend where the call failed, as the metrics name it;
   * null for none.
   */
  address: string | null = null;
  /** For the log only: what was known of the reply that is refused; null for any other refusal. */
  reply: ReplyFacts | null = null;
  /**
   * When it is worth asking again: seconds, or an HTTP date (RFC 9110 section 10.2.3). Null when
   * nothing is known.
   */
  readonly retryAfter: string | null;
  readonly #hasOffset: boolean;
  #place: Place | null;
  /**
   * A challenge for the answer (RFC 9110 section 11.6.1), besides that of bearer tokens: a
   * constant, or that of a backend.
   */
  readonly challenge: string | null;
  /** The challenges for tokens, in place of that of bearer tokens; null for that one. */
  readonly tokenChallenges: readonly string[] | null;

  constructor(code: RefusalCode, rule: string | null = null, options?: RefusalOptions) {
    super(options?.text ?? kindOf(code).text, options);
    this.name = 'Refusal';
    this.code = code;
    this.kind = kindOf(code);
    this.rule = rule;
    this.facts = options?.facts ?? NO_FACTS;
    this.#place = placeOf(this.facts);
    this.#hasOffset = this.#place !== null;
    const found = options?.found ?? null;
    // A count without end has no JSON.
    this.found = typeof found === 'number' && !Number.isFinite(found) ? null : found;
    this.limit = options?.limit ?? null;
    this.retryAfter = options?.retryAfter ?? this.kind.retryAfterSeconds?.toString() ?? null;
    this.challenge = options?.challenge ?? null;
    this.tokenChallenges = options?.tokenChallenges ?? null;
  }

  /** For the log only: which rule, at which byte where the reader found it broken. */
  get detail(): string | null {
    const { path } = this.facts;
    const rule = path === undefined || this.rule === null ? this.rule : `${path} ${this.rule}`;
    if (!this.#hasOffset || this.#place === null) return rule;
    const where = `byte ${this.#place.byte}`;
    return rule === null ? where : `${rule} at ${where}`;
  }

  /**
   * The position in the message of what was found; null while that is not known. The line is null
   * until `locate`.
   */
  get place(): Place | null {
    return this.#place;
  }

  /** Sets the place in the message as its sender wrote it. */
  locate(place: Place): void {
    this.#place = place;
  }

  /** True if the request should not have been sent, or not like this. */
  get isOfCaller(): boolean {
    return this.kind.blame === 'client' || this.kind.blame === 'peer';
  }

  /**
   * Whether it is about the backend whose call it ended, where the answer had this status; 0 for
   * none. Without an answer the refusal of a message is that of the caller's own, which was cut off
   * on its way: it says nothing of the backend, and no caller may take that from others.
   */
  isOfBackend(status: number): boolean {
    return this.kind.blame === 'upstream' || (this.kind.blame === 'peer' && status !== 0);
  }
}

/** What was found in a reply that is refused, by its sender: log writers cut and escape it. */
export interface ReplyFacts {
  readonly status: number;
  /** The Content-Type; null for none. */
  readonly mediaType: string | null;
  readonly coding: string | null;
  /** The SOAP version of its envelope; null where there was none. */
  readonly version: string | null;
  /** The name `{uri}local` of the child of Body. */
  readonly element: string | null;
  readonly fault: {
    readonly code: string;
    readonly string: string;
    /** A signature was demanded, and this Fault has not been verified. */
    readonly isUnverified: boolean;
  } | null;
}

export interface RefusalOptions extends ErrorOptions {
  readonly retryAfter?: string | null;
  readonly challenge?: string | null;
  readonly tokenChallenges?: readonly string[] | null;
  /** A public text instead of that of the code: a constant, or the reason of a decision point. */
  readonly text?: string;
  readonly found?: string | number | null;
  readonly limit?: ExceededLimit | null;
  readonly facts?: Facts;
}

const NO_FACTS: Facts = {};

/** A limit that was exceeded. */
export interface ExceededLimit {
  /** The key of the limit in the configuration. */
  readonly key: string;
  readonly value: number;
}

/** A refusal by a limit: `found` is how much there is, where that is known. */
export function refuseByLimit(
  code: RefusalCode,
  key: ExceededLimit['key'],
  value: number,
  found: number | null = null,
  detail: string | null = null,
): Refusal {
  return new Refusal(code, detail, { found, limit: { key, value } });
}

/**
 * Converts a caught value into a refusal: bugs become `INTERNAL` and keep their cause for the log.
 */
export function asRefusal(caught: unknown): Refusal {
  if (caught instanceof Refusal) return caught;
  return new Refusal('INTERNAL', null, { cause: caught });
}

/** Converts a refusal of a message of the upstream, which is never the client's fault. */
export function asUpstream(refusal: Refusal): Refusal {
  if (refusal.kind.blame !== 'peer') return refusal;
  const { found, limit, place } = refusal;
  // Beyond a limit of the gateway a message may be in order but for that.
  const isLimit = limit !== null || BY_LIMIT.has(refusal.code);
  const code = isLimit ? 'UPSTREAM_RESPONSE_LIMIT' : 'UPSTREAM_INVALID_RESPONSE';
  const detail = refusal.detail === null ? refusal.code : `${refusal.code}: ${refusal.detail}`;
  const { expected } = refusal.facts;
  const facts = expected === undefined ? {} : { expected };
  const converted = new Refusal(code, detail, { cause: refusal, found, limit, facts });
  if (place !== null) {
    converted.locate(place);
  }
  return converted;
}

/** Codes of limits, of which some have no key. */
const BY_LIMIT: ReadonlySet<RefusalCode> = new Set(['SOAP_HEADER_LIMIT', 'DECOMPRESSION_LIMIT']);
