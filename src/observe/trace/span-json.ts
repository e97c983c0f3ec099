import type { Exchange } from '../../base/exchange.js';
import { levelOf } from '../../base/refusal-kind.js';
import { QuotedNames, quoteText } from '../json-text.js';
import type { Attempt, RequestSpans } from './request-spans.js';

/** Kinds of spans (opentelemetry/proto/trace/v1). */
const INTERNAL = 1;
const SERVER = 2;
const CLIENT = 3;
const ERROR = 2;

/** Methods that exchanges have which are no HTTP requests. */
const NO_HTTP: ReadonlySet<string> = new Set(['WS', 'EVENT', 'POLL']);
const GRAPHQL_TYPES: ReadonlySet<string> = new Set(['query', 'mutation', 'subscription']);

/** How many texts of each kind are kept: spans that come one after the other have most in common. */
const KEPT = 8;

/**
 * Spans in the JSON of OTLP (protobuf's JSON mapping, trace and span ids in hexadecimal). They are put together from
 * texts: attributes that most spans have in common are printed once.
 */
export class SpanPrinter {
  readonly #names = new QuotedNames();
  readonly #requests: KeptText<Exchange>[] = [];
  readonly #calls: KeptText<Attempt>[] = [];
  /** Unix time of the zero of `performance.now()`. */
  #zeroMillis = 0;
  /** The second that was printed last. */
  #second = 0;
  #secondText = '0';

  /** Takes the clock of the system, which may have been set since. */
  setClock(zeroMillis: number): void {
    this.#zeroMillis = zeroMillis;
  }

  /** The span of the request, and one for each attempt to call a backend; commas between them. */
  print(exchange: Exchange, spans: RequestSpans, millis: number): string {
    const { startedMillis } = exchange;
    let text = this.#request(exchange, spans, startedMillis, startedMillis + millis);
    if (spans.attempts === null) return text;
    for (const attempt of spans.attempts) text += `,${this.#attempt(attempt, spans.spanId, startedMillis + millis)}`;
    return text;
  }

  /** The id of an exchange is of our own making: digits, letters and a hyphen. */
  #request(exchange: Exchange, spans: RequestSpans, startMillis: number, endMillis: number): string {
    const { refusal } = exchange;
    let text =
      `{"traceId":"${spans.traceId}","spanId":"${spans.spanId}"` +
      (spans.parentId === '' ? '' : `,"parentSpanId":"${spans.parentId}"`) +
      `,"startTimeUnixNano":"${this.#nanos(startMillis)}","endTimeUnixNano":"${this.#nanos(endMillis)}"` +
      `${this.#common(exchange, spans)},{"key":"soapstone.id","value":{"stringValue":"${exchange.id}"}}`;
    if (exchange.client !== '') text += this.#named('client.address', exchange.client);
    if (exchange.bytesIn > 0) text += integer('http.request.body.size', exchange.bytesIn);
    if (exchange.bytesOut > 0) text += integer('http.response.body.size', exchange.bytesOut);
    if (exchange.heldMillis !== null) text += seconds('soapstone.held.duration', exchange.heldMillis);
    if (exchange.upstreamCalls > 1) text += integer('soapstone.upstream.calls', exchange.upstreamCalls);
    if (exchange.cost !== null) text += integer('soapstone.cost', exchange.cost);
    if (exchange.actualCost !== null) text += integer('soapstone.cost.actual', exchange.actualCost);
    if (exchange.operationName !== '')
      text += `,{"key":"graphql.operation.name","value":{"stringValue":${quoteText(exchange.operationName)}}}`;
    if (exchange.faultCode !== null)
      text += `,{"key":"soapstone.fault.code","value":{"stringValue":${quoteText(exchange.faultCode)}}}`;
    if (exchange.cacheUses !== null) {
      text += flag(
        'soapstone.cached',
        exchange.cacheUses.some(({ outcome }) => outcome === 'hit' || outcome === 'stale'),
      );
      text += flag(
        'soapstone.coalesced',
        exchange.cacheUses.some(({ outcome }) => outcome === 'coalesced'),
      );
    }
    if (refusal !== null) {
      text += this.#named('error.type', refusal.code);
      if (refusal.limit !== null) text += this.#named('soapstone.limit', refusal.limit.key);
    }
    if (spans.eventField !== null) text += this.#named('soapstone.subscription.field', spans.eventField);
    text += ']';
    if (spans.links !== null) text += links(spans.links);
    // A request that its caller got wrong is no error of the gateway, whatever the status of its dialect is.
    if (refusal !== null && levelOf(refusal.kind) === 'error')
      text += `,"status":{"code":${ERROR},"message":"${refusal.code}"}`;
    return `${text}}`;
  }

  /** Name, kind and the attributes that most requests have in common. */
  #common(exchange: Exchange, spans: RequestSpans): string {
    const known = this.#requests.find(
      ({ of }) =>
        of.operation === exchange.operation &&
        of.route === exchange.route &&
        of.status === exchange.status &&
        of.outcome === exchange.outcome &&
        of.dialect === exchange.dialect &&
        of.method === exchange.method &&
        of.path === exchange.path &&
        of.isTls === exchange.isTls &&
        of.clientClass === exchange.clientClass,
    );
    if (known !== undefined && spans.eventField === null) return known.text;
    const text = this.#describe(exchange, spans.eventField);
    if (spans.eventField === null) keep(this.#requests, exchange, text);
    return text;
  }

  #describe(exchange: Exchange, eventField: string | null): string {
    const { method, route, path, operation, dialect } = exchange;
    const isHttp = !NO_HTTP.has(method);
    const isGraphql = GRAPHQL_TYPES.has(operation) && route === 'graphql';
    const attributes: string[] = [];
    const add = (key: string, value: string): void => {
      if (value !== '') attributes.push(this.#named(key, value).slice(1));
    };
    if (isHttp) {
      add('http.request.method', method);
      add('url.scheme', exchange.isTls ? 'https' : 'http');
      add('http.route', path);
      add('url.path', path);
      if (exchange.status > 0) attributes.push(integer('http.response.status_code', exchange.status).slice(1));
    }
    if (isGraphql) add('graphql.operation.type', operation);
    if (dialect !== '') {
      add('rpc.system', 'soap');
      add('rpc.service', route);
      add('rpc.method', operation);
    }
    add('soapstone.route', route);
    add('soapstone.operation', operation);
    add('soapstone.dialect', dialect);
    add('soapstone.outcome', exchange.outcome);
    add('soapstone.client.class', exchange.clientClass);
    let name = `${method} ${route}`;
    if (eventField !== null) name = `event ${eventField}`;
    else if (isGraphql) name = method === 'POLL' ? 'poll' : operation;
    else if (dialect !== '' && operation !== '') name = `${route}/${operation}`;
    const kind = isHttp || method === 'WS' ? SERVER : INTERNAL;
    return `,"name":${this.#names.quote(name)},"kind":${kind},"attributes":[${attributes.join(',')}`;
  }

  #attempt(attempt: Attempt, parentId: string, overMillis: number): string {
    const { traceId, spanId, startedMillis, endedMillis, status, code, number } = attempt;
    let text =
      `{"traceId":"${traceId}","spanId":"${spanId}","parentSpanId":"${parentId}"` +
      `,"startTimeUnixNano":"${this.#nanos(startedMillis)}","endTimeUnixNano":"${this.#nanos(endedMillis ?? overMillis)}"` +
      `${this.#callText(attempt)}${integer('soapstone.attempt', number)}`;
    if (status > 0) text += integer('http.response.status_code', status);
    if (number > 1) text += integer('http.request.resend_count', number - 1);
    if (attempt.links !== null) text += flag('soapstone.coalesced', true);
    if (code !== null) text += this.#named('error.type', code);
    else if (status >= 400) text += this.#named('error.type', String(status));
    text += ']';
    if (attempt.links !== null) text += links(attempt.links);
    if (code !== null || status >= 400) text += `,"status":{"code":${ERROR}}`;
    return `${text}}`;
  }

  #callText(attempt: Attempt): string {
    const { service, operation, url } = attempt;
    const known = this.#calls.find(
      ({ of }) =>
        of.url === url && of.operation === operation && of.service === service && of.method === attempt.method,
    );
    if (known !== undefined) return known.text;
    const name = operation === '' ? service : `${service}/${operation}`;
    // Neither query nor credentials: both may hold secrets of the configuration.
    const address = url.origin + url.pathname;
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
    const text =
      `,"name":${this.#names.quote(name)},"kind":${CLIENT},"attributes":[` +
      this.#named('http.request.method', attempt.method).slice(1) +
      this.#named('url.full', address) +
      this.#named('server.address', url.hostname) +
      integer('server.port', port) +
      this.#named('soapstone.service', service) +
      (operation === '' ? '' : this.#named('soapstone.operation', operation));
    keep(this.#calls, attempt, text);
    return text;
  }

  #named(key: string, value: string): string {
    return `,{"key":"${key}","value":{"stringValue":${this.#names.quote(value)}}}`;
  }

  /** Nanoseconds as text, put together from two small numbers: a long one takes several times as long to print. */
  #nanos(millis: number): string {
    const unixMillis = this.#zeroMillis + millis;
    const second = Math.floor(unixMillis / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#secondText = `${second}`;
    }
    const micros = Math.min(999_999, Math.floor((unixMillis - second * 1000) * 1000));
    return `${this.#secondText}${`${1_000_000 + micros}`.slice(1)}000`;
  }
}

interface KeptText<T> {
  readonly of: T;
  readonly text: string;
}

function keep<T>(texts: KeptText<T>[], of: T, text: string): void {
  if (texts.length >= KEPT) texts.shift();
  texts.push({ of, text });
}

const integer = (key: string, value: number): string => `,{"key":"${key}","value":{"intValue":"${Math.round(value)}"}}`;

const seconds = (key: string, millis: number): string =>
  `,{"key":"${key}","value":{"doubleValue":${Math.round(millis * 1000) / 1_000_000}}}`;

const flag = (key: string, value: boolean): string => `,{"key":"${key}","value":{"boolValue":${value}}}`;

const links = (spans: readonly { readonly traceId: string; readonly spanId: string }[]): string =>
  `,"links":[${spans.map(({ traceId, spanId }) => `{"traceId":"${traceId}","spanId":"${spanId}"}`).join(',')}]`;
