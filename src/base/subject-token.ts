/** The verified token of a caller, which an authorization server exchanges for one of a backend (RFC 8693). */
export interface SubjectToken {
  /** Equal for tokens of one issuer with the same subject and scopes. */
  readonly key: string;
  readonly token: string;
}
