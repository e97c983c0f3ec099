import { Buffer } from 'node:buffer';
import protobuf from 'protobufjs';
import type { Test } from 'tap';
import { answerWith, type RecordingBackend } from './backend.js';
import { until } from './until.js';
import { useBackend } from './use.js';

/** A span as its receiver reads it; ids are hexadecimal. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status?: { readonly code: number; readonly message?: string };
}

export interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Span['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

const messages = protobuf.loadSync('test/observe/otlp.proto');

/** A metric as its receiver reads it. */
export interface SentMetric {
  readonly name: string;
  readonly description: string;
  readonly unit?: string;
  readonly gauge?: { readonly dataPoints: readonly SentPoint[] };
  readonly sum?: {
    readonly dataPoints: readonly SentPoint[];
    readonly aggregationTemporality: number;
    readonly isMonotonic: boolean;
  };
  readonly histogram?: {
    readonly dataPoints: readonly SentPoint[];
    readonly aggregationTemporality: number;
  };
}

export interface SentPoint {
  readonly attributes?: Span['attributes'];
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
  readonly asDouble?: number;
  readonly count?: string;
  readonly sum?: number;
  readonly bucketCounts?: readonly string[];
  readonly explicitBounds?: readonly number[];
}

/** A record of a log as its receiver reads it. */
export interface SentRecord {
  readonly timeUnixNano: string;
  readonly severityNumber: number;
  readonly severityText: string;
  readonly body: { readonly stringValue: string };
  readonly attributes: Span['attributes'];
  readonly traceId?: string;
  readonly spanId?: string;
}

/** The metrics that a sender sent. */
export const decodeMetrics = (body: Buffer): readonly SentMetric[] =>
  decode(body, 'ExportMetricsServiceRequest').resourceMetrics[0].scopeMetrics[0].metrics;

/** The records that a sender of a log sent. */
export const decodeRecords = (body: Buffer): readonly SentRecord[] =>
  decode(body, 'ExportLogsServiceRequest').resourceLogs[0].scopeLogs[0].logRecords;

/** Reads what a sender of spans sent. Ids and times become texts. */
export const decodeExport = (body: Buffer): Export => decode(body, 'ExportTraceServiceRequest');

function decode(body: Buffer, name: string) {
  const type = messages.lookupType(`otlp.${name}`);
  const object = type.toObject(type.decode(body), { longs: String });
  return JSON.parse(
    JSON.stringify(object, (_key, value) => (isBytes(value) ? hexOf(value) : value)),
  );
}

/** Buffers are objects with their bytes by the time `JSON.stringify` shows them. */
const isBytes = (value: unknown): value is { readonly data: readonly number[] } =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  value.type === 'Buffer' &&
  'data' in value;

const hexOf = ({ data }: { readonly data: readonly number[] }): string =>
  Buffer.from(data).toString('hex');

/** The answer of a receiver that rejected so many spans. */
export const rejected = (spans: number): Buffer =>
  Buffer.from(
    messages
      .lookupType('otlp.ExportTraceServiceResponse')
      .encode({ partialSuccess: { rejectedSpans: spans, errorMessage: 'no' } })
      .finish(),
  );

export const PROTOBUF = 'application/x-protobuf';

/** Starts an OTLP receiver. */
export async function startReceiver(
  t: Test,
  answer: RecordingBackend['answer'] = answerWith('', PROTOBUF),
) {
  const receiver = await useBackend(t, answer);
  const exports = (): readonly Export[] => receiver.complete.map(({ body }) => decodeExport(body));
  const spans = (): readonly Span[] =>
    exports().flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans: each = [] }) => each)),
    );
  return {
    receiver,
    url: `${receiver.url}/v1/traces`,
    exports,
    spans,
    /** Resolves to the spans, once there are so many. */
    async received(count: number): Promise<readonly Span[]> {
      await until(() => spans().length >= count);
      return spans();
    },
  };
}

/** The values of its attributes by name. */
export const valuesOf = ({ attributes }: Pick<Span, 'attributes'>): ReadonlyMap<string, unknown> =>
  new Map(attributes.map(({ key, value }): [string, unknown] => [key, Object.values(value)[0]]));

export const ofKind = (spans: readonly Span[], kind: number): readonly Span[] =>
  spans.filter((span) => span.kind === kind);
