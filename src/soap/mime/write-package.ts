import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';

/** A part of a package beside its envelope. */
export interface PackagePart {
  /** The part of the WSDL that it is. */
  readonly part: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** A message with attachments. */
export interface WrittenPackage {
  readonly contentType: string;
  readonly body: Buffer;
  /** The offset in `body` at which the envelope begins. */
  readonly envelopeOffset: number;
}

/**
 * Writes an envelope with its attachments as one package, the envelope first (SOAP Messages with Attachments, RFC 2387).
 * `contentType` is that of the envelope. Content-IDs name the parts by WS-I Attachments Profile 1.0 section 3.8.
 */
export function writePackage(envelope: Buffer, contentType: string, parts: readonly PackagePart[]): WrittenPackage {
  const boundary = `part_${randomUUID()}`;
  const root = `root=${randomUUID()}@soapstone`;
  const head = (type: string, coding: string, id: string): Buffer =>
    Buffer.from(
      `--${boundary}\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: ${coding}\r\nContent-ID: <${id}>\r\n\r\n`,
    );
  const rootHead = head(contentType, '8bit', root);
  const others = parts.flatMap(({ part, mediaType, bytes }) => [
    LINE_END,
    head(mediaType, 'binary', `${encodeURIComponent(part)}=${randomUUID()}@soapstone`),
    bytes,
  ]);
  const mediaType = contentType.split(';', 1)[0];
  return {
    contentType: `multipart/related; type="${mediaType}"; start="<${root}>"; boundary="${boundary}"`,
    body: Buffer.concat([rootHead, envelope, ...others, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    envelopeOffset: rootHead.length,
  };
}

const LINE_END = Buffer.from('\r\n');
