/** An error of a value in a reply, which is null for it. */
export interface DecodeError {
  readonly code:
    | 'UPSTREAM_SCHEMA_INVALID'
    | 'UPSTREAM_RESPONSE_LIMIT'
    | 'UPSTREAM_INVALID_RESPONSE'
    | 'VALUE_NOT_REPRESENTABLE'
    | 'GRAPHQL_UPSTREAM_ERROR'
    | 'FORBIDDEN';
  readonly path: readonly (string | number)[];
  /** Names the rule, never the value. */
  readonly rule: string;
  /** The backend's own message, for the client; absent: none. */
  readonly message?: string;
}
