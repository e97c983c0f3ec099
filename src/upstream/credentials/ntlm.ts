import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { Refusal } from '../../core/index.js';
import type { Challenge } from './challenges.js';
import type { CallToAuthorize, Credentials, Fields } from './credentials.js';
import type { ConnectionAuthentication, Handshake } from './handshake.js';
import { channelBindingsOf } from './ntlm/channel-bindings.js';
import {
  authenticateMessage,
  type NtlmAccount,
  negotiateMessage,
  readChallengeMessage,
} from './ntlm/messages.js';

/**
 * After a refusal one handshake is begun in this time until one is accepted: failed logons lock
 * accounts.
 */
const REFUSED_REST_MILLIS = 10_000;

const NO_FIELDS: Fields = [];

export interface NtlmOptions {
  /** `user`, `DOMAIN\user` or `user@domain`. */
  readonly username: string;
  readonly domain: string | null;
  /** Read for each handshake: it may rotate. */
  readonly password: () => string;
}

/** NTLM, version 2 ([MS-NLMP]) over HTTP ([MS-NTHT]): authenticates connections. */
export class Ntlm implements Credentials, ConnectionAuthentication {
  readonly #user: string;
  readonly #domain: string;
  readonly #password: () => string;
  /** Servers that offer Negotiate alone take the same messages by that name. */
  #scheme: 'NTLM' | 'Negotiate' = 'NTLM';
  /** A handshake was refused, and none accepted since. */
  #isDoubtful = false;
  #restUntilMillis = 0;

  constructor({ username, domain, password }: NtlmOptions) {
    const slash = domain === null ? username.indexOf('\\') : -1;
    this.#user = username.slice(slash + 1);
    this.#domain = domain ?? username.slice(0, Math.max(0, slash));
    this.#password = password;
  }

  /** None: a call that was refused is made once more, and its connection is authenticated anew. */
  fields(_call: CallToAuthorize): Fields {
    return NO_FIELDS;
  }

  begin(hostname: string): Handshake {
    if (this.#isDoubtful) {
      const nowMillis = performance.now();
      if (nowMillis < this.#restUntilMillis) {
        throw new Refusal('UPSTREAM_AUTH', 'refused a moment ago');
      }
      this.#restUntilMillis = nowMillis + REFUSED_REST_MILLIS;
    }
    const negotiate = negotiateMessage();
    const scheme = this.#scheme;
    return {
      first: `${scheme} ${negotiate.toString('base64')}`,
      answer: (challenges, socket) => this.#answer(scheme, negotiate, challenges, hostname, socket),
    };
  }

  ended(isAccepted: boolean): void {
    this.#isDoubtful = !isAccepted;
    this.#restUntilMillis = performance.now() + REFUSED_REST_MILLIS;
  }

  #answer(
    scheme: string,
    negotiate: Buffer,
    challenges: readonly Challenge[],
    hostname: string,
    socket: Socket,
  ): string | null {
    const token = challenges.find(
      (each) => each.scheme === scheme.toLowerCase() && each.token !== '',
    )?.token;
    if (token === undefined) {
      if (scheme === 'NTLM' && challenges.some((each) => each.scheme === 'negotiate')) {
        this.#scheme = 'Negotiate';
        return null;
      }
      throw new Refusal('UPSTREAM_AUTH', 'no challenge of NTLM');
    }
    const message = authenticateMessage(
      this.#account,
      negotiate,
      readChallengeMessage(Buffer.from(token, 'base64')),
      { name: `HTTP/${hostname}`, channelBindings: channelBindingsOf(socket) },
      { clientChallenge: randomBytes(8), time: fileTime(Date.now()) },
    );
    return `${scheme} ${message.toString('base64')}`;
  }

  get #account(): NtlmAccount {
    return { user: this.#user, domain: this.#domain, password: this.#password() };
  }
}

/** Milliseconds between 1601 and 1970. */
const EPOCH_MILLIS = 11_644_473_600_000;

function fileTime(millis: number): Buffer {
  const time = Buffer.alloc(8);
  time.writeBigUInt64LE((BigInt(millis) + BigInt(EPOCH_MILLIS)) * 10_000n);
  return time;
}
