import { type DestinationStream, type Logger, pino } from 'pino';
import { type Diagnostic, diagnosis, type Refusal, refusals } from '../../core/index.js';
import type { Exchange } from '../../gateway/exchange.js';
import type { OtlpOptions } from '../otlp/envelope.js';
import type { ItemOutcome } from '../otlp/sender.js';
import { OVERLOAD_LIMITS } from '../overload.js';
import { AccessLines } from './access-line.js';
import { ecsLine } from './ecs.js';
import { escapeControls, FOUND_UNITS_MAX } from './json-text.js';
import { LogExport } from './log-export.js';
import { readFields } from './log-fields.js';
import { LogSink, type SinkState } from './log-sink.js';
import { standardOutput } from './log-target.js';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** The keys of `log` in the configuration. */
export interface LogOptions extends Omit<OtlpOptions, 'otlp'> {
  readonly level: LogLevel;
  readonly format: 'json' | 'ecs';
  readonly otlp?: string;
}

/** Texts from outside are cut to this many UTF-16 units before they reach a line. */
const FIELD_UNITS_MAX = 256;
const STACK_UNITS_MAX = 4096;
/** Fields with texts of the gateway itself, which may be as long as a stack. */
const OWN_TEXTS: ReadonlySet<string> = new Set(['err', 'note', 'problems', 'what']);

/** The log: one JSON object a line. Bodies and credentials are never written. */
export class Log {
  readonly #logger: Logger;
  /** Start and end of the process are logged at any level: supervisors wait for `ready`. */
  readonly #lifecycle: Logger;
  readonly #lines: AccessLines;
  readonly #output: (line: string) => void;
  readonly #export = new LogExport((reason) =>
    this.event('warn', 'log lines could not be sent', { reason }),
  );
  /** Null in tests, which take each line as it comes. */
  readonly #sink: LogSink | null;
  #enabled = { info: false, warn: false, error: false };
  #format: LogOptions['format'] = 'json';
  /** It was opened as `silent`: its stream takes no lines. */
  readonly #isUnread: boolean;

  /**
   * `stream` replaces standard output, for tests; `backlogBytes` of unread lines are kept at most.
   */
  constructor(
    level: LogLevel,
    stream: DestinationStream | null = null,
    backlogBytes: number = OVERLOAD_LIMITS.logBacklogBytes.default,
  ) {
    const sink = stream === null ? new LogSink(standardOutput(), backlogBytes) : null;
    const output = { write: (line: string): void => this.#write(escapeControls(line)) };
    const timestamp = makeTimestamp();
    const formatters = { level: (label: string) => ({ level: label }), log: cutTexts };
    const options = { level, base: null, timestamp, formatters };
    this.#isUnread = level === 'silent';
    this.#sink = sink;
    this.#output = (line) => (sink ?? stream)?.write(line);
    this.#lines = new AccessLines(timestamp);
    this.#logger = pino(options, output);
    this.#lifecycle = pino({ ...options, level: 'info' }, output);
    this.setLevel(level);
  }

  /** Sets the least level and the format from now on, and where lines are sent besides. */
  configure({ level, format, otlp, ...receiver }: LogOptions): void {
    // No line is put together for a log that nothing reads.
    this.setLevel(this.#isUnread && otlp === undefined ? 'silent' : level);
    this.#format = format;
    this.#export.configure(otlp === undefined ? null : { otlp, ...receiver });
  }

  /** Sets the least level written from now on. */
  setLevel(level: LogLevel): void {
    this.#logger.level = level;
    this.#enabled = {
      info: this.#logger.isLevelEnabled('info'),
      warn: this.#logger.isLevelEnabled('warn'),
      error: this.#logger.isLevelEnabled('error'),
    };
  }

  /** Lines dropped because earlier ones were not read. */
  get droppedLines(): number {
    return this.#sink?.droppedLines ?? 0;
  }

  /** Lines that were sent by OTLP, by outcome. */
  get exported(): Readonly<Record<ItemOutcome, number>> {
    return this.#export.counts;
  }

  /** Lines that a disk which fails has not taken until the end. */
  get lostLines(): number {
    return this.#sink?.lostLines ?? 0;
  }

  /** Whether lines are written. */
  get state(): SinkState {
    return this.#sink?.state ?? WRITTEN;
  }

  /** Something that happened to the process, not to one request. */
  event(
    level: 'info' | 'warn' | 'error',
    message: string,
    fields: Readonly<Record<string, unknown>> = {},
  ): void {
    this.#lifecycle[level](fields, message);
  }

  /** What a configuration that is in use leaves out or approximates. */
  configurationWarnings(warnings: readonly Diagnostic[]): void {
    for (const warning of warnings) {
      this.event('warn', 'configuration warning', { note: diagnosis.printDiagnostic(warning) });
    }
  }

  /** An exception that nothing expected. */
  bug(error: unknown, fields: Readonly<Record<string, unknown>> = {}): void {
    this.event('error', 'a bug', {
      ...fields,
      err: error instanceof Error ? error.stack : valueText(error),
    });
  }

  /** The access log line. Called once for each request, by `finish` alone. */
  access(exchange: Exchange, millis: number): void {
    const { refusal } = exchange;
    if (!this.#enabled[refusal === null ? 'info' : refusals.levelOf(refusal.kind)]) return;
    this.#write(this.#lines.print(exchange, millis));
    if (refusal?.code === 'INTERNAL') {
      this.#logger.error({ id: exchange.id, err: bugOf(refusal.cause) }, 'a bug');
    }
  }

  /** A message that monitor mode let through. */
  violation(exchange: Exchange, refusal: Refusal): void {
    const { id, client, route, operation } = exchange;
    const { code, limit } = refusal;
    const detail = refusal.detail?.slice(0, FIELD_UNITS_MAX);
    const found =
      typeof refusal.found === 'string' ? refusal.found.slice(0, FOUND_UNITS_MAX) : refusal.found;
    const more = {
      ...(found === null ? {} : { found }),
      ...(limit === null ? {} : { limit: limit.value, key: limit.key }),
    };
    this.#logger.warn(
      { id, client, ...callerOf(exchange), route, operation, code, detail, ...more },
      'violation let through',
    );
  }

  /**
   * What was found in a request that passed: content against the schema, and limits that are only
   * measured.
   */
  findings(exchange: Exchange): void {
    if (exchange.violations !== null) {
      this.#invalidContent(exchange);
    }
    if (exchange.measuredLimits !== null) {
      this.#beyondLimits(exchange);
    }
  }

  /**
   * Content that broke the schema. Refusals for it are in the access log, content that cannot be
   * validated in metrics.
   */
  #invalidContent(exchange: Exchange): void {
    const { id, client, violations, refusal } = exchange;
    const caller = callerOf(exchange);
    for (const { service, operation, direction, rule, what, path } of violations ?? []) {
      if (rule === 'unvalidated' || refusal?.detail === `${path} ${what}`) continue;
      this.#logger.warn(
        { id, client, ...caller, service, operation, direction, rule, what, path },
        'content breaks the schema',
      );
    }
  }

  /** Requests beyond limits that are only measured. */
  #beyondLimits(exchange: Exchange): void {
    const { id, client, measuredLimits: limits } = exchange;
    this.#logger.warn({ id, client, ...callerOf(exchange), limits }, 'would be refused by a limit');
  }

  #write(line: string): void {
    if (this.#format === 'json' && !this.#export.isOn) {
      this.#output(line);
      return;
    }
    const fields = readFields(line);
    if (this.#export.isOn) {
      this.#export.add(fields);
    }
    this.#output(this.#format === 'ecs' ? escapeControls(ecsLine(fields)) : line);
  }

  /** Writes what is collected; resolves when that is done, or after a second. */
  async flush(): Promise<void> {
    await this.#sink?.flush();
  }

  /**
   * Writes what is collected, as far as it is read within a second. Resolves to whether the process
   * can end by itself: it cannot while the system holds one of its threads in a write.
   */
  async close(): Promise<boolean> {
    await this.#export.close();
    return this.#sink === null || (await this.#sink.close());
  }
}

/** The state of a log whose lines are taken as they come. */
const WRITTEN: SinkState = { isUp: true, waitingLines: 0, ageMillis: 0 };

/**
 * Who has sent a request, as its own line names it; nothing where the configuration knows no
 * clients.
 */
const callerOf = ({ caller: { className, label } }: Exchange): Readonly<Record<string, string>> =>
  className === '' ? {} : { class: className, caller: label };

/** The fields of an event with every text cut, in lists as well (catalogue K03). */
function cutTexts(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      cut(value, OWN_TEXTS.has(name) ? STACK_UNITS_MAX : FIELD_UNITS_MAX),
    ]),
  );
}

function cut(value: unknown, units: number): unknown {
  if (typeof value === 'string') return value.slice(0, units);
  return Array.isArray(value)
    ? value.map((item) => (typeof item === 'string' ? item.slice(0, units) : item))
    : value;
}

/** The exception, cut: an error of a library may hold the data it was working on. */
function bugOf(cause: unknown): Readonly<Record<string, string | undefined>> {
  if (!(cause instanceof Error)) return { message: valueText(cause).slice(0, FIELD_UNITS_MAX) };
  const { name, message, stack } = cause;
  return {
    type: name,
    message: message.slice(0, FIELD_UNITS_MAX),
    stack: stack?.slice(0, STACK_UNITS_MAX),
  };
}

/**
 * A thrown value that is no error; an object by its kind alone, since it may hold anything, and may
 * have no `toString`.
 */
const valueText = (value: unknown): string =>
  typeof value === 'object'
    ? `no error: ${Object.prototype.toString.call(value)}`
    : `no error: ${String(value)}`;

/**
 * The time as pino wants it in a line. The part that lines of one second share is printed once: it
 * takes longest.
 */
function makeTimestamp(): () => string {
  let secondMillis = Number.NaN;
  let second = '';
  return () => {
    const now = Date.now();
    const millis = now % 1000;
    if (now - millis !== secondMillis) {
      secondMillis = now - millis;
      second = `,"time":"${new Date(now).toISOString().slice(0, -'000Z'.length)}`;
    }
    return `${second}${String(millis).padStart(3, '0')}Z"`;
  };
}
