import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { byteBuffers } from '../../core/index.js';
import { printContentType } from './media-type.js';
import { type PackageType, XOP_PACKAGE } from './package-type.js';

/** A piece of a message: a file is still on its way. */
export type PackagePiece = Buffer | byteBuffers.FileContent;

/** A part of a package beside its envelope. */
export interface PackagePart {
  /** The Content-ID. */
  readonly id: string;
  readonly mediaType: string;
  readonly bytes: PackagePiece;
}

/** The Content-ID that names a part of the WSDL (WS-I Attachments Profile 1.0 section 3.8). */
export const contentIdOf = (part: string): string =>
  `${encodeURIComponent(part)}=${randomUUID()}@soapstone`;

/**
 * The form of a package: by XOP 1.0, where its envelope includes parts; by SOAP Messages with
 * Attachments.
 */
export interface PackageForm {
  /** The media type of the envelope, without parameters. */
  readonly mediaType: string;
  /** The action of SOAP 1.2; null where it is in a field of its own. */
  readonly action: string | null;
  readonly isXop: boolean;
}

/** A message with parts beside its envelope. */
export interface WrittenPackage {
  readonly contentType: string;
  /** The same, as a reader of the package needs it. */
  readonly type: PackageType;
  /** In their order. */
  readonly pieces: readonly PackagePiece[];
  /** The offset in the message at which the envelope begins. */
  readonly envelopeOffset: number;
}

/**
 * Writes an envelope, which comes in pieces, with its parts as one package, the envelope first (RFC
 * 2387).
 */
export function writePackage(
  envelope: readonly PackagePiece[],
  { mediaType, action, isXop }: PackageForm,
  parts: readonly PackagePart[],
): WrittenPackage {
  const boundary = `part_${randomUUID()}`;
  const root = `root=${randomUUID()}@soapstone`;
  const head = (type: string, coding: string, id: string, before = ''): Buffer =>
    Buffer.from(
      `${before}--${boundary}\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: ` +
        `${coding}\r\nContent-ID: <${id}>\r\n\r\n`,
    );
  const own = isXop
    ? `${XOP_PACKAGE}; charset=UTF-8; type="${mediaType}"`
    : printContentType(mediaType, 'utf-8', action);
  const rootHead = head(isXop ? printContentType(own, null, action) : own, '8bit', root);
  const info = isXop ? `type="${XOP_PACKAGE}"; start-info="${mediaType}"` : `type="${mediaType}"`;
  const outer = `multipart/related; ${info}; start="<${root}>"; boundary="${boundary}"`;
  return {
    // Stacks look for the action of SOAP 1.2 in the type of the whole message.
    contentType: isXop ? printContentType(outer, null, action) : outer,
    type: {
      boundary,
      start: root,
      type: isXop ? XOP_PACKAGE : mediaType,
      envelopeType: mediaType,
      action,
    },
    pieces: [
      rootHead,
      ...envelope,
      ...parts.flatMap(({ id, mediaType: type, bytes }) => [
        head(type, 'binary', id, '\r\n'),
        bytes,
      ]),
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ],
    envelopeOffset: rootHead.length,
  };
}
