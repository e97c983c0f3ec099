import type { ReplyHead } from '../reply.js';
import type { CallToAuthorize, Credentials, Fields } from './credentials.js';
import { asksForNonce, type DpopKey } from './dpop-key.js';
import type { TokenSource } from './token-source.js';

const SCHEME = 'DPoP ';

/** A token that is bound to a key, with a proof of it in each call (RFC 9449 section 7). */
export class DpopCredentials implements Credentials {
  readonly #tokens: TokenSource;
  readonly #key: DpopKey;
  readonly #origin: string;

  /** `origin`: that of the service. It closes `tokens`. */
  constructor(tokens: TokenSource, key: DpopKey, origin: string) {
    this.#tokens = tokens;
    this.#key = key;
    this.#origin = origin;
  }

  fields(call: CallToAuthorize): Fields | Promise<Fields> {
    const { refused, observer, operation } = call;
    const token =
      refused === null || this.#learnAsked(refused.head)
        ? this.#tokens.token(observer)
        : this.#tokens.renew(tokenIn(refused.fields), operation, observer);
    return token instanceof Promise
      ? token.then((each) => this.#fieldsOf(call, each))
      : this.#fieldsOf(call, token);
  }

  canRenew(refused: Fields, operation: string, head?: ReplyHead): boolean {
    if (head !== undefined && asksForNonce(head)) return true;
    return this.#tokens.canRenew(tokenIn(refused), operation);
  }

  accepted(fields: Fields, operation: string, isRepeated: boolean, head?: ReplyHead): void {
    this.#key.learn(this.#origin, head?.header('dpop-nonce') ?? null);
    this.#tokens.accepted(tokenIn(fields), operation, isRepeated);
  }

  close(): Promise<void> {
    return this.#tokens.close();
  }

  #learnAsked(head: ReplyHead): boolean {
    this.#key.learn(this.#origin, head.header('dpop-nonce'));
    return asksForNonce(head);
  }

  #fieldsOf({ method, target }: CallToAuthorize, token: string): Fields {
    const proof = this.#key.prove(method, this.#origin + target, token);
    return ['authorization', SCHEME + token, 'dpop', proof];
  }
}

const tokenIn = ([, value = '']: Fields): string => value.slice(SCHEME.length);
