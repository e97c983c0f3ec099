import { internal, KIB, type Limits, type LimitTable, limit } from '../../core/index.js';

/** Limits of the package around an envelope: MTOM, and SOAP with Attachments. */
export const MIME_LIMITS = {
  parts: limit(
    100,
    [1, 10_000],
    'count',
    'MTOM_STRUCTURE',
    'Parts of one package, the envelope included; Includes are as many at most.',
  ),
  partHeaderBytes: internal(
    8 * KIB,
    [256, 64 * KIB],
    'bytes',
    'MTOM_STRUCTURE',
    'Bytes of the header of one part. Mail programs allow this much.',
  ),
  boundaryChars: internal(
    70,
    [1, 70],
    'chars',
    'MTOM_STRUCTURE',
    'Length of the boundary between the parts; RFC 2046 allows 70.',
  ),
  outsideBytes: internal(
    KIB,
    [2, 64 * KIB],
    'bytes',
    'MTOM_STRUCTURE',
    'Bytes before the first part, and bytes after the last: they are not read, and no stack ' +
      'sends more than a line end.',
  ),
} satisfies LimitTable;

export type MimeLimits = Limits<typeof MIME_LIMITS>;
