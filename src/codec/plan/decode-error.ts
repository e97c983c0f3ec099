/** What is wrong with a value that was read: it is null. */
export interface DecodeError {
  readonly code:
    | 'UPSTREAM_SCHEMA_INVALID'
    | 'UPSTREAM_RESPONSE_LIMIT'
    | 'UPSTREAM_INVALID_RESPONSE'
    | 'VALUE_NOT_REPRESENTABLE'
    | 'GRAPHQL_UPSTREAM_ERROR';
  readonly path: readonly (string | number)[];
  /** Names the rule, never the value. */
  readonly rule: string;
  /** What the backend says about it, for the caller; not given: nothing. */
  readonly message?: string;
}
