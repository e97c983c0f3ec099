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

  fields({ refused, trace }: CallToAuthorize): Fields | Promise<Fields> {
    const token = refused === null ? this.#login.token(trace) : this.#login.renew(this.#tokenOf(refused.fields), trace);
    return token instanceof Promise ? token.then((each) => this.#fieldsOf(each)) : this.#fieldsOf(token);
  }

  #fieldsOf(token: string): Fields {
    return [this.#field, this.#prefix + token];
  }

  #tokenOf([, value = '']: Fields): string {
    return value.slice(this.#prefix.length);
  }
}
