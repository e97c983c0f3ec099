import { internal, KIB, type Limits, type LimitTable, limit, MIB } from '../core/index.js';

/** Limits of the envelope and of the gate that holds it back. */
export const SOAP_LIMITS = {
  windowBytes: limit(
    64 * KIB,
    [4 * KIB, MIB],
    'bytes',
    null,
    'A message that ends within this window is validated whole before its first byte is sent ' +
      'on; a longer one is held up to the start tag of its first Body child.',
  ),
  headerBytes: limit(
    256 * KIB,
    [KIB, 4 * MIB],
    'bytes',
    'SOAP_HEADER_LIMIT',
    'Bytes up to the end of the start tag of the first Body child: they are held in memory ' +
      'until they are validated.',
  ),
  headerBlocks: limit(64, [1, 1000], 'count', 'SOAP_HEADER_LIMIT', 'Header blocks of one message.'),
  bufferBytes: limit(
    10 * MIB,
    [64 * KIB, 1024 * MIB],
    'bytes',
    'HTTP_TOO_LARGE',
    'Bytes of a request without a length that are collected where `bufferRequests` is on, ' +
      'of a package whose signature covers parts that its envelope includes, and of a message ' +
      'in a SOAP encoding that `bridge` puts into another version. They are held in memory.',
  ),
  inflateRatio: limit(
    100,
    [2, 2000],
    'count',
    'DECOMPRESSION_LIMIT',
    'Bytes that one byte of a compressed message may become. Kong and Envoy allow 100; ' +
      'gzip itself cannot exceed 1032.',
  ),
  inflateFreeBytes: internal(
    MIB,
    [KIB, 64 * MIB],
    'bytes',
    'DECOMPRESSION_LIMIT',
    'Bytes of a compressed message that are decoded before `inflateRatio` counts.',
  ),
  arrayItems: limit(
    10_000,
    [1, 100_000_000],
    'count',
    'SOAP_ARRAY_LIMIT',
    'Members that an array of a request announces (arrayType, arraySize, offset, position): ' +
      'stacks allocate them at once. Checked for services that are or may be encoded.',
  ),
  ids: internal(
    10_000,
    [16, 1_000_000],
    'count',
    'WSSE_STRUCTURE',
    'Ids and references of one signed request: they are kept until its end to ' +
      'find one that comes twice.',
  ),
  securityMillis: limit(
    5 * 60_000,
    [1000, 60 * 60_000],
    'millis',
    'wsse:MessageExpired',
    'How far Created may lie from now, either way. The UsernameToken profile ' +
      'proposes five minutes.',
  ),
  nonces: limit(
    100_000,
    [100, 10_000_000],
    'count',
    'OVERLOADED',
    'Nonces and signed messages of one service remembered at once. ' +
      'Beyond them `security.verify` refuses until some expire; `security.nonces`, whose ' +
      'senders are not known, forgets the oldest.',
  ),
} satisfies LimitTable;

type SoapLimits = Limits<typeof SOAP_LIMITS>;

/** The limits of a compressed message. */
export interface InflateLimits extends Pick<SoapLimits, 'inflateRatio' | 'inflateFreeBytes'> {
  /** Bytes of the message when it is decoded. */
  readonly messageBytes: number;
}
