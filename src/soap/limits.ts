import { GIB, KIB, type Limits, type LimitTable, MIB } from '../base/limit.js';

/** Limits of the envelope and of the gate that holds it back. */
export const SOAP_LIMITS = {
  windowBytes: {
    default: 64 * KIB,
    min: 4 * KIB,
    max: MIB,
    unit: 'bytes',
    refusal: null,
    text: 'A message that ends within this window is validated whole before its first byte is sent on; a longer one is held up to the start tag of its first Body child.',
  },
  headerBytes: {
    default: 256 * KIB,
    min: KIB,
    max: 4 * MIB,
    unit: 'bytes',
    refusal: 'SOAP_HEADER_LIMIT',
    text: 'Bytes up to the end of the start tag of the first Body child: they are held in memory until they are validated.',
  },
  headerBlocks: {
    default: 64,
    min: 1,
    max: 1000,
    unit: 'count',
    refusal: 'SOAP_HEADER_LIMIT',
    text: 'Header blocks of one message.',
  },
  bufferBytes: {
    default: 10 * MIB,
    min: 64 * KIB,
    max: GIB,
    unit: 'bytes',
    refusal: 'HTTP_TOO_LARGE',
    text: 'Bytes of a request without a length that are collected where `bufferRequests` is on; they are held in memory.',
  },
  inflateRatio: {
    default: 100,
    min: 2,
    max: 2000,
    unit: 'count',
    refusal: 'DECOMPRESSION_LIMIT',
    text: 'Bytes that one byte of a compressed message may become. Kong and Envoy allow 100; gzip itself cannot exceed 1032.',
  },
  inflateFreeBytes: {
    default: MIB,
    min: KIB,
    max: 64 * MIB,
    unit: 'bytes',
    refusal: 'DECOMPRESSION_LIMIT',
    text: 'Bytes of a compressed message that are decoded before `inflateRatio` counts.',
  },
  arrayItems: {
    default: 10_000,
    min: 1,
    max: 100_000_000,
    unit: 'count',
    refusal: 'SOAP_ARRAY_LIMIT',
    text: 'Members that an array of a request announces (arrayType, arraySize, offset, position): stacks allocate them at once. Checked for services that are or may be encoded.',
  },
  ids: {
    default: 10_000,
    min: 16,
    max: 1_000_000,
    unit: 'count',
    refusal: 'WSSE_STRUCTURE',
    text: 'Ids and references of one signed request: they are kept until its end to find one that comes twice.',
  },
  securityMillis: {
    default: 5 * 60_000,
    min: 1000,
    max: 60 * 60_000,
    unit: 'millis',
    refusal: 'wsse:MessageExpired',
    text: 'How far Created may lie from now, either way. The UsernameToken profile proposes five minutes.',
  },
  nonces: {
    default: 100_000,
    min: 100,
    max: 10_000_000,
    unit: 'count',
    refusal: null,
    text: 'Nonces of one service remembered at once; beyond them the oldest are forgotten.',
  },
} as const satisfies LimitTable;

export type SoapLimits = Limits<typeof SOAP_LIMITS>;

/** The limits of a compressed message. */
export interface InflateLimits extends Pick<SoapLimits, 'inflateRatio' | 'inflateFreeBytes'> {
  /** Bytes of the message when it is decoded. */
  readonly messageBytes: number;
}
