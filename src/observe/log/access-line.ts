import { type Refusal, refusals, tolerated } from '../../core/index.js';
import type { CacheUse, Exchange } from '../../gateway/exchange.js';
import { FOUND_UNITS_MAX, QuotedNames, quoteText } from './json-text.js';

/**
 * Writes access log lines: JSON objects of one shape, put together from texts that are JSON
 * already. A logger for any object costs several times as much, and this line is written once for
 * each request.
 */
export class AccessLines {
  readonly #names = new QuotedNames();
  readonly #timestamp: () => string;
  #last: Description | null = null;

  /** `timestamp` gives `,"time":"..."`. */
  constructor(timestamp: () => string) {
    this.#timestamp = timestamp;
  }

  /** The line of one request, its end included. */
  print(exchange: Exchange, millis: number): string {
    const { refusal } = exchange;
    const names = this.#names;
    let line =
      `{"level":"${refusal === null ? 'info' : refusals.levelOf(refusal.kind)}"` +
      `${this.#timestamp()}` +
      `,"id":${quoteId(exchange.id)},"client":${names.quote(exchange.client)}` +
      `${this.#describe(exchange)}`;
    if (exchange.peer !== exchange.client) {
      line += `,"peer":${names.quote(exchange.peer)}`;
    }
    if (exchange.caller.className !== '') {
      line +=
        `,"class":${names.quote(exchange.caller.className)},` +
        `"caller":${quoteText(exchange.caller.label)}`;
    }
    if (exchange.bridgedTo !== '') {
      line += `,"bridgedTo":"${exchange.bridgedTo}"`;
    }
    if (exchange.sender !== null) {
      line += `,"sender":${quoteText(exchange.sender)}`;
    }
    if (refusal !== null) {
      line += this.#printRefusal(refusal);
    }
    if (exchange.tolerable !== null) {
      line += `,"tolerate":${printNames(exchange.tolerable)}`;
    }
    if (exchange.tolerated !== null) {
      line += `,"tolerated":${printNames(exchange.tolerated)}`;
    }
    line += this.#printGraphql(exchange.graphql);
    if (exchange.faultCode !== null) {
      line += `,"fault":${quoteText(exchange.faultCode)}`;
    }
    if (exchange.repairedFault !== null) {
      line += `,"repairedFault":${quoteText(exchange.repairedFault)}`;
    }
    line += `,"millis":${printMillis(millis)}`;
    if (exchange.upstream.calls > 0) {
      line +=
        `,"upstreamMillis":${printMillis(exchange.upstream.millis)},` +
        `"upstreamCalls":${exchange.upstream.calls}`;
    }
    if (exchange.upstream.backend !== null) {
      line += `,"backend":"${exchange.upstream.backend}"`;
    }
    if (exchange.upstream.cacheUses !== null) {
      line += `,"cache":"${cacheWord(exchange.upstream.cacheUses)}"`;
    }
    line += `,"bytesIn":${exchange.bytesIn},"bytesOut":${exchange.bytesOut}`;
    if (exchange.graphql.cost !== null) {
      line += `,"cost":${exchange.graphql.cost}`;
    }
    return `${line}${exchange.loggedFields},"msg":"request"}\n`;
  }

  #printRefusal(refusal: Refusal): string {
    let line = `,"code":"${refusal.code}"`;
    if (refusal.detail !== null) {
      line += `,"detail":${quoteText(refusal.detail)}`;
    }
    if (refusal.address !== null) {
      line += `,"address":${this.#names.quote(refusal.address)}`;
    }
    if (refusal.place?.line != null) {
      line += `,"line":${refusal.place.line},"byte":${refusal.place.byte}`;
    }
    if (refusal.found !== null) {
      line += `,"found":${printFound(refusal.found)}`;
    }
    const { expected } = refusal.facts;
    if (expected !== undefined && expected.length > 0) {
      line += `,"expected":${printFound(expected.join(', '))}`;
    }
    if (refusal.reply !== null) {
      line += `,"reply":${printReply(refusal.reply)}`;
    }
    if (refusal.limit !== null) {
      line += `,"limit":${refusal.limit.value},"key":"${refusal.limit.key}"`;
    }
    return line;
  }

  #printGraphql(graphql: Exchange['graphql']): string {
    let line = '';
    if (graphql.operationName !== '') {
      line += `,"operationName":${quoteText(graphql.operationName)}`;
    }
    if (graphql.clientName !== '') {
      line += `,"clientName":${this.#names.quote(graphql.clientName)}`;
    }
    if (graphql.clientVersion !== '') {
      line += `,"clientVersion":${this.#names.quote(graphql.clientVersion)}`;
    }
    if (graphql.failedCall !== null) {
      const { service, operation } = graphql.failedCall;
      line +=
        `,"service":${this.#names.quote(service)},` +
        `"serviceOperation":${this.#names.quote(operation)}`;
    }
    return line;
  }

  /** The request and its outcome: most lines have them in common with the one before. */
  #describe({ method, route, operation, dialect, status, outcome }: Exchange): string {
    const last = this.#last;
    if (
      last !== null &&
      last.operation === operation &&
      last.route === route &&
      last.status === status
    ) {
      if (last.outcome === outcome && last.dialect === dialect && last.method === method) {
        return last.text;
      }
    }
    const names = this.#names;
    const text =
      `,"method":${names.quote(method)},"route":${names.quote(route)},` +
      `"operation":${names.quote(operation)}` +
      `,"dialect":${names.quote(dialect)},"status":${status},"outcome":"${outcome}"`;
    this.#last = { method, route, operation, dialect, status, outcome, text };
    return text;
  }
}

type Description = Pick<
  Exchange,
  'method' | 'route' | 'operation' | 'dialect' | 'status' | 'outcome'
> & {
  readonly text: string;
};

/** The outcome of the calls that might be shared, in one word. */
function cacheWord(uses: readonly CacheUse[]): string {
  const [first] = uses;
  return first !== undefined && uses.every(({ outcome }) => outcome === first.outcome)
    ? first.outcome
    : 'mixed';
}

/** What was found in a reply: texts of its sender. */
function printReply({
  status,
  mediaType,
  coding,
  version,
  element,
  fault,
}: refusals.ReplyFacts): string {
  const texts = { mediaType, coding, version, element };
  const parts = Object.entries(texts).flatMap(([key, text]) =>
    text === null ? [] : [`,"${key}":${printFound(text)}`],
  );
  const mark = fault?.isUnverified === true ? ',"faultVerified":false' : '';
  const about =
    fault === null
      ? ''
      : `,"faultCode":${printFound(fault.code)},"faultString":${printFound(fault.string)}${mark}`;
  return `{"status":${status}${parts.join('')}${about}}`;
}

/** The names of the closed table, in its order. */
const printNames = (deviations: readonly tolerated.ToleratedDeviation[]): string =>
  JSON.stringify(
    tolerated.DEVIATION_NAMES.filter((name) =>
      deviations.some(({ deviation }) => deviation === name),
    ),
  );

const printFound = (found: string | number): string =>
  typeof found === 'number' ? String(found) : quoteText(found.slice(0, FOUND_UNITS_MAX));

/** Ids are our own and every one is new: not worth keeping. */
const quoteId = (id: string): string => (/^[\w-]{1,64}$/.test(id) ? `"${id}"` : quoteText(id));

/**
 * To the hundredth, put together from whole numbers: the way from a fraction to its shortest text
 * is long.
 */
function printMillis(millis: number): string {
  const hundredths = Math.round(millis * 100);
  const rest = hundredths % 100;
  const whole = (hundredths - rest) / 100;
  if (rest === 0) return `${whole}`;
  return rest < 10 ? `${whole}.0${rest}` : `${whole}.${rest}`;
}
