/** A document fetched at start-up or by `import`. */
export interface FetchedDocument {
  readonly url: string;
  readonly contentType: string | null;
  readonly body: Buffer;
}

export interface FetchOptions {
  readonly maxBytes: number;
  readonly timeoutMillis: number;
}

/**
 * Fetches a WSDL or a schema. Redirects are not followed: the new address was not allowed by anybody. Throws an
 * `Error` whose message an operator can act on.
 */
export async function fetchDocument(url: string, options: FetchOptions): Promise<FetchedDocument> {
  const response = await fetch(url, {
    redirect: 'manual',
    signal: AbortSignal.timeout(options.timeoutMillis),
    headers: { accept: 'text/xml, application/wsdl+xml, application/xml;q=0.9, */*;q=0.1' },
  }).catch((error: unknown) => {
    throw new Error(`cannot be fetched (${reasonOf(error)})`);
  });
  if (!response.ok) throw new Error(`cannot be fetched (the server answered ${response.status})`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > options.maxBytes) throw new Error(`is longer than ${options.maxBytes} bytes`);
    chunks.push(chunk);
  }
  return { url, contentType: response.headers.get('content-type'), body: Buffer.concat(chunks) };
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code;
  return cause instanceof Error ? cause.message : 'unknown reason';
}
