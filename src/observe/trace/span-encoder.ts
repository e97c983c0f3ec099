import { Buffer } from 'node:buffer';
import { refusals } from '../../core/index.js';
import type { Exchange } from '../../gateway/exchange.js';
import type { SpanContext } from '../../gateway/trace-headers.js';
import { HTTP_METHODS, NO_HTTP } from '../metrics/http-durations.js';
import { TallyTable } from '../metrics/tally.js';
import { ITEM_FIELD } from '../otlp/envelope.js';
import { ProtoWriter } from '../otlp/proto-writer.js';
import type { Attempt, RequestSpans } from './request-spans.js';

/**
 * Bytes of a span at most: some thirty attributes, of which each has a text of 256 units, and its
 * links.
 */
export const SPAN_BYTES_MAX = 32 * 1024;
/** How many descriptions of an operation are kept: its outcomes, statuses and addresses. */
const KEPT = 32;

/** Fields of `Span` (opentelemetry/proto/trace/v1/trace.proto). */
const TRACE_ID = 1;
const SPAN_ID = 2;
const PARENT_SPAN_ID = 4;
const NAME = 5;
const KIND = 6;
const START_TIME = 7;
const END_TIME = 8;
const ATTRIBUTES = 9;
const LINKS = 13;
const STATUS = 15;
/** Fields of `Status`. */
const MESSAGE = 2;
const CODE = 3;

/** Kinds of spans. */
const INTERNAL = 1;
const SERVER = 2;
const CLIENT = 3;
const ERROR = 2;

const GRAPHQL_TYPES: ReadonlySet<string> = new Set(['query', 'mutation', 'subscription']);

/**
 * Spans in the protobuf encoding of OTLP. Name, kind and the attributes that most spans of an
 * operation have in common are encoded once and copied.
 */
export class SpanEncoder {
  readonly #scratch = new ProtoWriter(Buffer.allocUnsafeSlow(SPAN_BYTES_MAX));
  readonly #requests = new TallyTable<KeptFields<RequestKind>[]>(2, () => []);
  readonly #calls = new TallyTable<KeptFields<CallKind>[]>(2, () => []);
  /** Unix time of the zero of `performance.now()`. */
  #zeroMillis = 0;

  /** Takes the clock of the system, which may have been set since. */
  setClock(zeroMillis: number): void {
    this.#zeroMillis = zeroMillis;
  }

  /** Writes the span of a request. */
  request(writer: ProtoWriter, exchange: Exchange, spans: RequestSpans, overMillis: number): void {
    const { refusal } = exchange;
    const span = writer.begin(ITEM_FIELD);
    writer.hex(TRACE_ID, spans.traceId);
    writer.hex(SPAN_ID, spans.spanId);
    if (spans.parentId !== '') {
      writer.hex(PARENT_SPAN_ID, spans.parentId);
    }
    writer.time(START_TIME, this.#zeroMillis + exchange.startedMillis);
    writer.time(END_TIME, this.#zeroMillis + overMillis);
    writer.copy(this.#requestFields(exchange, spans.eventField));
    writeConnection(writer, exchange);
    writeWork(writer, exchange);
    if (refusal !== null) {
      writer.attribute(ATTRIBUTES, 'error.type', refusal.code);
      if (refusal.limit !== null) {
        writer.attribute(ATTRIBUTES, 'soapstone.limit', refusal.limit.key);
      }
    }
    if (spans.eventField !== null) {
      writer.attribute(ATTRIBUTES, 'soapstone.subscription.field', spans.eventField);
    }
    writeLinks(writer, spans.links);
    // A request that its caller got wrong is no error of the gateway, whatever the status of its
    // dialect is.
    if (refusal !== null && refusals.levelOf(refusal.kind) === 'error') {
      writeError(writer, refusal.code);
    }
    writer.end(span);
  }

  /** Writes the span of an attempt to call a backend. */
  attempt(writer: ProtoWriter, attempt: Attempt, parentId: string, overMillis: number): void {
    const span = writer.begin(ITEM_FIELD);
    writer.hex(TRACE_ID, attempt.traceId);
    writer.hex(SPAN_ID, attempt.spanId);
    writer.hex(PARENT_SPAN_ID, parentId);
    writer.time(START_TIME, this.#zeroMillis + attempt.startedMillis);
    writer.time(END_TIME, this.#zeroMillis + (attempt.endedMillis ?? overMillis));
    writer.copy(this.#callFields(attempt));
    if (attempt.links !== null) {
      writer.attribute(ATTRIBUTES, 'soapstone.coalesced', true);
      writeLinks(writer, attempt.links);
    }
    writer.end(span);
  }

  /** Name, kind and the attributes that requests of this kind have in common. */
  #requestFields(exchange: Exchange, eventField: string | null): Uint8Array {
    // The field of an event is not among what is compared.
    if (eventField !== null) return this.#describe(exchange, eventField);
    const kept = this.#requests.find(exchange.route, exchange.operation);
    for (const { of, fields } of kept) {
      if (isSameKind(of, exchange)) return fields;
    }
    return keep(kept, kindOf(exchange), this.#describe(exchange, null));
  }

  #describe(exchange: Exchange, eventField: string | null): Uint8Array {
    const { method, route, path, operation, dialect } = exchange;
    const isHttp = !NO_HTTP.has(method);
    const isGraphql = GRAPHQL_TYPES.has(operation) && route === 'graphql';
    const isRpc = dialect !== '' && operation !== '';
    let name = path === '' ? method : `${method} ${path}`;
    if (eventField !== null) {
      name = `event ${eventField}`;
    } else if (isGraphql) {
      name = method === 'POLL' ? 'poll' : operation;
    } else if (isRpc) {
      name = `${route}/${operation}`;
    }
    const writer = this.#begin(name, isHttp || method === 'WS' ? SERVER : INTERNAL);
    const add = (key: string, value: string): void => {
      if (value !== '') {
        writer.attribute(ATTRIBUTES, key, value);
      }
    };
    if (isHttp) {
      add('http.request.method', HTTP_METHODS.has(method) ? method : '_OTHER');
      add('url.scheme', exchange.isTls ? 'https' : 'http');
      add('http.route', path);
      add('url.path', path);
      if (exchange.status > 0) {
        writer.attribute(ATTRIBUTES, 'http.response.status_code', exchange.status);
      }
    }
    if (isGraphql) {
      add('graphql.operation.type', operation);
    }
    if (dialect !== '') {
      add('rpc.system.name', 'soap');
    }
    if (isRpc) {
      add('rpc.method', `${route}/${operation}`);
    }
    add('soapstone.route', route);
    add('soapstone.operation', operation);
    add('soapstone.dialect', dialect);
    add('soapstone.outcome', exchange.outcome);
    add('soapstone.client.class', exchange.caller.className);
    return Uint8Array.from(writer.bytes.subarray(0, writer.length));
  }

  #callFields(attempt: Attempt): Uint8Array {
    const { service, operation, method, url, number, status, code } = attempt;
    const kept = this.#calls.find(service, operation);
    for (const { of, fields } of kept) {
      if (isSameCall(of, attempt)) return fields;
    }
    const writer = this.#begin(
      [service, operation].filter((each) => each !== '').join('/'),
      CLIENT,
    );
    writer.attribute(ATTRIBUTES, 'http.request.method', method);
    // Neither query nor credentials: both may hold secrets of the configuration.
    writer.attribute(ATTRIBUTES, 'url.full', url.origin + url.pathname);
    writer.attribute(ATTRIBUTES, 'server.address', url.hostname);
    writer.attribute(
      ATTRIBUTES,
      'server.port',
      Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
    );
    if (service !== '') {
      writer.attribute(ATTRIBUTES, 'soapstone.service', service);
    }
    if (operation !== '') {
      writer.attribute(ATTRIBUTES, 'soapstone.operation', operation);
    }
    writer.attribute(ATTRIBUTES, 'soapstone.attempt', number);
    if (status > 0) {
      writer.attribute(ATTRIBUTES, 'http.response.status_code', status);
    }
    if (number > 1) {
      writer.attribute(ATTRIBUTES, 'http.request.resend_count', number - 1);
    }
    if (code !== null) {
      writer.attribute(ATTRIBUTES, 'error.type', code);
    } else if (status >= 400) {
      writer.attribute(ATTRIBUTES, 'error.type', String(status));
    }
    // A caller that leaves is no error of the backend.
    if (code === null ? status >= 400 : code !== 'CLIENT_GONE') {
      writeError(writer, '');
    }
    return keep(
      kept,
      { service, operation, method, url, number, status, code },
      Uint8Array.from(writer.bytes.subarray(0, writer.length)),
    );
  }

  #begin(name: string, kind: number): ProtoWriter {
    const writer = this.#scratch;
    writer.length = 0;
    writer.text(NAME, name);
    writer.number(KIND, kind);
    return writer;
  }
}

interface KeptFields<T> {
  readonly of: T;
  readonly fields: Uint8Array;
}

function keep<T>(kept: KeptFields<T>[], of: T, fields: Uint8Array): Uint8Array {
  if (kept.length >= KEPT) {
    kept.shift();
  }
  kept.push({ of, fields });
  return fields;
}

/** What requests have in common whose fields are the same. */
type RequestKind = Pick<
  Exchange,
  'method' | 'route' | 'path' | 'operation' | 'dialect' | 'status' | 'outcome' | 'isTls'
> & { readonly className: string };
type CallKind = Pick<
  Attempt,
  'service' | 'operation' | 'method' | 'url' | 'number' | 'status' | 'code'
>;

function kindOf(exchange: Exchange): RequestKind {
  const { method, route, path, operation, dialect, status, outcome, isTls, caller } = exchange;
  return {
    method,
    route,
    path,
    operation,
    dialect,
    status,
    outcome,
    isTls,
    className: caller.className,
  };
}

const isSameKind = (one: RequestKind, other: Exchange): boolean =>
  one.operation === other.operation &&
  one.route === other.route &&
  one.status === other.status &&
  one.outcome === other.outcome &&
  one.dialect === other.dialect &&
  one.method === other.method &&
  one.path === other.path &&
  one.isTls === other.isTls &&
  one.className === other.caller.className;

const isSameCall = (one: CallKind, other: CallKind): boolean =>
  one.url === other.url &&
  one.status === other.status &&
  one.number === other.number &&
  one.code === other.code &&
  one.method === other.method &&
  one.operation === other.operation &&
  one.service === other.service;

/** Writes which peer sent the request, and how much passed. */
function writeConnection(writer: ProtoWriter, exchange: Exchange): void {
  writer.attribute(ATTRIBUTES, 'soapstone.id', exchange.id);
  if (exchange.client !== '') {
    writer.attribute(ATTRIBUTES, 'client.address', exchange.client);
  }
  if (exchange.peer !== exchange.client) {
    writer.attribute(ATTRIBUTES, 'network.peer.address', exchange.peer);
  }
  if (exchange.bytesIn > 0) {
    writer.attribute(ATTRIBUTES, 'http.request.body.size', exchange.bytesIn);
  }
  if (exchange.bytesOut > 0) {
    writer.attribute(ATTRIBUTES, 'http.response.body.size', exchange.bytesOut);
  }
}

/** Writes what the request took: time held, calls, cost, use of the cache. */
function writeWork(writer: ProtoWriter, exchange: Exchange): void {
  if (exchange.heldMillis !== null) {
    writer.double(
      ATTRIBUTES,
      'soapstone.held.duration',
      Math.round(exchange.heldMillis * 1000) / 1_000_000,
    );
  }
  if (exchange.upstream.calls > 1) {
    writer.attribute(ATTRIBUTES, 'soapstone.upstream.calls', exchange.upstream.calls);
  }
  if (exchange.upstream.backend !== null) {
    writer.attribute(ATTRIBUTES, 'soapstone.backend', exchange.upstream.backend);
  }
  if (exchange.graphql.cost !== null) {
    writer.attribute(ATTRIBUTES, 'soapstone.cost', exchange.graphql.cost);
  }
  if (exchange.graphql.actualCost !== null) {
    writer.attribute(ATTRIBUTES, 'soapstone.cost.actual', exchange.graphql.actualCost);
  }
  if (exchange.graphql.operationName !== '') {
    writer.attribute(ATTRIBUTES, 'graphql.operation.name', exchange.graphql.operationName);
  }
  if (exchange.faultCode !== null) {
    writer.attribute(ATTRIBUTES, 'soapstone.fault.code', exchange.faultCode);
  }
  if (exchange.upstream.cacheUses !== null) {
    const outcomes = exchange.upstream.cacheUses.map(({ outcome }) => outcome);
    writer.attribute(
      ATTRIBUTES,
      'soapstone.cached',
      outcomes.includes('hit') || outcomes.includes('stale'),
    );
    writer.attribute(ATTRIBUTES, 'soapstone.coalesced', outcomes.includes('coalesced'));
  }
}

function writeLinks(writer: ProtoWriter, links: readonly SpanContext[] | null): void {
  if (links === null) return;
  for (const { traceId, spanId } of links) {
    const link = writer.begin(LINKS);
    writer.hex(TRACE_ID, traceId);
    writer.hex(SPAN_ID, spanId);
    writer.end(link);
  }
}

function writeError(writer: ProtoWriter, message: string): void {
  const status = writer.begin(STATUS);
  if (message !== '') {
    writer.text(MESSAGE, message);
  }
  writer.number(CODE, ERROR);
  writer.end(status);
}
