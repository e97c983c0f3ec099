import type { Log } from './log/log.js';

/** An address of a backend is no longer called, or is called again. */
export interface AddressEvent {
  readonly service: string;
  /** Host, port and path as configured, without credentials and query. */
  readonly address: string;
  /** The record of its name; null where each connection looks it up. */
  readonly ip: string | null;
  readonly isUp: boolean;
  readonly reason: string;
  /** The code of the call that failed last; null for none. */
  readonly code: string | null;
}

/**
 * Which addresses are down. One is reported down by the first source that finds it so, a pool of
 * connections or a worker, and up by the last one.
 */
export class AddressStates {
  #report: (event: AddressEvent) => void;
  /** The addresses that are down, by service, address and record. */
  readonly #down = new Map<
    string,
    { readonly event: AddressEvent; readonly sources: Set<object> }
  >();

  constructor(report: (event: AddressEvent) => void) {
    this.#report = report;
  }

  take(source: object, event: AddressEvent): void {
    const key = JSON.stringify([event.service, event.address, event.ip]);
    const known = this.#down.get(key);
    if (!event.isUp) {
      if (known !== undefined) return void known.sources.add(source);
      this.#down.set(key, { event, sources: new Set([source]) });
      this.#report(event);
    } else if (known?.sources.delete(source) === true && known.sources.size === 0) {
      this.#down.delete(key);
      this.#report(event);
    }
  }

  /** Reports nothing any more: the process ends, which says nothing of addresses. */
  close(): void {
    this.#report = () => {};
  }

  /** Nothing more comes from this source. */
  retire(source: object): void {
    for (const { event } of [...this.#down.values()]) {
      this.take(source, { ...event, isUp: true, reason: 'removed', code: null });
    }
  }
}

/** Logs each event once. */
export const loggedStates = (log: Log): AddressStates =>
  new AddressStates(({ isUp, ip, code, ...fields }) => {
    const more = { ...fields, ...(ip !== null && { ip }), ...(code !== null && { code }) };
    log.event(isUp ? 'info' : 'warn', isUp ? 'address up' : 'address down', more);
  });
