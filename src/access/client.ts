import type { observing, SubjectToken } from '../core/index.js';

/** What a decision point says about a caller: flat, and bounded. */
export type DecidedClaims = Readonly<Record<string, string | number | boolean>>;

/** The claims of a caller: those of a decision point never replace one of its token. */
export const claimsOf = ({
  claims,
  decided,
}: Pick<Client, 'claims' | 'decided'>): Client['claims'] =>
  decided === null ? claims : Object.assign(Object.create(null), decided, claims);

/** An identified client. It is also the `BudgetAccount` of its budget. */
export interface Client {
  /**
   * Unique over all clients, however they were identified. It may hold what callers chose (the
   * subject of a token): for logs, metrics and stores there are `label` and digests.
   */
  readonly id: string;
  readonly by:
    | 'apiKey'
    | 'basic'
    | 'jwt'
    | 'introspection'
    | 'certificate'
    | 'wsSecurity'
    | 'network'
    | 'address';
  /** The name the configuration gives this very client; null where it only knows the kind. */
  readonly name: string | null;
  /** For logs: its name or address, else the beginning of a digest. */
  readonly label: string;
  /** Credentials have identified it, not its address alone. */
  readonly isAuthenticated: boolean;
  readonly className: string;
  readonly rights: ClientClass;
  /** The budget of its class; null: unlimited. */
  readonly budget: ClientClass['budget'];
  /**
   * The claims of its token; null without one. Made by the issuer, so trusted, but of any size and
   * kind.
   */
  readonly claims: Readonly<Record<string, unknown>> | null;
  /**
   * The claims that a decision point has given to the operation that is under way; null without
   * any. `claimsOf` has both.
   */
  readonly decided: DecidedClaims | null;
  /** Those of its token (RFC 6749 section 3.3) and of its class. */
  readonly scopes: ReadonlySet<string>;
  /**
   * The token itself, which may be exchanged for one of a backend; null without one. Never logged.
   */
  readonly subjectToken: SubjectToken | null;
  /** When its token ends, milliseconds of the epoch; null: never. Long connections end then. */
  readonly expiresMillis: number | null;
  /**
   * When its credentials have to be verified again, milliseconds of the epoch; null: when the
   * configuration changes.
   */
  readonly recheckMillis: number | null;
  /**
   * The client of a message whose sender is verified; null for a client that is known already.
   * Throws `FORBIDDEN` for a sender that is no client.
   */
  readonly clientOfSender: ((sender: MessageSender) => Client) | null;
}

/** The sender that a message proves by WS-Security. */
export type MessageSender = {
  /**
   * The subject of the certificate (RFC 2253), the user of a UsernameToken, or the subject of an
   * assertion.
   */
  readonly name: string;
  /** The attributes of an assertion. */
  readonly attributes: ReadonlyMap<string, readonly string[]>;
} & ({ readonly by: 'certificate' | 'user' } | { readonly by: 'saml'; readonly issuer: string });

/** A client of this class; `token` where a token identifies it. */
export const clientOf = (
  by: Client['by'],
  { id, name, label }: Pick<Client, 'id' | 'name' | 'label'>,
  rights: ClientClass,
  token: Pick<
    Client,
    'claims' | 'scopes' | 'subjectToken' | 'expiresMillis' | 'recheckMillis'
  > = NO_TOKEN,
): Client => ({
  id,
  by,
  name,
  label,
  isAuthenticated: by !== 'address' && by !== 'network',
  className: rights.name,
  rights,
  budget: rights.budget,
  claims: token.claims,
  decided: null,
  scopes: rights.scopes.size === 0 ? token.scopes : new Set([...token.scopes, ...rights.scopes]),
  subjectToken: token.subjectToken,
  expiresMillis: token.expiresMillis,
  recheckMillis: token.recheckMillis,
  clientOfSender: null,
});

const NO_TOKEN = {
  claims: null,
  scopes: new Set<string>(),
  subjectToken: null,
  expiresMillis: null,
  recheckMillis: null,
} as const;

/** The rights of the clients of one class. Made at start-up. */
export interface ClientClass {
  readonly name: string;
  /** Equal for classes with the same rights, of whatever configuration. */
  readonly key: string;
  /** Points of a full bucket, and points per second that come back; null: no budget. */
  readonly budget: { readonly maximum: number; readonly restoreRate: number } | null;
  /** Requests of one client that may be in progress at once; null: any number. */
  readonly requestsAtOnce: number | null;
  /** True if clients of the class may ask what each field costs, also where others may not. */
  readonly costBreakdown: boolean;
  /** The scopes that all clients of the class have. */
  readonly scopes: ReadonlySet<string>;
  /** Nothing is denied: no check is needed. */
  readonly permitsAll: boolean;
  /**
   * Whether an operation may be called; `operation` is null where it is not known which one it is.
   */
  permits(service: string, operation: string | null): boolean;
  /** Whether any operation of the service may be called. */
  permitsSome(service: string): boolean;
  /** Whether requests may take the plain route of this path. */
  permitsRoute(path: string): boolean;
}

/** The parts of a request that identify its client. */
export interface CallerIdentity {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The address of the connection, in its plain form; '' where it is gone. */
  readonly address: string;
  /** The connection is encrypted. Absent: it is not. */
  readonly isTls?: boolean;
  /** The certificate that the gateway itself has verified; absent or null without one. */
  readonly certificate?: ClientCertificate | null;
  /** The message behind this head is verified by WS-Security. Absent: it is not. */
  readonly isMessageVerified?: boolean;
  /** Absent or null where the request is not observed. */
  readonly observer?: observing.RequestObserver | null;
  /** What a proof of the caller is about. Absent: none is accepted. */
  readonly proven?: ProvenRequest;
  /** The credentials were accepted at first, and are still in use. Absent: they are new. */
  readonly isRepeated?: boolean;
}

/** A request that its client proves to have sent itself (RFC 9449). */
export interface ProvenRequest {
  readonly method: string;
  /** The path as it was sent, without its query. */
  readonly path: string;
  readonly proofs: ProofState;
  /** The answer, which gets the nonce of the next proof; null: none that has header fields. */
  readonly answer: { setHeader(name: string, value: string): unknown } | null;
}

/** What processes know of proofs. It survives reloads. */
export interface ProofState {
  /** What nonces are sealed with where the configuration has no keys. All workers have the same. */
  readonly secret: string;
  /**
   * Remembers a proof until its time, and resolves to whether it is new; `full`: no further one can
   * be remembered; `unknown`: other processes cannot be asked. Never rejects.
   */
  claim(key: string, untilMillis: number, max: number): Promise<ProofClaim>;
}

export type ProofClaim = 'new' | 'seen' | 'full' | 'unknown';

/** A client certificate that was verified. */
export interface ClientCertificate {
  /** In the form of RFC 2253: `CN=erp,O=Example`. */
  readonly subject: string;
  /** Subject alternative names: `DNS:erp.example`, `URI:spiffe://example/erp`. */
  readonly names: readonly string[];
  /** SHA-256, upper case, with colons. */
  readonly fingerprint: string;
  /** When it ends, milliseconds of the epoch. */
  readonly endMillis: number;
}

/**
 * Identifies clients. Throws `UNAUTHENTICATED`, or rejects with it, for credentials that are
 * invalid or missing.
 */
export interface Access {
  identify(caller: CallerIdentity): Client | Promise<Client>;
  /**
   * Takes out of a head what goes no further: credentials that are for the gateway, by whichever of
   * them it knows the client.
   */
  withhold(head: Head): void;
}

/** The head of a request that is about to go on. */
export interface Head {
  readonly headers: Record<string, string | readonly string[] | undefined>;
  /** The address of the connection, in its plain form; '' where it is gone. */
  readonly address: string;
}
