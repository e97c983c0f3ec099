import { type DestinationStream, destination, type Logger, pino } from 'pino';

import type { Exchange } from '../base/exchange.js';
import type { Refusal } from '../base/refusal.js';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Texts from outside are cut to this many UTF-16 units before they reach a line. */
const FIELD_UNITS_MAX = 256;
const STACK_UNITS_MAX = 4096;

/** Lines are collected up to this many bytes before they are written; a timer writes what is left. */
const BUFFER_BYTES = 16_000;
const FLUSH_MILLIS = 250;

/** What happens, one JSON object a line. Bodies and credentials never get here. */
export class Log {
  readonly #logger: Logger;
  /** Life and death of the process are told at any level: whoever starts it waits for `ready`. */
  readonly #lifecycle: Logger;
  readonly #flush: () => void;
  readonly #timer: NodeJS.Timeout | null;

  /** `stream` replaces standard output, for tests. */
  constructor(level: LogLevel, stream: DestinationStream | null = null) {
    const options = { level, base: null, timestamp: makeTimestamp() };
    if (stream !== null) {
      this.#logger = pino(options, stream);
      this.#lifecycle = pino({ ...options, level: 'info' }, stream);
      this.#flush = () => {};
      this.#timer = null;
      return;
    }
    const output = destination({ fd: 1, sync: false, minLength: BUFFER_BYTES });
    this.#logger = pino(options, output);
    this.#lifecycle = pino({ ...options, level: 'info' }, output);
    this.#flush = () => output.flushSync();
    this.#timer = setInterval(() => output.flush(), FLUSH_MILLIS).unref();
  }

  /** Something that happened to the process, not to one request. */
  event(level: 'info' | 'warn' | 'error', message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.#lifecycle[level](fields, message);
  }

  /** The access log line. Called once for each request, by `finish` alone. */
  access(exchange: Exchange, millis: number): void {
    const { refusal } = exchange;
    const level = refusal === null ? 'info' : refusal.kind.level;
    if (!this.#logger.isLevelEnabled(level)) return;
    this.#logger[level](
      {
        id: exchange.id,
        client: exchange.client,
        method: exchange.method,
        route: exchange.route,
        operation: exchange.operation.slice(0, FIELD_UNITS_MAX),
        dialect: exchange.dialect,
        status: exchange.status,
        outcome: exchange.outcome,
        code: refusal?.code,
        detail: refusal?.detail?.slice(0, FIELD_UNITS_MAX),
        fault: exchange.faultCode?.slice(0, FIELD_UNITS_MAX),
        millis: round(millis),
        upstreamMillis: exchange.upstreamCalls === 0 ? undefined : round(exchange.upstreamMillis),
        upstreamCalls: exchange.upstreamCalls === 0 ? undefined : exchange.upstreamCalls,
        bytesIn: exchange.bytesIn,
        bytesOut: exchange.bytesOut,
        cost: exchange.cost ?? undefined,
      },
      'request',
    );
    if (refusal?.code === 'INTERNAL') this.#logger.error({ id: exchange.id, err: bugOf(refusal.cause) }, 'a bug');
  }

  /** A message that monitor mode let through. */
  violation(exchange: Exchange, refusal: Refusal): void {
    const { id, client, route } = exchange;
    const detail = refusal.detail?.slice(0, FIELD_UNITS_MAX);
    this.#logger.warn({ id, client, route, code: refusal.code, detail }, 'violation let through');
  }

  /** Writes what is buffered. */
  flush(): void {
    this.#flush();
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#flush();
  }
}

/** What was thrown, cut: an error of a library may hold what it was working on. */
function bugOf(cause: unknown): Readonly<Record<string, string | undefined>> {
  if (!(cause instanceof Error)) return { message: String(cause).slice(0, FIELD_UNITS_MAX) };
  const { name, message, stack } = cause;
  return { type: name, message: message.slice(0, FIELD_UNITS_MAX), stack: stack?.slice(0, STACK_UNITS_MAX) };
}

const round = (millis: number): number => Math.round(millis * 100) / 100;

/** The time as pino wants it in a line. Under load several lines fall into one millisecond, and are written alike. */
function makeTimestamp(): () => string {
  let at = Number.NaN;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== at) {
      at = now;
      text = `,"time":"${new Date(now).toISOString()}"`;
    }
    return text;
  };
}
