/**
 * Sends one operation: its result, or the results of a subscription as they come, until its reader
 * stops. The gateway chooses between them: `Accept` names both.
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

/**
 * One subscription, one request: the "distinct connections mode" of GraphQL over server-sent
 * events.
 */
function resultsIn(
  body: ReadableStream<Uint8Array>,
  departure: AbortController,
): AsyncIterableIterator<unknown> {
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

async function* readResults(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<unknown, void> {
  try {
    for await (const { event, data } of readEvents(body)) {
      if (event === 'complete') return;
      if (event === 'next') {
        yield JSON.parse(data);
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** One event of a stream. */
interface StreamEvent {
  /** `message` unless it is named. */
  readonly event: string;
  readonly data: string;
}

/** Longer than any result the gateway gives out. */
const CHARS_MAX = 64 * 1024 * 1024;

/**
 * Reads server-sent events (HTML section 9.2.6): those with data or a name, to the end of the
 * stream.
 */
async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent, void> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let fields: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\n/);
      rest = lines.pop() ?? '';
      if (rest.length > CHARS_MAX) throw new Error('An event of the subscription is too long.');
      for (const line of lines) {
        if (line !== '') {
          fields.push(line);
        } else if (fields.length > 0) {
          yield eventOf(fields);
          fields = [];
        }
      }
    }
  } finally {
    // A stream that broke has nothing left to cancel.
    await reader.cancel().catch(() => {});
  }
}

function eventOf(fields: readonly string[]): StreamEvent {
  let event = 'message';
  const data: string[] = [];
  for (const field of fields) {
    const colon = field.indexOf(':');
    const name = colon < 0 ? field : field.slice(0, colon);
    const value = colon < 0 ? '' : field.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') {
      event = value;
    }
    if (name === 'data') {
      data.push(value);
    }
  }
  return { event, data: data.join('\n') };
}
