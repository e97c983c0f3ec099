import type { Identity } from './certificates.js';
import { encryptGcm, encryptPiece, XENC, XENC11 } from './encrypted-message.js';
import { envelope } from './envelope.js';
import { DS, securityOf } from './signed-message.js';

/** Encrypted messages in packages of parts: XOP 1.0, and SOAP Messages with Attachments. */

export const SWA = 'http://docs.oasis-open.org/wss/oasis-wss-SwAProfile-1.1#';

export interface WrittenPart {
  readonly id: string;
  readonly type?: string;
  readonly content: Buffer;
}

/** The Content-Type of a package, by the media type of its root. */
export const packageType = (root: 'text/xml' | 'application/xop+xml'): string =>
  `multipart/related; boundary=b; type="${root}"; start="<root>"; start-info="text/xml"`;

export function packed(
  message: string,
  parts: readonly WrittenPart[],
  root: 'text/xml' | 'application/xop+xml' = 'text/xml',
): Buffer {
  const type = root === 'text/xml' ? root : `${root}; type="text/xml"`;
  const head = `--b\r\nContent-Type: ${type}; charset=utf-8\r\nContent-ID: <root>\r\n\r\n`;
  return Buffer.concat([
    Buffer.from(`${head}${message}\r\n`),
    ...parts.flatMap(({ id, type: own = 'application/octet-stream', content }) => [
      Buffer.from(
        `--b\r\nContent-Type: ${own}\r\nContent-Transfer-Encoding: binary\r\n` +
          `Content-ID: <${id}>\r\n\r\n`,
      ),
      content,
      Buffer.from('\r\n'),
    ]),
    Buffer.from('--b--\r\n'),
  ]);
}

/** Moves each CipherValue of a message into a part of its package, as CXF writes them. */
export function withCiphersInParts(
  message: string,
  alter: (content: Buffer, index: number) => Buffer = (content) => content,
): { readonly message: string; readonly parts: readonly WrittenPart[] } {
  const parts: WrittenPart[] = [];
  const moved = message.replace(
    /(?<=<xenc:CipherValue>)[^<]*(?=<\/xenc:CipherValue>)/g,
    (letters) => {
      const id = `cipher-${parts.length}@desk`;
      parts.push({ id, content: alter(Buffer.from(letters, 'base64'), parts.length) });
      const url = `cid:${encodeURIComponent(id)}`;
      return `<xop:Include xmlns:xop="http://www.w3.org/2004/08/xop/include" href="${url}"/>`;
    },
  );
  return { message: moved, parts };
}

/** How an attachment is encrypted. */
export interface AttachmentOptions {
  readonly form?: 'Content-Only' | 'Complete';
  readonly url?: string;
  /** Changes the encrypted bytes. */
  readonly alter?: (bytes: Buffer) => Buffer;
  readonly mediaType?: string;
}

/** Encrypts an attachment for a certificate: what its Security block gets, and its part. */
export function encryptAttachment(
  identity: Identity,
  id: string,
  content: Buffer,
  options: AttachmentOptions = {},
): { readonly security: string; readonly part: WrittenPart } {
  const {
    form = 'Content-Only',
    url = `cid:${encodeURIComponent(id)}`,
    alter = (bytes) => bytes,
    mediaType = 'application/pdf',
  } = options;
  const { key, contentKey, info } = encryptPiece(identity, '', id.replace(/\W/g, ''));
  const head = Buffer.from(`Content-ID: <${id}>\r\nContent-Type: ${mediaType}\r\n\r\n`);
  const plain = form === 'Complete' ? Buffer.concat([head, content]) : content;
  const data =
    `<xenc:EncryptedData xmlns:xenc="${XENC}" Id="ED-${id.replace(/\W/g, '')}" ` +
    `MimeType="${mediaType}" Type="${SWA}Attachment-${form}">` +
    `<xenc:EncryptionMethod Algorithm="${XENC11}aes256-gcm"></xenc:EncryptionMethod>${info}` +
    `<xenc:CipherData><xenc:CipherReference URI="${url}"><xenc:Transforms>` +
    `<ds:Transform xmlns:ds="${DS}" Algorithm="${SWA}Attachment-Ciphertext-Transform">` +
    '</ds:Transform></xenc:Transforms></xenc:CipherReference></xenc:CipherData>' +
    '</xenc:EncryptedData>';
  return { security: key + data, part: { id, content: alter(encryptGcm(plain, contentKey)) } };
}

/** A message whose Security block holds this. */
export const withSecurity = (content: string, security: string): string =>
  envelope(content, securityOf([security]));
