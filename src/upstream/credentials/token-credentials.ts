import type { CallToAuthorize, Credentials, Fields } from './credentials.js';
import type { TokenSource } from './token-source.js';

/**
 * A shared token in a header field of every call, renewed on status 401. It closes its source where
 * it is told to.
 */
export class TokenCredentials implements Credentials {
  readonly #tokens: TokenSource;
  readonly #field: string;
  readonly #prefix: string;
  readonly #isOwner: boolean;

  /** `prefix` is written before the token. */
  constructor(tokens: TokenSource, field: string, prefix: string, isOwner = false) {
    this.#isOwner = isOwner;
    this.#tokens = tokens;
    this.#field = field;
    this.#prefix = prefix;
  }

  fields({ refused, observer, operation }: CallToAuthorize): Fields | Promise<Fields> {
    const token =
      refused === null
        ? this.#tokens.token(observer)
        : this.#tokens.renew(this.#tokenOf(refused.fields), operation, observer);
    return token instanceof Promise
      ? token.then((each) => this.#fieldsOf(each))
      : this.#fieldsOf(token);
  }

  canRenew(refused: Fields, operation: string): boolean {
    return this.#tokens.canRenew(this.#tokenOf(refused), operation);
  }

  accepted(fields: Fields, operation: string, isRepeated: boolean): void {
    this.#tokens.accepted(this.#tokenOf(fields), operation, isRepeated);
  }

  async close(): Promise<void> {
    if (this.#isOwner) {
      await this.#tokens.close();
    }
  }

  #fieldsOf(token: string): Fields {
    return [this.#field, this.#prefix + token];
  }

  #tokenOf([, value = '']: Fields): string {
    return value.slice(this.#prefix.length);
  }
}
