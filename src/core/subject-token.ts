/**
 * The verified token of a caller, which an authorization server exchanges for one of a backend (RFC
 * 8693).
 */
export interface SubjectToken {
  /** Equal for tokens of one user: of one issuer with the same `sub`, got by the same client. */
  readonly user: string;
  /** Equal for tokens of one user with the same scopes. */
  readonly key: string;
  readonly token: string;
}
