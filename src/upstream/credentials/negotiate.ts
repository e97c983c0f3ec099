import { errorCode, isRecord, Refusal } from '../../core/index.js';
import type { Credentials, Fields } from './credentials.js';

/**
 * Calls that wait for their ticket. Each is one at a time: the package works in the threads that
 * files are read in.
 */
const WAITING_MAX = 256;
/** The time for one, the answer of the KDC included. */
const TICKET_MILLIS = 10_000;

/** The part of the package `kerberos` that is used. */
export interface Kerberos {
  /** Resolves to a token in base64, for a principal `service@host`. */
  token(principal: string): Promise<string>;
}

/** Loads the optional package `kerberos`; a text where it cannot be used, which says why. */
export async function loadKerberos(): Promise<Kerberos | string> {
  // No dependency: compilers and bundlers must not look for it.
  const name: string = 'kerberos';
  try {
    const module: unknown = await import(name);
    return kerberosOf(module) ?? 'does not have the functions of `kerberos`';
  } catch (caught) {
    if (errorCode(caught) === 'ERR_MODULE_NOT_FOUND') return 'is not installed';
    // A library of the system that is missing, or another version of Node.
    return `cannot be loaded (${caught instanceof Error ? caught.message : 'unknown error'})`;
  }
}

/** The package, by the functions it must have; null where it has others. */
export function kerberosOf(module: unknown): Kerberos | null {
  const found = isRecord(module) && isRecord(module['default']) ? module['default'] : module;
  if (!isRecord(found) || typeof found['initializeClient'] !== 'function') return null;
  const { initializeClient, GSS_MECH_OID_SPNEGO: mechOID } = found;
  return {
    async token(principal) {
      const client: unknown = await initializeClient(
        principal,
        mechOID === undefined ? {} : { mechOID },
      );
      if (!isStepping(client)) throw new Error('not a client of Kerberos');
      const token: unknown = await client.step('');
      if (typeof token !== 'string' || !TOKEN.test(token)) throw new Error('no token of Kerberos');
      return token;
    },
  };
}

const TOKEN = /^[A-Za-z0-9+/]+={0,2}$/;

const isStepping = (client: unknown): client is { step(challenge: string): Promise<unknown> } =>
  typeof client === 'object' &&
  client !== null &&
  'step' in client &&
  typeof client.step === 'function';

/**
 * Kerberos by the scheme Negotiate (RFC 4559): every call has a ticket of its own. Backends that
 * authenticate the connection take that, too, and it is right on any connection.
 */
export class Negotiate implements Credentials {
  readonly #principal: string;
  readonly #kerberos: Kerberos;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** `principal`: of the backend, `service/host`. */
  constructor(principal: string, kerberos: Kerberos) {
    this.#principal = process.platform === 'win32' ? principal : principal.replace('/', '@');
    this.#kerberos = kerberos;
  }

  async fields(): Promise<Fields> {
    if (this.#waiting >= WAITING_MAX) {
      throw new Refusal('UPSTREAM_AUTH', 'too many calls wait for a ticket');
    }
    this.#waiting++;
    const own = this.#last.then(() => withinTime(this.#kerberos.token(this.#principal)));
    this.#last = own.catch(() => {});
    try {
      return ['authorization', `Negotiate ${await own}`];
    } catch (cause) {
      throw new Refusal('UPSTREAM_AUTH', 'no ticket of Kerberos', { cause });
    } finally {
      this.#waiting--;
    }
  }
}

async function withinTime(token: Promise<string>): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('late')), TICKET_MILLIS);
  });
  try {
    return await Promise.race([token, late]);
  } finally {
    clearTimeout(timer);
  }
}
