import type { CallToAuthorize, Credentials, Fields } from './credentials.js';
import type { LoginSession } from './login-session.js';

/** The token of a login session in a header field of every call, renewed on status 401. */
export class LoginCredentials implements Credentials {
  readonly #login: LoginSession;
  readonly #field: string;
  readonly #prefix: string;

  /** `prefix` is written before the token. */
  constructor(login: LoginSession, field: string, prefix: string) {
    this.#login = login;
    this.#field = field;
    this.#prefix = prefix;
  }

  fields({ refused, observer, operation }: CallToAuthorize): Fields | Promise<Fields> {
    const token =
      refused === null
        ? this.#login.token(observer)
        : this.#login.renew(this.#tokenOf(refused.fields), operation, observer);
    return token instanceof Promise ? token.then((each) => this.#fieldsOf(each)) : this.#fieldsOf(token);
  }

  canRenew(refused: Fields, operation: string): boolean {
    return this.#login.canRenew(this.#tokenOf(refused), operation);
  }

  accepted(fields: Fields, operation: string, isRepeated: boolean): void {
    this.#login.accepted(this.#tokenOf(fields), operation, isRepeated);
  }

  #fieldsOf(token: string): Fields {
    return [this.#field, this.#prefix + token];
  }

  #tokenOf([, value = '']: Fields): string {
    return value.slice(this.#prefix.length);
  }
}
