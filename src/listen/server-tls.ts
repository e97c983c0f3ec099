import { constants } from 'node:crypto';
import {
  createSecureContext,
  createServer,
  type SecureContext,
  type SecureContextOptions,
  type Server,
  type TLSSocket,
} from 'node:tls';
import { TimeSlices, tlsCertificates } from '../core/index.js';
import { currentText, type RotatingText } from '../gateway/rotating-text.js';
import { x509 } from '../wss/index.js';
import { ClientVerification } from './client-verification.js';
import type { HandshakeFailure } from './handshake-failure.js';
import { certificateOf, verifyClientCertificate, withdrawCertificate } from './peer-certificate.js';
import type { TicketKeys } from './ticket-keys.js';
import type { TlsEnd } from './tls-ends.js';

/**
 * When the first revocation list of a PEM file is due to be replaced (`nextUpdate`); null where
 * none says so.
 */
export const listEndMillis = tlsCertificates.firstEnd('X509 CRL', x509.nextUpdate);

/** A certificate with its chain, and its key. */
export interface RotatingIdentity {
  readonly cert: RotatingText;
  readonly key: RotatingText;
}

export interface ServerTlsOptions extends RotatingIdentity {
  /** The certificates for other server names, in lower case; `*.` stands for one label. */
  readonly names: ReadonlyMap<string, RotatingIdentity>;
  readonly minVersion: '1.2' | '1.3';
  /** In the notation of OpenSSL; null for the default. */
  readonly ciphers: string | null;
  readonly clientCertificate: 'none' | 'optional' | 'required';
  readonly clientCa: RotatingText | null;
  /**
   * Certificate revocation lists (RFC 5280) of all authorities in the chains of clients; null: none
   * are checked.
   */
  readonly clientCrl: RotatingText | null;
}

/**
 * Forward secrecy and authenticated encryption only: the "intermediate" list of Mozilla without
 * finite-field DHE.
 */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** How often files are read again while connections with client certificates are open. */
const READ_MILLIS = 5_000;

/**
 * The TLS of one listener. Files that rotate are read again before a handshake, and while
 * connections are open that have a client certificate: these are verified again when the
 * authorities or revocation lists have changed.
 */
export class ServerTls {
  readonly #options: ServerTlsOptions;
  readonly #texts: readonly RotatingText[];
  #contents: readonly string[];
  #contexts: Contexts;
  /** That of the ticket key in use. */
  #period = -1;
  /** Connections whose clients have shown a certificate. */
  readonly #certified = new Set<TLSSocket>();
  #withdrawn: TlsHandlers['withdrawn'] = () => {};
  #handshakeMillis = 0;
  #timer: NodeJS.Timeout | null = null;

  /** Throws the error of OpenSSL. */
  constructor(options: ServerTlsOptions) {
    this.#options = options;
    const identities = [options, ...options.names.values()].flatMap(({ cert, key }) => [cert, key]);
    this.#texts = [
      ...identities,
      ...[options.clientCa, options.clientCrl].flatMap((text) => text ?? []),
    ];
    this.#contents = this.#texts.map(({ text }) => text);
    this.#contexts = contextsOf(options, (text) => text.text);
  }

  /** When its certificates, authorities and revocation lists end, as the files have them. */
  get ends(): readonly TlsEnd[] {
    const { cert, names, clientCa, clientCrl } = this.#options;
    const certificates = [
      [null, cert] as const,
      ...[...names].map(([name, of]) => [name, of.cert] as const),
    ];
    const endOf = (kind: TlsEnd['kind'], name: string | null, text: RotatingText): TlsEnd => {
      const pem = currentText(text);
      return {
        kind,
        name,
        millis:
          kind === 'clientCrl' ? listEndMillis(pem) : tlsCertificates.certificateEndMillis(pem),
      };
    };
    return [
      ...certificates.map(([name, text]) => endOf('certificate', name, text)),
      ...(clientCa === null ? [] : [endOf('clientCa', null, clientCa)]),
      ...(clientCrl === null ? [] : [endOf('clientCrl', null, clientCrl)]),
    ];
  }

  /** Makes the server that does the handshakes. */
  makeServer(handshakeMillis: number, { secured, failed, withdrawn }: TlsHandlers): Server {
    const { clientCertificate } = this.#options;
    this.#withdrawn = withdrawn;
    this.#handshakeMillis = handshakeMillis;
    const server = createServer({
      ...this.#contexts.options,
      ALPNProtocols: ['http/1.1'],
      SNICallback: (name, done) => done(null, this.#contextFor(name)),
      handshakeTimeout: handshakeMillis,
      requestCert: clientCertificate !== 'none',
      // `optional` is verified after the handshake: a client without a certificate may come in.
      rejectUnauthorized: clientCertificate === 'required',
    });
    server.on('secureConnection', (socket) => {
      if (verifyClientCertificate(socket)) {
        if (certificateOf(socket) !== null) {
          this.#keep(server, socket);
        }
        secured(socket);
      } else {
        failed(socket, { reason: 'certificate_refused', code: codeOf(socket.authorizationError) });
        socket.destroy();
      }
    });
    // The socket of such an error is closed already.
    server.on('tlsClientError', (error, socket) => {
      const refusal: unknown = socket.authorizationError;
      const isRefused = refusal !== undefined && refusal !== null;
      failed(socket, isRefused ? { reason: 'certificate_refused', code: codeOf(refusal) } : error);
    });
    return server;
  }

  /**
   * Uses rotated files and the latest ticket key in `server` from now on. Files are read once in a
   * second at most.
   */
  async refresh(server: Server, tickets: TicketKeys): Promise<void> {
    if (this.#texts.some(({ file }) => file !== null)) {
      await this.#readFiles(server);
    }
    const period = tickets.period();
    if (period === this.#period) return;
    this.#period = period;
    server.setTicketKeys(tickets.keyFor(this.#rules));
  }

  /** Reads the files now, and withdraws what they no longer accept. */
  async reread(server: Server): Promise<void> {
    await Promise.all(this.#texts.map(({ file }) => file?.refresh()));
    await this.#readFiles(server);
  }

  async #readFiles(server: Server): Promise<void> {
    const contents = await Promise.all(this.#texts.map(({ text, file }) => file?.latest() ?? text));
    if (contents.every((content, index) => content === this.#contents[index])) return;
    const latest = new Map(this.#texts.map((text, index) => [text, contents[index] ?? text.text]));
    const { clientCa, clientCrl } = this.#options;
    const before = [this.#contentOf(clientCa), this.#contentOf(clientCrl)];
    try {
      this.#contexts = contextsOf(this.#options, (text) => latest.get(text) ?? text.text);
      this.#contents = contents;
      server.setSecureContext(this.#contexts.options);
      // Sessions do not outlive what verified them: a certificate may be revoked.
      this.#period = -1;
    } catch {
      // A certificate is written before its key, or after it: until both are there the earlier ones
      // stay in use.
      return;
    }
    const [authorities = null, lists = null] = [clientCa, clientCrl].map((text) =>
      this.#contentOf(text),
    );
    if (authorities === null || (authorities === before[0] && lists === before[1])) return;
    const verification = new ClientVerification(authorities, lists);
    void this.#verifyAgain(verification);
    // Handshakes that had begun may end by what was there before.
    setTimeout(() => void this.#verifyAgain(verification), this.#handshakeMillis).unref();
  }

  /** The text as it is in use; null without one. */
  #contentOf(text: RotatingText | null): string | null {
    return text === null ? null : (this.#contents[this.#texts.indexOf(text)] ?? text.text);
  }

  /** Reads the files regularly while a connection with a certificate is open. */
  #keep(server: Server, socket: TLSSocket): void {
    this.#certified.add(socket);
    if (this.#timer === null && this.#texts.some(({ file }) => file !== null)) {
      this.#timer = setInterval(() => void this.#readFiles(server), READ_MILLIS).unref();
    }
    socket.once('close', () => {
      this.#certified.delete(socket);
      if (this.#certified.size > 0 || this.#timer === null) return;
      clearInterval(this.#timer);
      this.#timer = null;
    });
  }

  /** In time slices: each certificate takes a signature. */
  async #verifyAgain(verification: ClientVerification): Promise<void> {
    const slices = new TimeSlices();
    const contents = this.#contents;
    const withdrawn: TLSSocket[] = [];
    for (const socket of this.#certified) {
      await slices.pause();
      // A later change verifies all of them.
      if (contents !== this.#contents) break;
      if (verification.accepts(socket)) continue;
      withdrawCertificate(socket);
      withdrawn.push(socket);
    }
    if (withdrawn.length > 0) {
      this.#withdrawn(withdrawn);
    }
  }

  /** All that a session of this listener relies on: another listener may verify less. */
  get #rules(): string {
    const { minVersion, ciphers, clientCertificate, names } = this.#options;
    return JSON.stringify([
      minVersion,
      ciphers,
      clientCertificate,
      [...names.keys()],
      this.#contents,
    ]);
  }

  /** Undefined for the certificate of the listener itself. */
  #contextFor(name: string): SecureContext | undefined {
    const { byName } = this.#contexts;
    if (byName.size === 0) return undefined;
    const lower = name.toLowerCase();
    const dot = lower.indexOf('.');
    return byName.get(lower) ?? (dot < 0 ? undefined : byName.get(`*${lower.slice(dot)}`));
  }
}

interface Contexts {
  /** The options for clients that name no other server. */
  readonly options: SecureContextOptions;
  readonly byName: ReadonlyMap<string, SecureContext>;
}

/** Throws the error of OpenSSL. */
function contextsOf(
  options: ServerTlsOptions,
  contentOf: (text: RotatingText) => string,
): Contexts {
  const { minVersion, ciphers, clientCa, clientCrl, names } = options;
  const common: SecureContextOptions = {
    minVersion: `TLSv${minVersion}`,
    ciphers: ciphers ?? CIPHERS,
    // A renegotiation costs the server more than the client, and no client of HTTP needs one.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    ...(clientCa !== null && { ca: contentOf(clientCa) }),
    // OpenSSL reads one list at a time.
    ...(clientCrl !== null && { crl: [...x509.listsIn(contentOf(clientCrl))] }),
  };
  const ofIdentity = ({ cert, key }: RotatingIdentity): SecureContextOptions => ({
    ...common,
    cert: contentOf(cert),
    key: contentOf(key),
  });
  const own = ofIdentity(options);
  createSecureContext(own);
  const byName = new Map(
    [...names].map(([name, identity]) => [name, createSecureContext(ofIdentity(identity))]),
  );
  return { options: own, byName };
}

/** What becomes of the connections of a listener. */
export interface TlsHandlers {
  /** The handshake is done. */
  readonly secured: (socket: TLSSocket) => void;
  /** It failed: the certificate of the client was not accepted, or another error. */
  readonly failed: (socket: TLSSocket, why: HandshakeFailure | Error) => void;
  /** The certificates of these connections are no longer accepted. */
  readonly withdrawn: (sockets: readonly TLSSocket[]) => void;
}

/** The documentation has an `Error`, and Node sets its code. */
const codeOf = (reason: unknown): string =>
  reason instanceof Error ? reason.name : String(reason);
