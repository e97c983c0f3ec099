import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';

import { asRefusal, collections, isRecord, type observing, Refusal } from '../../core/index.js';
import type { Identifier } from '../access.js';
import type { Question } from '../allowed-answer.js';
import type { CallerIdentity, Client, Head } from '../client.js';
import { challengedByScheme, type TokenSchemes } from '../token-challenge.js';
import {
  type PresentedToken,
  presentedToken,
  tokenRefusal,
  withholdToken,
} from './presented-token.js';
import { schemesOf, type TokenBinding } from './token-binding.js';
import { type TokenClientRules, tokenClient } from './token-client.js';

export interface IntrospectionRules extends TokenClientRules {
  /** A token must be for it; null: the authorization server decides that. */
  readonly audience: string | null;
  /** How long an answer is used: at most, for an active token. */
  readonly activeMillis: number;
  readonly inactiveMillis: number;
  /** The token goes on to backends. */
  readonly forward: boolean;
  readonly binding: TokenBinding;
}

/**
 * Asks the authorization server about a token: its claims, or null where it is not active. Rejects
 * without an answer.
 */
export type Introspect = (
  token: string,
  observer: observing.CallObserver | null,
) => Promise<Readonly<Record<string, unknown>> | null>;

/**
 * Answers that are remembered, of either kind: made-up tokens must not displace those of clients.
 */
const ANSWERS_MAX = 10_000;

interface Answer {
  /** Or the refusal of a token that is not active, or says too little. */
  readonly client: Client | Refusal;
  readonly untilMillis: number;
}

/**
 * Identifies clients by a token of any form that its authorization server knows (RFC 7662).
 * Requests with the same token wait for one answer. Without an answer they are refused.
 */
export class IntrospectedTokens implements Identifier {
  readonly #rules: IntrospectionRules;
  readonly #introspect: Introspect;
  /** The answers for active tokens by digest of the token, the oldest first. */
  readonly #active = new Map<string, Answer>();
  readonly #inactive = new Map<string, Answer>();
  readonly #asking = new Map<string, Question<Answer>>();
  readonly schemes: TokenSchemes;

  constructor(rules: IntrospectionRules, introspect: Introspect) {
    this.#rules = rules;
    this.#introspect = introspect;
    this.schemes = schemesOf([rules.binding]);
  }

  identify(caller: CallerIdentity): Client | Promise<Client> | null {
    const presented = presentedToken(caller);
    if (presented === null) return null;
    return challengedByScheme(presented.scheme, this.schemes, () =>
      this.#identify(presented, caller),
    );
  }

  #identify(presented: PresentedToken, caller: CallerIdentity): Client | Promise<Client> {
    const { token } = presented;
    const admit = ({ client }: Answer): Client | Promise<Client> => {
      if (client instanceof Refusal) throw client;
      return this.#rules.binding.verify(client, presented, caller);
    };
    const digest = createHash('sha256').update(token).digest('base64');
    const known = this.#active.get(digest) ?? this.#inactive.get(digest);
    if (known !== undefined && performance.now() < known.untilMillis) return admit(known);
    const { observer: request = null } = caller;
    let asking = this.#asking.get(digest);
    if (asking === undefined) {
      const observer = request?.call('', 'introspection') ?? null;
      const answer = this.#ask(token, digest, observer).finally(() => this.#asking.delete(digest));
      asking = { answer, observer };
      this.#asking.set(digest, asking);
    } else {
      asking.observer?.serve(request);
    }
    return asking.answer.then(admit);
  }

  /** Withholds every token: only introspection tells which ones are for the gateway. */
  withhold(head: Head): void {
    withholdToken(head, () => (this.#rules.forward ? 'backends too' : 'gateway'));
  }

  async #ask(
    token: string,
    digest: string,
    observer: observing.CallObserver | null,
  ): Promise<Answer> {
    const claims = await this.#introspect(token, observer).catch((caught: unknown) => {
      throw unanswered(caught);
    });
    const client =
      claims === null ? tokenRefusal('token is not active') : this.#clientOf(token, claims);
    const answer = { client, untilMillis: performance.now() + this.#lifeMillis(client) };
    const [kept, other] =
      client instanceof Refusal ? [this.#inactive, this.#active] : [this.#active, this.#inactive];
    other.delete(digest);
    collections.setAndEvictOldest(kept, digest, answer, ANSWERS_MAX);
    return answer;
  }

  #lifeMillis(client: Client | Refusal): number {
    const { activeMillis, inactiveMillis } = this.#rules;
    if (client instanceof Refusal) return inactiveMillis;
    return client.expiresMillis === null
      ? activeMillis
      : Math.min(activeMillis, client.expiresMillis - Date.now());
  }

  #clientOf(token: string, claims: Readonly<Record<string, unknown>>): Client | Refusal {
    const { iss = '', aud, token_type: type } = claims;
    const exp = claims['exp'] ?? null;
    const { audience } = this.#rules;
    // A proof that the gateway cannot check must not be waived (RFC 9449 section 7.1).
    if (typeof type === 'string' && !isOfKnownType(type, claims['cnf'])) {
      return tokenRefusal('token is of another type');
    }
    if (audience !== null && ![aud].flat().includes(audience)) {
      return tokenRefusal('token: aud is another');
    }
    if (typeof iss !== 'string' || /\s/.test(iss)) return tokenRefusal('token: iss is no name');
    // A text, or a number that is none, would otherwise be a token that never ends (RFC 7519
    // section 4.1.4).
    if (exp !== null && typeof exp !== 'number') return tokenRefusal('token: exp is no number');
    if (exp !== null && exp * 1000 <= Date.now()) return tokenRefusal('token is expired');
    const lifetime = {
      expiresMillis: exp === null ? null : exp * 1000,
      recheckMillis: Date.now() + this.#rules.activeMillis,
    };
    try {
      return tokenClient('introspection', iss, { token, claims }, this.#rules, lifetime);
    } catch (caught) {
      return asRefusal(caught);
    }
  }
}

/** A token of the type DPoP has to be bound to a key. */
const isOfKnownType = (type: string, confirmation: unknown): boolean =>
  /^bearer$/i.test(type) ||
  (/^dpop$/i.test(type) && isRecord(confirmation) && confirmation['jkt'] !== undefined);

/** Not the fault of the client, which must not take its token for a bad one. */
function unanswered(caught: unknown): Refusal {
  const reason =
    caught instanceof Refusal ? caught.code : caught instanceof Error ? caught.name : 'unknown';
  return new Refusal('CREDENTIALS_UNVERIFIED', `introspection: ${reason}`, { retryAfter: '1' });
}
