/** The party to blame: `peer` is the sender of a message whose direction is not known yet. */
export type Blame = 'client' | 'peer' | 'upstream' | 'us';

/** Levels of log lines. */
export type RefusalLevel = 'info' | 'warn' | 'error';

/** Facts about a message that its sender may see. */
export type ShownFact =
  | 'rule'
  | 'place'
  | 'elements'
  | 'action'
  | 'expected'
  | 'limit'
  | 'retryAfter';

/** A row of the closed table of refusals. */
export interface RefusalKind {
  readonly blame: Blame;
  /** Level of the access log line, where it does not follow from `blame`. */
  readonly level?: RefusalLevel;
  /** The public text: a whole sentence that a caller may read. */
  readonly text: string;
  /** A SOAP fault code other than the sender's or receiver's that follows from `blame`. */
  readonly fault?: 'VersionMismatch' | 'MustUnderstand' | 'DataEncodingUnknown';
  /**
   * The fault code of SOAP 1.1 is the name that WS-Security has for it, as is the subcode of SOAP
   * 1.2 for each such name.
   */
  readonly isSecurityFault?: boolean;
  /** The bytes are no XML document: a dialect may answer this without a Fault. */
  readonly undecodable?: boolean;
  /** The connection ends with the answer: to read on would serve the attack. */
  readonly isAbrupt?: boolean;
  /** An HTTP status that does not follow from blame and dialect. */
  readonly status?: number;
  /**
   * The status where there is no Fault to answer: SOAP callers get one, with the status of their
   * dialect.
   */
  readonly httpStatus?: number;
  /**
   * Seconds until it is worth asking again, where nothing better is known: `Retry-After` of the
   * answer.
   */
  readonly retryAfterSeconds?: number;
  /**
   * Facts of its own message that the caller of SOAP sees in the Fault. Absent, as for backends,
   * rights and credentials: the code and the text alone.
   */
  readonly shows?: readonly ShownFact[];
  /** What that caller can do, in whole sentences; absent: the text says it. */
  readonly remedy?: string;
}

/**
 * The level of the access log line: requests that are refused are warnings, failures of services
 * and of the gateway errors.
 */
export const levelOf = ({ blame, level }: RefusalKind): RefusalLevel =>
  level ?? (blame === 'client' || blame === 'peer' ? 'warn' : 'error');
