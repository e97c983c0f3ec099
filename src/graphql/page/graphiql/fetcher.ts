import { readEvents } from './events.js';

/**
 * Sends one operation: its result, or the results of a subscription as they come, until its reader stops. The
 * gateway chooses between them: `Accept` names both.
 */
export async function fetchGraphql(
  path: string,
  params: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<unknown> {
  const departure = new AbortController();
  const response = await fetch(path, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'graphql-require-preflight': '1',
      ...headers,
    },
    body: JSON.stringify(params),
    signal: departure.signal,
  });
  const { body } = response;
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (body !== null && isStream) return resultsIn(body, departure);
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return { errors: [{ message: `HTTP ${response.status} ${response.statusText}` }] };
  }
}

/** One subscription, one request: the "distinct connections mode" of GraphQL over server-sent events. */
function resultsIn(body: ReadableStream<Uint8Array>, departure: AbortController): AsyncIterableIterator<unknown> {
  const results = readResults(body, departure.signal);
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => results.next(),
    // A generator would end itself only after its next result.
    async return() {
      departure.abort();
      return { done: true, value: undefined };
    },
  };
}

async function* readResults(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<unknown, void> {
  try {
    for await (const { event, data } of readEvents(body)) {
      if (event === 'complete') return;
      if (event === 'next') yield JSON.parse(data);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
