/** The answer to a GraphQL request over HTTP, or to one of a batch. */
export interface GraphqlResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Null for an empty body. */
  readonly body: string | null;
  /** Whether the result has errors; absent where it is none. */
  readonly hasErrors?: boolean;
}
