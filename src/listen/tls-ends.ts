import { tlsCertificates } from '../core/index.js';

/** When something that the TLS of a listener relies on ends. */
export interface TlsEnd {
  /**
   * A certificate of the listener, or the first of its authorities or revocation lists for clients.
   */
  readonly kind: 'certificate' | 'clientCa' | 'clientCrl';
  /**
   * The server name of a certificate; null for that of all other names, and for the other kinds.
   */
  readonly name: string | null;
  /** Milliseconds since 1970; null where it does not say. */
  readonly millis: number | null;
}

/** The first of its ends. */
export interface FirstEnds {
  /** The first end of certificates and authorities; null without one. */
  readonly certificateMillis: number | null;
  /** The first end of revocation lists; null without one. */
  readonly listMillis: number | null;
}

export const firstEnds = (ends: readonly TlsEnd[]): FirstEnds => ({
  certificateMillis: tlsCertificates.earliest(
    ends.filter(({ kind }) => kind !== 'clientCrl').map(({ millis }) => millis),
  ),
  listMillis: tlsCertificates.earliest(
    ends.filter(({ kind }) => kind === 'clientCrl').map(({ millis }) => millis),
  ),
});

/** The addresses of callers and of operators. */
interface AllListeners {
  readonly traffic: readonly Secured[];
  readonly admin: readonly Secured[];
}

interface Secured {
  /** The address as configured. */
  readonly text: string;
  readonly tls: { readonly ends: readonly TlsEnd[] } | null;
}

/** Returns the first ends of each listener with TLS, with its address. */
export const listenerEnds = ({
  traffic,
  admin,
}: AllListeners): readonly (FirstEnds & { readonly address: string })[] =>
  [...traffic, ...admin].flatMap(({ text, tls }) =>
    tls === null ? [] : [{ address: text, ...firstEnds(tls.ends) }],
  );
