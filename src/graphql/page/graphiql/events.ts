/** One event of a stream. */
export interface StreamEvent {
  /** `message` unless it is named. */
  readonly event: string;
  readonly data: string;
}

/** Longer than any result the gateway gives out. */
const CHARS_MAX = 64 * 1024 * 1024;

/** Reads server-sent events (HTML section 9.2.6): those with data or a name, to the end of the stream. */
export async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent, void> {
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
        if (line !== '') fields.push(line);
        else if (fields.length > 0) {
          yield eventOf(fields);
          fields = [];
        }
      }
    }
  } finally {
    // Of a stream that broke there is nothing left to cancel.
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
    if (name === 'event') event = value;
    if (name === 'data') data.push(value);
  }
  return { event, data: data.join('\n') };
}
