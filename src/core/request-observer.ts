/**
 * Follows one request through the calls that are made for it. Code that makes calls knows nothing
 * else of it: an observer decides what it keeps of a call, and which header field it adds.
 */
export interface RequestObserver {
  /**
   * Begins a call of a backend, or of another server that the request needs, such as one that gives
   * tokens: `service` is '' where it is not for one service. `operation` is '' where it is not
   * known.
   */
  call(service: string, operation: string, method?: string): CallObserver;
}

/** Follows one call of a backend through its attempts. */
export interface CallObserver {
  /** The observer of the request that the call is made for. */
  readonly request: RequestObserver;
  /** Begins an attempt; returns the header field that is sent with it. */
  begin(url: URL, nowMillis: number): HeaderField;
  /**
   * Ends the latest attempt. `status` is 0 and `code` that of the refusal where there was no
   * answer.
   */
  end(status: number, code: string | null): void;
  /** The reply serves another request too; null where that one is not observed. */
  serve(other: RequestObserver | null): void;
}

/** A header field that an observer adds to an attempt; its name is in lower case. */
export interface HeaderField {
  readonly name: string;
  readonly value: string;
}

/** The header fields, names and values in turn, with this one in place of another of its name. */
export function withField(headers: readonly string[], { name, value }: HeaderField): string[] {
  for (let index = 0; index + 1 < headers.length; index += 2) {
    if (headers[index] === name) return headers.with(index + 1, value);
  }
  return [...headers, name, value];
}

/**
 * What one GraphQL operation uses. Names of fields are of the schema, that of the operation is of
 * the caller.
 */
export interface OperationUse {
  /** '' for an operation without a name. */
  readonly name: string;
  /** The operations of services that it calls: `orders.GetOrder`. */
  readonly calls: readonly string[];
  /** `Type.field`. */
  readonly fields: readonly string[];
  /** `Type.element` of those fields whose elements or attributes are called otherwise. */
  readonly elements: readonly string[];
  /** `Type.field(argument:)`. */
  readonly arguments: readonly string[];
}
