import { Buffer } from 'node:buffer';

import { firstEnd } from '../base/first-end.js';

/** When the first revocation list of a PEM file is due to be replaced (`nextUpdate`); null where none says so. */
export const listEndMillis = firstEnd('X509 CRL', (list) =>
  nextUpdate(Buffer.from(list.replace(/-----[A-Z0-9 ]+-----/g, ''), 'base64')),
);

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;

/**
 * The `nextUpdate` of a `CertificateList` in DER (RFC 5280, section 5.1): after the optional version, the algorithm, the
 * issuer and `thisUpdate`.
 */
function nextUpdate(der: Buffer): number | null {
  const list = elementAt(der, 0);
  const content = list?.tag === SEQUENCE ? elementAt(der, list.start) : null;
  if (content?.tag !== SEQUENCE) return null;
  let element = elementAt(der, content.start);
  const [algorithm, issuer] = [SEQUENCE, SEQUENCE];
  if (element?.tag === INTEGER) element = elementAt(der, element.end);
  for (const tag of [algorithm, issuer]) {
    if (element?.tag !== tag) return null;
    element = elementAt(der, element.end);
  }
  if (element === null || !isTime(element.tag)) return null;
  const next = element.end < content.end ? elementAt(der, element.end) : null;
  return next === null || !isTime(next.tag) ? null : timeOf(der.toString('latin1', next.start, next.end), next.tag);
}

const isTime = (tag: number): boolean => tag === UTC_TIME || tag === GENERALIZED_TIME;

/** One element: its tag, and where its content begins and ends. Null for what is no DER. */
function elementAt(
  der: Buffer,
  at: number,
): { readonly tag: number; readonly start: number; readonly end: number } | null {
  if (at + 2 > der.length) return null;
  const [tag = 0, first = 0] = der.subarray(at, at + 2);
  const bytes = first < 0x80 ? 0 : first & 0x7f;
  if (bytes > 4 || at + 2 + bytes > der.length) return null;
  const length = bytes === 0 ? first : der.readUIntBE(at + 2, bytes);
  const start = at + 2 + bytes;
  return start + length > der.length ? null : { tag, start, end: start + length };
}

/** `YYMMDDhhmmssZ`, where years from 50 on are those of the last century, or with four digits of the year. */
function timeOf(text: string, tag: number): number | null {
  const full = tag === GENERALIZED_TIME ? text : `${Number(text.slice(0, 2)) < 50 ? '20' : '19'}${text}`;
  const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(full);
  if (match === null) return null;
  const [year = 0, month = 0, ...rest] = match.slice(1).map(Number);
  const [day = 0, hour = 0, minute = 0, second = 0] = rest;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
