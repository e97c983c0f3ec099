import { Refusal, refuseByLimit } from '../../core/index.js';
import { withoutBrackets } from './boundaries/part-head.js';
import { type MediaType, readContentType, readMediaType } from './media-type.js';
import type { MimeLimits } from './mime-limits.js';

/** The media type of a package: MTOM, or SOAP with Attachments. */
export const PACKAGE = 'multipart/related';
/** The media type of an envelope some of whose content is in other parts: XOP 1.0 section 5. */
export const XOP_PACKAGE = 'application/xop+xml';

/** The Content-Type of a package (RFC 2387) as its reader needs it. */
export interface PackageType {
  readonly boundary: string;
  /** The Content-ID of the part that holds the envelope; null when it is the first. */
  readonly start: string | null;
  /** The media type of that part, or null when there is none. */
  readonly type: string | null;
  /**
   * The media type of the envelope: that of its part, or for XOP that of `start-info`. Null when
   * there is none.
   */
  readonly envelopeType: string | null;
  /** The action that stands with it (RFC 3902), or null. */
  readonly action: string | null;
}

/** RFC 2046 section 5.1.1. */
const BOUNDARY = /^[0-9A-Za-z'()+_,./:=? -]*[0-9A-Za-z'()+_,./:=?-]$/;

/** Reads the Content-Type of a package. Throws `MTOM_STRUCTURE` where a part of it is missing. */
export function readPackageType(header: string, limits: MimeLimits): PackageType {
  const parameters = readContentType(header)?.parameters;
  const boundary = parameters?.get('boundary') ?? '';
  if (parameters === undefined || !BOUNDARY.test(boundary)) {
    throw new Refusal('MTOM_STRUCTURE', 'no valid boundary in the Content-Type');
  }
  if (boundary.length > limits.boundaryChars) {
    throw refuseByLimit(
      'MTOM_STRUCTURE',
      'limits.mime.boundaryChars',
      limits.boundaryChars,
      boundary.length,
    );
  }
  for (const name of parameters.keys()) {
    // RFC 2231: a boundary in pieces is one for some readers and none for others.
    if (name.includes('*')) {
      throw new Refusal('MTOM_STRUCTURE', 'a parameter of the Content-Type in pieces');
    }
  }
  // A reader that searches for the parameter's text finds it in a quoted value, or in the end of
  // another name.
  for (const piece of ['boundary', 'start']) {
    if (occurrences(header.toLowerCase(), `${piece}=`) > (parameters.has(piece) ? 1 : 0)) {
      throw new Refusal('MTOM_STRUCTURE', 'a parameter of the Content-Type within another');
    }
  }
  const start = parameters.get('start') ?? null;
  const type = parameters.get('type') ?? null;
  const named = type === null ? null : readMediaType(type);
  if (type !== null && named === null) {
    throw new Refusal('MTOM_STRUCTURE', 'the parameter type is no media type of an envelope');
  }
  const info = named?.name === XOP_PACKAGE ? readMediaType(parameters.get('start-info')) : null;
  const actions = new Set(
    [parameters.get('action'), info?.action, named?.action].filter(
      (action) => action !== undefined && action !== null,
    ),
  );
  // Each of them is the one that some stack reads.
  if (actions.size > 1) {
    throw new Refusal('MTOM_STRUCTURE', 'the Content-Type names several actions');
  }
  const [action = null] = actions;
  return {
    boundary,
    start: start === null ? null : withoutBrackets(start),
    type: named?.name ?? null,
    envelopeType: named?.name === XOP_PACKAGE ? (info?.name ?? null) : (named?.name ?? null),
    action,
  };
}

const occurrences = (text: string, piece: string): number => text.split(piece).length - 1;

/**
 * The media type of the envelope in a part with this Content-Type. Null for what is no envelope.
 */
export function readEnvelopePart(contentType: string | null, outer: PackageType): MediaType | null {
  const type = contentType === null ? null : readContentType(contentType);
  if (type === null || (outer.type !== null && outer.type !== type.name)) return null;
  const charset = type.parameters.get('charset')?.toLowerCase() ?? null;
  const inner = type.name === XOP_PACKAGE ? readMediaType(type.parameters.get('type')) : null;
  const own = type.parameters.get('action') ?? null;
  const action = own ?? inner?.action ?? null;
  if (own !== null && inner !== null && inner.action !== null && inner.action !== own) return null;
  if (type.name !== XOP_PACKAGE) return { name: type.name, charset, action };
  const name = inner?.name ?? outer.envelopeType;
  if (name === null || (outer.envelopeType !== null && name !== outer.envelopeType)) return null;
  return { name, charset, action };
}

/**
 * The media type of the envelope that probably comes under this Content-Type, in order or not; ''
 * for none.
 */
export function likelyEnvelopeType(header: string | undefined): string {
  const outer = readMediaType(header);
  if (header === undefined || outer === null) return '';
  if (outer.name !== PACKAGE) return outer.name;
  const parameters = readContentType(header)?.parameters;
  const named = readMediaType(parameters?.get('type'))?.name ?? '';
  return named === XOP_PACKAGE ? (readMediaType(parameters?.get('start-info'))?.name ?? '') : named;
}
