import { Buffer } from 'node:buffer';
import { createHmac, randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { isDeepStrictEqual } from 'node:util';
import { collections, invariant, Refusal } from '../../core/index.js';
import type { Identifier } from '../access.js';
import {
  type CallerIdentity,
  type Client,
  type ClientClass,
  clientOf,
  type Head,
} from '../client.js';
import { clientAddress, plainAddress, subscriberOf } from '../network/address.js';
import type { Networks } from '../network/networks.js';
import { FailureRate } from './failure-rate.js';
import { isPasswordOf, type PasswordHash, parsePasswordHash } from './password-hash.js';
import { VerificationQueue } from './verification-queue.js';

export interface BasicUser {
  readonly name: string;
  readonly rights: ClientClass;
  readonly password: PasswordHash;
}

/** A user with the hash of a password, whose form the table of keys has checked. */
export function basicUser(name: string, rights: ClientClass, hash: string): BasicUser {
  const password = parsePasswordHash(hash);
  invariant(password !== null, 'the schema has checked the hash');
  return { name, rights, password };
}

/** Longer ones are not even decoded. */
const CREDENTIALS_CHARS_MAX = 1024;
/** Verified passwords that are remembered. */
const VERIFIED_MAX = 1024;
/** Wrong credentials that are remembered: they are refused again without a verification. */
const REFUSED_MAX = 1024;

/**
 * Failures of one address, a burst and then one in a while: beyond, its passwords are refused
 * without a verification.
 */
const ADDRESS_FAILURES = { burst: 20, restoreMillis: 1_000 } as const;
/**
 * Failures of one address with one user, a burst and then one in a while. Failures of a user alone
 * are not counted: other clients could shut the user out from anywhere.
 */
const PAIR_FAILURES = { burst: 5, restoreMillis: 10_000 } as const;

/** The challenge of a 401 (RFC 7617 section 2). */
const CHALLENGE = 'Basic realm="soapstone", charset="UTF-8"';

/**
 * Identifies clients by HTTP Basic (RFC 7617). A password is verified by scrypt outside the event
 * loop, once: after that its keyed digest is remembered. An unknown user takes as long as a wrong
 * password.
 */
export class BasicUsers implements Identifier {
  readonly challenge = CHALLENGE;
  readonly #users: ReadonlyMap<
    string,
    { readonly client: Client; readonly password: PasswordHash }
  >;
  readonly #decoy: PasswordHash | null;
  readonly #proxies: Networks;
  #digestKey = randomBytes(32);
  /** The clients whose password was verified, by digest of user and password. */
  readonly #verified = new Map<string, Client>();
  readonly #refused = new Map<string, true>();
  /** The verifications in progress, by address and digest. */
  readonly #running = new Map<string, Promise<Client | null>>();
  #queue = new VerificationQueue();
  #failures: Failures = {
    addresses: new FailureRate(ADDRESS_FAILURES.burst, ADDRESS_FAILURES.restoreMillis),
    pairs: new FailureRate(PAIR_FAILURES.burst, PAIR_FAILURES.restoreMillis),
  };

  /** `proxies` are addresses of many clients: their own failures are not counted. */
  constructor(users: readonly BasicUser[], proxies: Networks) {
    this.#users = new Map(
      users.map(({ name, rights, password }) => {
        const id = `basic:${name}`;
        return [
          name,
          { client: Object.freeze(clientOf('basic', { id, name, label: id }, rights)), password },
        ];
      }),
    );
    this.#decoy = users[0]?.password ?? null;
    this.#proxies = proxies;
  }

  /**
   * Remembers what those before a reload had verified, of users whose hash is the same: a reload
   * must not have all clients verified again at once. Failures stay counted. Called before the
   * first request.
   */
  keep(earlier: BasicUsers): void {
    this.#digestKey = earlier.#digestKey;
    this.#queue = earlier.#queue;
    this.#failures = earlier.#failures;
    for (const [digest, { name }] of earlier.#verified) {
      if (name === null) continue;
      const user = this.#users.get(name);
      if (
        user !== undefined &&
        isDeepStrictEqual(user.password, earlier.#users.get(name)?.password)
      ) {
        this.#verified.set(digest, user.client);
      }
    }
  }

  identify(caller: CallerIdentity): Client | Promise<Client> | null {
    const field = caller.headers['authorization'];
    if (typeof field !== 'string' || !SCHEME.test(field)) return null;
    if (field.length > CREDENTIALS_CHARS_MAX) throw unknown();
    const credentials = field.slice(SCHEME_CHARS).trim();
    const digest = this.#digest(credentials);
    const known = this.#verified.get(digest);
    if (known !== undefined) return known;
    if (this.#refused.has(digest)) throw unknown();
    const address = plainAddress(clientAddress(caller, this.#proxies));
    return this.#verifyOnce(credentials, digest, address);
  }

  withhold({ headers }: Head): void {
    const field = headers['authorization'];
    if (typeof field === 'string' && SCHEME.test(field)) {
      delete headers['authorization'];
    }
  }

  async #verifyOnce(credentials: string, digest: string, address: string): Promise<Client> {
    // Requests of one address with the same credentials that come together are verified once.
    const key = `${subscriberOf(address)} ${digest}`;
    let running = this.#running.get(key);
    if (running === undefined) {
      running = this.#verify(credentials, address).finally(() => this.#running.delete(key));
      this.#running.set(key, running);
    }
    const client = await running;
    if (client === null) {
      collections.setAndEvictOldest(this.#refused, digest, true, REFUSED_MAX);
      throw unknown();
    }
    collections.setAndEvictOldest(this.#verified, digest, client, VERIFIED_MAX);
    return client;
  }

  /** Null for an unknown user and for a wrong password, after the same work. */
  async #verify(credentials: string, address: string): Promise<Client | null> {
    const text = Buffer.from(credentials, 'base64').toString('utf8');
    const colon = text.indexOf(':');
    const name = text.slice(0, Math.max(0, colon));
    const user = colon < 0 || CONTROL.test(text) ? undefined : this.#users.get(name);
    const expected = user?.password ?? this.#decoy;
    if (expected === null) return null;
    const subscriber = subscriberOf(address);
    const pair = this.#proxies.has(address) ? null : this.#digest(`${subscriber} ${name}`);
    if (pair !== null) {
      this.#refuseBeyondRate(subscriber, pair);
    }
    return this.#queue.run(subscriber, async () => {
      // Others of its address may have failed while it waited.
      if (pair !== null) {
        this.#refuseBeyondRate(subscriber, pair);
      }
      const isSame = await isPasswordOf(text.slice(colon + 1), expected);
      if (isSame && user !== undefined) {
        if (pair !== null) {
          this.#failures.pairs.forget(pair);
        }
        return user.client;
      }
      if (pair !== null) {
        const nowMillis = performance.now();
        this.#failures.addresses.add(subscriber, nowMillis);
        this.#failures.pairs.add(pair, nowMillis);
      }
      return null;
    });
  }

  #refuseBeyondRate(subscriber: string, pair: string): void {
    const nowMillis = performance.now();
    const { addresses, pairs } = this.#failures;
    const ofAddress = addresses.waitMillis(subscriber, nowMillis);
    const ofPair = pairs.waitMillis(pair, nowMillis);
    if (ofAddress === 0 && ofPair === 0) return;
    const retryAfter = String(Math.ceil(Math.max(ofAddress, ofPair) / 1000));
    const detail =
      ofAddress > 0 ? 'wrong passwords of an address' : 'wrong passwords of an address and user';
    throw new Refusal('RATE_LIMITED', detail, { retryAfter, text: TOO_MANY_WRONG });
  }

  #digest(text: string): string {
    return createHmac('sha256', this.#digestKey).update(text).digest('base64');
  }
}

/** Counts of failures that a reload keeps. */
interface Failures {
  /** The failures of an address, or of the first 64 bits of it. */
  readonly addresses: FailureRate;
  /** The failures of an address with one user, by digest of both. */
  readonly pairs: FailureRate;
}

const TOO_MANY_WRONG = 'Too many wrong passwords came from this address.';

/** A tab stands for the blank with some servers: such a field must not go on to one. */
const SCHEME = /^Basic[ \t]/i;
const SCHEME_CHARS = 6;

/** Not allowed by RFC 7617 section 2; scrypt takes a NUL at the end of a password for nothing. */
const CONTROL = /\p{Cc}/u;

const unknown = (): Refusal =>
  new Refusal('UNAUTHENTICATED', 'user or password', { challenge: CHALLENGE });
