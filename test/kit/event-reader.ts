import { createInterface, type Interface } from 'node:readline';
import { Readable } from 'node:stream';
import { isRecord } from '../../src/core/json/json.js';
import { until } from './until.js';

/** A client of server-sent events that knows its last id, as `EventSource` does. */
export class EventReader {
  /** Empty before the first. */
  lastId = '';
  /** The stream told that it is complete. */
  isComplete = false;
  readonly #departure: AbortController;
  readonly #lines: Interface;
  readonly #results: unknown[] = [];

  private constructor(response: Response, departure: AbortController) {
    if (response.body === null) throw new Error(`no body: ${response.status}`);
    this.#departure = departure;
    const body = Readable.fromWeb(response.body);
    body.on('error', () => {});
    this.#lines = createInterface(body);
    this.#lines.on('line', (line) => this.#take(line));
  }

  static async open(
    url: string,
    query: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<EventReader> {
    const departure = new AbortController();
    const response = await fetch(url, {
      method: 'POST',
      headers: { accept: 'text/event-stream', 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query }),
      signal: departure.signal,
    });
    return new EventReader(response, departure);
  }

  /** The value of a field of the one field of a result. */
  static value(result: unknown, field: string): unknown {
    const data = isRecord(result) ? result['data'] : null;
    const [object] = isRecord(data) ? Object.values(data) : [];
    return isRecord(object) ? object[field] : null;
  }

  /** The next results. */
  async results(count: number): Promise<readonly unknown[]> {
    await until(() => this.#results.length >= count);
    return this.#results.splice(0, count);
  }

  /** All results that have come and were not taken. */
  get untaken(): readonly unknown[] {
    return this.#results;
  }

  /** Waits for another id than this one. */
  async idAfter(id: string): Promise<void> {
    await until(() => this.lastId !== id);
  }

  async close(): Promise<void> {
    this.#departure.abort();
    this.#lines.close();
  }

  #take(line: string): void {
    if (line.startsWith('id: ')) this.lastId = line.slice(4);
    if (line.startsWith('data: ')) this.#results.push(JSON.parse(line.slice(6)));
    if (line === 'event: complete') this.isComplete = true;
  }
}
