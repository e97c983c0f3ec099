import { ConfigurationError, printDiagnostic } from '../../base/diagnostic.js';
import { MIB } from '../../base/limit.js';
import { routeTo } from '../../upstream/dial/dial.js';
import { TlsMaterial, type TlsOptions } from '../../upstream/dial/tls.js';
import { type FetchedDocument, fetchDocument } from '../../upstream/fetch-document.js';
import type { Severity } from '../../wsdl/compare/change.js';
import { compareWsdls } from '../../wsdl/compare/compare.js';
import { readWsdl } from '../../wsdl/read.js';

/** Two WSDLs to be compared. */
export interface DriftTask {
  /** Path of the one that is served. */
  readonly file: string;
  /** Where the backend shows its own. */
  readonly url: string;
  /** It is at the host of the service: its documents come the way that calls go. */
  readonly isBackend?: boolean;
  /** For another host. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The proxy on the way, and TLS, as the service has them. */
  readonly proxy?: string | null;
  readonly tls?: TlsOptions | null;
}

/** Gets a document the way that the calls of a service go. */
export type FetchFromBackend = (url: string) => Promise<FetchedDocument>;

/** The result of one comparison. */
export type DriftReading =
  | { readonly kind: 'read'; readonly counts: Readonly<Record<Severity, number>>; readonly first: readonly string[] }
  | { readonly kind: 'failed'; readonly why: string };

const FETCH = { maxBytes: 32 * MIB, timeoutMillis: 30_000 } as const;
const SHOWN = 10;

/** Reads both and compares them. Addresses are left out: backends write there what they were called by. */
export async function readDrift(
  { file, url, isBackend = false, headers = {}, proxy = null, tls = null }: DriftTask,
  fetchFromBackend: FetchFromBackend | null = null,
): Promise<DriftReading> {
  const material = tls === null ? null : new TlsMaterial(tls, {});
  try {
    const served = await readWsdl(file, { fetch: null, root: null, hosts: [] });
    const shown = await readWsdl(url, {
      fetch: (at) =>
        isBackend && fetchFromBackend !== null && new URL(at).origin === new URL(url).origin
          ? fetchFromBackend(at)
          : fetchDocument(at, {
              ...FETCH,
              ...((proxy !== null || tls !== null) && { routeTo: (to) => routeTo(to, proxy, material) }),
              headersFor: ({ protocol }) => (protocol === new URL(url).protocol ? headers : {}),
            }),
      root: null,
      hosts: [],
    });
    const changes = compareWsdls(served, shown).changes.filter(({ isAddress }) => !isAddress);
    const count = (severity: Severity): number => changes.filter((change) => change.severity === severity).length;
    return {
      kind: 'read',
      counts: { breaking: count('breaking'), dangerous: count('dangerous'), safe: count('safe') },
      first: changes.slice(0, SHOWN).map(({ severity, where, what }) => `${severity}: ${where} ${what}`),
    };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const [first] = error.diagnostics;
    return { kind: 'failed', why: first === undefined ? 'no reason given' : printDiagnostic(first) };
  }
}
