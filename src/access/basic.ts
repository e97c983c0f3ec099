import { Buffer } from 'node:buffer';
import { createHmac, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import { setAndEvictOldest } from '../base/evict-oldest.js';
import { Refusal } from '../base/refusal.js';
import type { Identifier } from './access.js';
import { type Caller, type Client, type ClientClass, clientOf, type Head } from './client.js';
import { isPasswordOf, type PasswordHash } from './scrypt.js';

export interface BasicUser {
  readonly name: string;
  readonly rights: ClientClass;
  readonly password: PasswordHash;
}

/** Longer ones are not even decoded. */
const CREDENTIALS_CHARS_MAX = 1024;
/** Verified passwords that are remembered. */
const VERIFIED_MAX = 1024;
/** Verifications that run at once: libuv has four threads, which files and DNS need too. */
const RUNNING_MAX = 2;
/** Verifications that wait. Beyond, requests are refused: each takes 100 ms of a processor. */
const WAITING_MAX = 64;

/** The challenge of a 401 (RFC 7617 section 2). */
const CHALLENGE = 'Basic realm="soapstone", charset="UTF-8"';

/**
 * Identifies clients by HTTP Basic (RFC 7617). A password is verified by scrypt outside the event loop, once: after that
 * its keyed digest is remembered. An unknown user takes as long as a wrong password.
 */
export class BasicUsers implements Identifier {
  readonly challenge = CHALLENGE;
  readonly #users: ReadonlyMap<string, { readonly client: Client; readonly password: PasswordHash }>;
  readonly #decoy: PasswordHash | null;
  #digestKey = randomBytes(32);
  /** By digest of user and password. */
  readonly #verified = new Map<string, Client>();
  readonly #running = new Map<string, Promise<Client | null>>();
  readonly #waiting: (() => void)[] = [];
  #active = 0;

  constructor(users: readonly BasicUser[]) {
    this.#users = new Map(
      users.map(({ name, rights, password }) => {
        const id = `basic:${name}`;
        return [name, { client: Object.freeze(clientOf('basic', { id, name, label: id }, rights)), password }];
      }),
    );
    this.#decoy = users[0]?.password ?? null;
  }

  /**
   * Remembers what those before a reload had verified, of users whose hash is the same: a reload must not have all clients
   * verified again at once. Called before the first request.
   */
  keep(earlier: BasicUsers): void {
    this.#digestKey = earlier.#digestKey;
    for (const [digest, { name }] of earlier.#verified) {
      if (name === null) continue;
      const user = this.#users.get(name);
      if (user !== undefined && isDeepStrictEqual(user.password, earlier.#users.get(name)?.password))
        this.#verified.set(digest, user.client);
    }
  }

  identify({ headers }: Caller): Client | Promise<Client> | null {
    const field = headers['authorization'];
    if (typeof field !== 'string' || !SCHEME.test(field)) return null;
    if (field.length > CREDENTIALS_CHARS_MAX) throw unknown();
    const digest = createHmac('sha256', this.#digestKey).update(field.slice(SCHEME_CHARS).trim()).digest('base64');
    const known = this.#verified.get(digest);
    if (known !== undefined) return known;
    return this.#verifyOnce(field, digest);
  }

  withhold({ headers }: Head): void {
    const field = headers['authorization'];
    if (typeof field === 'string' && SCHEME.test(field)) delete headers['authorization'];
  }

  async #verifyOnce(field: string, digest: string): Promise<Client> {
    // Requests with the same credentials that come together are verified once.
    let running = this.#running.get(digest);
    if (running === undefined) {
      if (this.#waiting.length >= WAITING_MAX) throw new Refusal('OVERLOADED', 'verifications of passwords');
      running = this.#verify(field).finally(() => this.#running.delete(digest));
      this.#running.set(digest, running);
    }
    const client = await running;
    if (client === null) throw unknown();
    setAndEvictOldest(this.#verified, digest, client, VERIFIED_MAX);
    return client;
  }

  /** Null for an unknown user and for a wrong password, after the same work. */
  async #verify(field: string): Promise<Client | null> {
    const text = Buffer.from(field.slice(SCHEME_CHARS).trim(), 'base64').toString('utf8');
    const colon = text.indexOf(':');
    const user = colon < 0 || CONTROL.test(text) ? undefined : this.#users.get(text.slice(0, colon));
    const expected = user?.password ?? this.#decoy;
    if (expected === null) return null;
    await this.#acquire();
    try {
      const isSame = await isPasswordOf(text.slice(colon + 1), expected);
      return isSame && user !== undefined ? user.client : null;
    } finally {
      this.#release();
    }
  }

  async #acquire(): Promise<void> {
    if (this.#active < RUNNING_MAX) this.#active++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Passes the permit on, if another verification waits. */
  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#active--;
    else next();
  }
}

/** A tab stands for the blank with some servers: such a field must not go on to one. */
const SCHEME = /^Basic[ \t]/i;
const SCHEME_CHARS = 6;

/** Not allowed by RFC 7617 section 2; scrypt takes a NUL at the end of a password for nothing. */
const CONTROL = /\p{Cc}/u;

const unknown = (): Refusal => new Refusal('UNAUTHENTICATED', 'user or password', { challenge: CHALLENGE });
