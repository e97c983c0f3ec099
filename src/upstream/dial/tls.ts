import { Buffer } from 'node:buffer';
import { type ConnectionOptions, createSecureContext, type SecureContext } from 'node:tls';
import { errorCode, type inputFiles, tlsCertificates } from '../../core/index.js';

/** The parts of TLS options that may be in files of their own. */
export const TLS_PARTS = ['ca', 'cert', 'key', 'pfx'] as const;
export type TlsPart = (typeof TLS_PARTS)[number];

/** How a backend is trusted, and how the gateway identifies itself. */
export interface TlsOptions {
  /** PEM; `pfx` in base64. */
  readonly parts: Readonly<Partial<Record<TlsPart, string>>>;
  readonly passphrase: string | null;
  /** Sent as server name and expected in the certificate; null: the host of the address. */
  readonly servername: string | null;
  readonly minVersion: '1.2' | '1.3';
  /** `chain`: its name may be another; `unsafe:none`: any certificate. */
  readonly verify: 'full' | 'chain' | 'unsafe:none';
}

/** As Node takes them. */
export type TlsConnectionOptions = Pick<
  ConnectionOptions,
  'secureContext' | 'rejectUnauthorized' | 'servername' | 'checkServerIdentity'
>;

/** The TLS options of one service. Files that rotate are read again before a connection is made. */
export class TlsMaterial {
  readonly #options: TlsOptions;
  readonly #files: Readonly<Partial<Record<TlsPart, inputFiles.RotatingFile>>>;
  #connection: TlsConnectionOptions;
  #parts: TlsOptions['parts'];

  /** Throws what OpenSSL finds wrong. */
  constructor(options: TlsOptions, files: Partial<Record<TlsPart, inputFiles.RotatingFile>>) {
    this.#options = options;
    this.#files = files;
    this.#parts = options.parts;
    this.#connection = connectionOptions(options, contextOf(options));
  }

  /** With the latest content of the files, for another thread. */
  get options(): TlsOptions {
    return { ...this.#options, parts: this.#parts };
  }

  /** The options of the next connection. The same object as long as nothing has changed. */
  get connection(): TlsConnectionOptions {
    return this.#connection;
  }

  /**
   * When the certificate of the gateway, or the authority that expires first, ends; null without
   * either.
   */
  get expiresMillis(): number | null {
    const { cert, ca } = this.#parts;
    return tlsCertificates.earliest(
      [cert, ca].map((pem) =>
        pem === undefined ? null : tlsCertificates.certificateEndMillis(pem),
      ),
    );
  }

  /** Takes over what has rotated. */
  async refresh(): Promise<void> {
    const parts: Partial<Record<TlsPart, string>> = { ...this.#parts };
    for (const part of TLS_PARTS) {
      const content = await this.#files[part]?.latest();
      if (content !== undefined) {
        parts[part] = content;
      }
    }
    if (TLS_PARTS.every((part) => parts[part] === this.#parts[part])) return;
    try {
      const options = { ...this.#options, parts };
      this.#connection = connectionOptions(options, contextOf(options));
      this.#parts = parts;
    } catch {
      // A certificate is written before its key, or after it: until both are there the earlier ones
      // stay in use.
    }
  }
}

function contextOf({ parts, passphrase, minVersion }: TlsOptions): SecureContext {
  const { ca, cert, key, pfx } = parts;
  return createSecureContext({
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(pfx !== undefined && { pfx: Buffer.from(pfx, 'base64') }),
    ...(passphrase !== null && { passphrase }),
    minVersion: `TLSv${minVersion}`,
  });
}

function connectionOptions(
  { servername, verify }: TlsOptions,
  secureContext: SecureContext,
): TlsConnectionOptions {
  return {
    secureContext,
    rejectUnauthorized: verify !== 'unsafe:none',
    ...(servername !== null && { servername }),
    checkServerIdentity: verify === 'full' ? tlsCertificates.checkServerIdentity : () => undefined,
  };
}

/** The code of OpenSSL, without what it was made from. */
export const tlsReason = (error: unknown): string => errorCode(error) ?? 'not readable';
