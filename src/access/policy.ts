import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { collections, isRecord, type observing } from '../core/index.js';
import { isAllowed, type Question } from './allowed-answer.js';
import type { Client, DecidedClaims } from './client.js';
import { publicReason, readClaims } from './decided-claims.js';

/** A request as a policy decision point sees it: `input` of Open Policy Agent. */
export interface PolicyInput {
  readonly client: Pick<Client, 'name' | 'label' | 'by' | 'claims'> & {
    readonly class: string;
    readonly authenticated: boolean;
    readonly scopes: readonly string[];
  };
  readonly address: string;
  readonly method: string;
  /** `http`: a plain route, a WSDL, the page of a service. */
  readonly protocol: 'soap' | 'graphql' | 'rest' | 'mcp' | 'http';
  /** The service of a SOAP call, a WSDL or a page; null for GraphQL and plain routes. */
  readonly service: string | null;
  /** The path of an HTTP request, without its query; absent for the others. */
  readonly path?: string;
  /**
   * The operation of the WSDL, or `query`, `mutation`, `subscription`; null where it is not known.
   */
  readonly operation: string | null;
  /** All that are called, or that the backend may read in the message: `orders.GetOrder`. */
  readonly operations: readonly string[];
  /** Selected in GraphQL, `Type.field`; [] for SOAP. */
  readonly fields: readonly string[];
}

export const policyClient = (client: Client): PolicyInput['client'] => ({
  name: client.name,
  label: client.label,
  by: client.by,
  class: client.className,
  authenticated: client.isAuthenticated,
  scopes: [...client.scopes],
  claims: client.claims,
});

/**
 * Sends a JSON text to the decision point, and resolves to its answer with status 200. Rejects
 * without one.
 */
type AskPolicy = (body: string, observer: observing.CallObserver | null) => Promise<string>;

export type PolicyResult = 'allowed' | 'denied' | 'failed';

/** The answer of a decision point to one question. */
export interface Decision {
  readonly result: PolicyResult;
  /** What it says about the caller; null for nothing. */
  readonly claims: DecidedClaims | null;
  /** What it says to the caller about a denial; null for nothing. */
  readonly reason: string | null;
}

const FAILED: Decision = { result: 'failed', claims: null, reason: null };

/** Decisions that are remembered. */
const DECISIONS_MAX = 10_000;

export interface PolicyRules {
  readonly ask: AskPolicy;
  /** Whether requests pass while there is no answer. */
  readonly allowsOnError: boolean;
  /** How long a decision is used for equal requests; 0: once. */
  readonly cacheMillis: number;
  /** How long a subscription goes on before it is asked about again; 0: for ever. */
  readonly recheckMillis: number;
}

/**
 * Asks a policy decision point (the REST interface of Open Policy Agent): `{ "result": true }`, or
 * an object whose `allow` is true, lets a request pass. That object may have `claims` about the
 * caller, and a `reason` for a denied one. Equal requests that come together are one question.
 */
export class Policy {
  readonly #rules: PolicyRules;
  /** The results by digest of the input, the oldest first. */
  readonly #decided = new Map<
    string,
    { readonly decision: Decision; readonly untilMillis: number }
  >();
  readonly #asking = new Map<string, Question<Decision>>();

  constructor(rules: PolicyRules) {
    this.#rules = rules;
  }

  get recheckMillis(): number {
    return this.#rules.recheckMillis;
  }

  /** Whether requests with this result pass. */
  permits(result: PolicyResult): boolean {
    return result === 'allowed' || (result === 'failed' && this.#rules.allowsOnError);
  }

  /** Decides about a request, which is observed or not. Never rejects. */
  async decide(
    input: PolicyInput,
    request: observing.RequestObserver | null = null,
  ): Promise<Decision> {
    const body = JSON.stringify({ input });
    const key = createHash('sha256').update(body).digest('base64');
    const known = this.#decided.get(key);
    if (known !== undefined && performance.now() < known.untilMillis) return known.decision;
    const asked = this.#asking.get(key);
    if (asked !== undefined) {
      asked.observer?.serve(request);
      return asked.answer;
    }
    const observer = request?.call('', 'authorize') ?? null;
    const answer = this.#ask(body, key, observer).finally(() => this.#asking.delete(key));
    this.#asking.set(key, { answer, observer });
    return answer;
  }

  async #ask(
    body: string,
    key: string,
    observer: observing.CallObserver | null,
  ): Promise<Decision> {
    const { ask, cacheMillis } = this.#rules;
    let decision: Decision;
    try {
      decision = decisionOf(JSON.parse(await ask(body, observer)));
    } catch {
      return FAILED;
    }
    if (cacheMillis > 0 && decision.result !== 'failed') {
      collections.setAndEvictOldest(
        this.#decided,
        key,
        { decision, untilMillis: performance.now() + cacheMillis },
        DECISIONS_MAX,
      );
    }
    return decision;
  }
}

/**
 * Without a result the policy is not defined for the request: it is denied. An answer whose claims
 * cannot be used is none.
 */
function decisionOf(answer: unknown): Decision {
  const result = isAllowed(answer) ? 'allowed' : 'denied';
  const { claims = null, reason = null } = detailsOf(answer);
  if (result === 'denied') return { result, claims: null, reason: publicReason(reason) };
  if (claims === null) return { result, claims, reason: null };
  const read = readClaims(claims);
  return read === null ? FAILED : { result, claims: read, reason: null };
}

const detailsOf = (answer: unknown): Record<string, unknown> =>
  isRecord(answer) && isRecord(answer['result']) ? answer['result'] : {};
