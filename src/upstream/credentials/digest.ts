import { createHash, randomBytes } from 'node:crypto';
import { Refusal } from '../../core/index.js';
import type { ReplyHead } from '../reply.js';
import { type Challenge, readChallenges } from './challenges.js';
import type { CallToAuthorize, Credentials, Fields } from './credentials.js';

/** Algorithms of RFC 7616 by their names in a challenge, the strongest first. */
const ALGORITHMS: ReadonlyMap<string, string> = new Map([
  ['sha-512-256', 'sha512-256'],
  ['sha-256', 'sha256'],
  ['md5', 'md5'],
]);

interface Session {
  readonly realm: string;
  readonly nonce: string;
  readonly opaque: string | null;
  /** As the challenge writes it; null where it names none, which means MD5. */
  readonly algorithm: string | null;
  readonly hash: (text: string) => string;
  readonly isSession: boolean;
  /** False for servers of RFC 2069. */
  readonly hasQop: boolean;
  readonly hidesUser: boolean;
  /** Requests with this nonce. */
  count: number;
}

/**
 * HTTP Digest (RFC 7616) with `qop=auth`. The nonce of the last challenge serves until the service
 * wants another.
 */
export class Digest implements Credentials {
  readonly #username: string;
  readonly #password: string;
  #session: Session | null = null;

  constructor(username: string, password: string) {
    this.#username = username;
    this.#password = password;
  }

  fields(call: CallToAuthorize): Fields | Promise<Fields> {
    if (call.refused !== null) {
      this.#take(call.refused.head);
    }
    // A body that is sent while it comes in cannot be sent again after the challenge.
    else if (call.isUpload && this.#session === null) {
      return this.#challenged(call);
    }
    const session = this.#session;
    return session === null ? NONE : ['authorization', this.#authorization(session, call)];
  }

  async #challenged(call: CallToAuthorize): Promise<Fields> {
    const head = await call.probe();
    if (head.status !== 401) return NONE;
    this.#take(head);
    return this.#session === null
      ? NONE
      : ['authorization', this.#authorization(this.#session, call)];
  }

  /** Throws `UPSTREAM_AUTH` where there is no challenge that can be met. */
  #take(head: ReplyHead): void {
    const sessions = readChallenges(head.headers('www-authenticate')).flatMap(
      (challenge) => sessionOf(challenge) ?? [],
    );
    const ranked = [...ALGORITHMS.values()].flatMap((name) =>
      sessions.filter(({ name: own }) => own === name),
    );
    const [best] = ranked;
    if (best === undefined) throw new Refusal('UPSTREAM_AUTH', 'no Digest challenge that is known');
    this.#session = best.session;
  }

  #authorization(session: Session, { method, target }: CallToAuthorize): string {
    const { realm, nonce, opaque, algorithm, hash, isSession, hasQop, hidesUser } = session;
    const count = (++session.count).toString(16).padStart(8, '0');
    const cnonce = randomBytes(16).toString('base64url');
    const user = `${this.#username}:${realm}:${this.#password}`;
    const secret = isSession ? hash(`${hash(user)}:${nonce}:${cnonce}`) : hash(user);
    const request = hash(`${method}:${target}`);
    const response = hasQop
      ? hash(`${secret}:${nonce}:${count}:${cnonce}:auth:${request}`)
      : hash(`${secret}:${nonce}:${request}`);
    const username = hidesUser ? hash(`${this.#username}:${realm}`) : this.#username;
    return [
      `Digest username=${quoted(username)}`,
      `realm=${quoted(realm)}`,
      `nonce=${quoted(nonce)}`,
      `uri=${quoted(target)}`,
      `response="${response}"`,
      ...(algorithm === null ? [] : [`algorithm=${algorithm}`]),
      ...(hasQop
        ? ['qop=auth', `nc=${count}`, `cnonce="${cnonce}"`]
        : isSession
          ? [`cnonce="${cnonce}"`]
          : []),
      ...(opaque === null ? [] : [`opaque=${quoted(opaque)}`]),
      ...(hidesUser ? ['userhash=true'] : []),
    ].join(', ');
  }
}

const NONE: Fields = [];

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

/**
 * Null for a challenge of another scheme, of an algorithm that is not known, or that wants the body
 * signed.
 */
function sessionOf({
  scheme,
  parameters,
}: Challenge): { readonly name: string; readonly session: Session } | null {
  if (scheme !== 'digest') return null;
  const nonce = parameters.get('nonce');
  const algorithm = parameters.get('algorithm') ?? null;
  const written = (algorithm ?? 'md5').toLowerCase();
  const isSession = written.endsWith('-sess');
  const name = ALGORITHMS.get(isSession ? written.slice(0, -5) : written);
  const qop = parameters.get('qop');
  const hasQop = qop !== undefined;
  if (nonce === undefined || name === undefined) return null;
  if (hasQop && !qop.split(',').some((each) => each.trim().toLowerCase() === 'auth')) return null;
  const session = {
    realm: parameters.get('realm') ?? '',
    nonce,
    opaque: parameters.get('opaque') ?? null,
    algorithm,
    hash: (text: string) => createHash(name).update(text).digest('hex'),
    isSession,
    hasQop,
    hidesUser: parameters.get('userhash')?.toLowerCase() === 'true',
    count: 0,
  };
  return { name, session };
}
