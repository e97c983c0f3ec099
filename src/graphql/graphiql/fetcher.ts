import { readEvents } from './events.js';

/** What GraphiQL says of a request besides its parameters. */
export interface FetcherOptions {
  /** Those of the headers editor. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly documentAST?: ParsedDocument | undefined;
}

interface ParsedDocument {
  readonly definitions: readonly {
    readonly kind: string;
    readonly operation?: string;
    readonly name?: { readonly value: string } | undefined;
  }[];
}

/** Sends one operation: its result, or the results of a subscription as they come. Rejects with what went wrong. */
export function fetchGraphql(
  path: string,
  params: unknown,
  { headers = {}, documentAST }: FetcherOptions,
): Promise<unknown> | AsyncIterable<unknown> {
  if (isSubscription(documentAST, nameIn(params))) return subscribe(path, params, headers);
  return ask(path, params, headers);
}

async function ask(path: string, params: unknown, headers: Readonly<Record<string, string>>): Promise<unknown> {
  const response = await send(path, params, { accept: 'application/json', ...headers }, null);
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return { errors: [{ message: `HTTP ${response.status} ${response.statusText}` }] };
  }
}

/** One subscription, one request: the "distinct connections mode" of GraphQL over server-sent events. */
async function* subscribe(
  path: string,
  params: unknown,
  headers: Readonly<Record<string, string>>,
): AsyncGenerator<unknown, void> {
  const departure = new AbortController();
  try {
    const response = await send(path, params, { accept: 'text/event-stream', ...headers }, departure.signal);
    const { body } = response;
    if (body === null || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
      yield JSON.parse(await response.text());
      return;
    }
    for await (const { event, data } of readEvents(body)) {
      if (event === 'complete') return;
      if (event === 'next') yield JSON.parse(data);
    }
  } finally {
    departure.abort();
  }
}

function send(
  path: string,
  params: unknown,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal | null,
): Promise<Response> {
  return fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'graphql-require-preflight': '1', ...headers },
    body: JSON.stringify(params),
    signal,
  });
}

/** Without a name: whether the only operation is one. */
function isSubscription(document: ParsedDocument | undefined, name: string | null): boolean {
  const operations = (document?.definitions ?? []).filter(({ kind }) => kind === 'OperationDefinition');
  const chosen = name === null ? operations : operations.filter((operation) => operation.name?.value === name);
  return chosen[0]?.operation === 'subscription';
}

function nameIn(params: unknown): string | null {
  if (typeof params !== 'object' || params === null || !('operationName' in params)) return null;
  return typeof params.operationName === 'string' ? params.operationName : null;
}
