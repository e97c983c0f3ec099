import { Buffer } from 'node:buffer';

import { tlsCertificates } from '../../core/index.js';

/**
 * The revocation lists of a file, as PEM. Text without any is returned as it is: an error for
 * OpenSSL.
 */
export function listsIn(pem: string): readonly string[] {
  const lists = pem.match(/-----BEGIN X509 CRL-----[^-]*-----END X509 CRL-----/g);
  return lists === null ? [pem] : [...lists];
}

/**
 * The serial numbers that the lists of a file revoke, in hexadecimal without leading zeros,
 * whatever their authority is: a certificate of another authority with the same number has to be
 * verified by a handshake again, and passes it.
 */
export function revokedSerials(pem: string): ReadonlySet<string> {
  const serials = new Set<string>();
  for (const list of listsIn(pem)) {
    const der = derOf(list);
    const entries = tailOf(der)?.entries ?? null;
    for (let at = entries?.start ?? 0; entries !== null && at < entries.end; ) {
      const entry = tlsCertificates.elementAt(der, at);
      const serial =
        entry?.tag === tlsCertificates.TAG.sequence
          ? tlsCertificates.elementAt(der, entry.start)
          : null;
      if (entry === null || serial?.tag !== tlsCertificates.TAG.integer) break;
      serials.add(serialText(der.toString('hex', serial.start, serial.end)));
      at = entry.end;
    }
  }
  return serials;
}

/** A serial number in one form. */
export const serialText = (hex: string): string => hex.toLowerCase().replace(/^0+(?=.)/, '');

/** When a list is due to be replaced; null where it does not say. */
export function nextUpdate(list: string): number | null {
  const der = derOf(list);
  const next = tailOf(der)?.next ?? null;
  return next === null ? null : timeOf(der.toString('latin1', next.start, next.end), next.tag);
}

const derOf = (list: string): Buffer =>
  Buffer.from(list.replace(/-----[A-Z0-9 ]+-----/g, ''), 'base64');

/** The end of a list: `nextUpdate` and the entries, each null without one. */
interface Tail {
  readonly next: tlsCertificates.DerElement | null;
  readonly entries: tlsCertificates.DerElement | null;
}

/**
 * Returns the part of a `CertificateList` (RFC 5280, section 5.1) behind `thisUpdate`. The optional
 * version, the algorithm and the issuer precede that.
 */
function tailOf(der: Buffer): Tail | null {
  const list = tlsCertificates.elementAt(der, 0);
  const content =
    list?.tag === tlsCertificates.TAG.sequence ? tlsCertificates.elementAt(der, list.start) : null;
  if (content?.tag !== tlsCertificates.TAG.sequence) return null;
  const after = ({ end }: tlsCertificates.DerElement): tlsCertificates.DerElement | null =>
    end < content.end ? tlsCertificates.elementAt(der, end) : null;
  let element = tlsCertificates.elementAt(der, content.start);
  const [algorithm, issuer] = [tlsCertificates.TAG.sequence, tlsCertificates.TAG.sequence];
  if (element?.tag === tlsCertificates.TAG.integer) {
    element = after(element);
  }
  for (const tag of [algorithm, issuer]) {
    if (element?.tag !== tag) return null;
    element = after(element);
  }
  if (element === null || !isTime(element.tag)) return null;
  const third = after(element);
  const next = third !== null && isTime(third.tag) ? third : null;
  const entries = next === null ? third : after(next);
  return { next, entries: entries?.tag === tlsCertificates.TAG.sequence ? entries : null };
}

const isTime = (tag: number): boolean =>
  tag === tlsCertificates.TAG.utcTime || tag === tlsCertificates.TAG.generalizedTime;

/**
 * `YYMMDDhhmmssZ`, where years from 50 on are those of the last century, or with four digits of the
 * year.
 */
function timeOf(text: string, tag: number): number | null {
  const full =
    tag === tlsCertificates.TAG.generalizedTime
      ? text
      : `${Number(text.slice(0, 2)) < 50 ? '20' : '19'}${text}`;
  const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(full);
  if (match === null) return null;
  const [year = 0, month = 0, ...rest] = match.slice(1).map(Number);
  const [day = 0, hour = 0, minute = 0, second = 0] = rest;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
