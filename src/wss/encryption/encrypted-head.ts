import { Buffer } from 'node:buffer';
import { dialectOfUri } from '../../soap/index.js';
import { type canonical, escapeQuoted, expandedName, type StartTag } from '../../xml/index.js';
import { securityOf } from '../header-verification.js';
import { unsupportedAlgorithm } from '../security-refusals.js';
import { DS, WSSE, WSSE11, WSU, XENC } from '../wsse-names.js';
import { type ContentCipher, XENC11 } from './cipher-names.js';
import { ContentEncipher } from './content-encipher.js';
import { edited, type HeadEdit } from './head-edits.js';
import { type MessageKey, newId } from './message-key.js';

/** A part that is encrypted: the content of Body, an element of the Security block, a block. */
export type EncryptedPart =
  | 'Body'
  | 'Signature'
  | 'UsernameToken'
  | 'Assertion'
  | 'attachments'
  | { readonly block: string };

export interface EncryptionRules {
  readonly cipher: ContentCipher;
  readonly parts: readonly EncryptedPart[];
  /** The actor or role of the Security block that names the key. */
  readonly role: string | null;
  readonly mustUnderstand: boolean;
  /** It is signed when it is encrypted: the key stands behind the signature. */
  readonly isSignedLater: boolean;
}

/** The EncryptedData of an attachment, which stands in the Security block. */
export interface AttachmentData {
  readonly id: string;
  readonly element: string;
}

/** The elements of a message up to Body. */
export interface MessageHead {
  readonly envelope: canonical.ElementNode;
  /** Blocks are kept as far as they are encrypted. */
  readonly header: canonical.ElementNode | null;
  readonly body: Pick<StartTag, 'offsetBytes'>;
}

/** Whether the head of a message needs this block to be encrypted. */
export const isKeptBlock = (tag: StartTag, { parts }: EncryptionRules): boolean =>
  tag.local === 'Security' || parts.some((part) => isBlock(tag, part));

const isBlock = (tag: StartTag, part: EncryptedPart): boolean =>
  typeof part === 'object' && expandedName(tag) === part.block;

/**
 * The bytes up to Body with its encrypted parts, and with the key in the Security block, which is
 * made where there is none. `bodyId`: the Id of the EncryptedData in Body; null: it is not
 * encrypted. Throws `wsse:UnsupportedAlgorithm`, `wsse:InvalidSecurity`.
 */
export function encryptHead(
  bytes: Buffer,
  { envelope, header, body }: MessageHead,
  rules: EncryptionRules,
  messageKey: MessageKey,
  bodyId: string | null,
  attachments: readonly AttachmentData[] = [],
): Buffer {
  const dialect = dialectOfUri(envelope.uri);
  if (dialect === null) throw unsupportedAlgorithm('a message of another kind is not encrypted');
  const security = header === null ? null : securityOf(header, dialect, rules.role);
  const edits: HeadEdit[] = [];
  const ids = bodyId === null ? [] : [bodyId];
  for (const element of partsIn(header, security, rules)) {
    const id = newId('ED');
    ids.push(id);
    const content = bytes.subarray(element.offsetBytes, element.endBytes);
    const data = wholeData(content, id, rules.cipher, messageKey);
    const text = element.parent === header ? encryptedHeader(element, data) : data;
    edits.push({ at: element.offsetBytes, end: element.endBytes, bytes: Buffer.from(text) });
  }
  if (ids.length + attachments.length === 0) return bytes;
  ids.push(...attachments.map(({ id }) => id));
  const data = attachments.map(({ element }) => element).join('');
  const key = messageKey.block(ids) + data;
  edits.push(
    security === null
      ? inNewBlock(bytes, { envelope, header, body }, securityText(key, rules, envelope.uri))
      : inElement(bytes, security, key, rules.isSignedLater ? 'end' : 'start'),
  );
  return edited(bytes, edits);
}

function partsIn(
  header: canonical.ElementNode | null,
  security: canonical.ElementNode | null,
  { parts }: EncryptionRules,
): readonly canonical.ElementNode[] {
  const blocks = (header?.elements ?? []).filter(
    (block) => block !== security && parts.some((part) => isBlock(block, part)),
  );
  const names = parts.filter((part) => typeof part === 'string');
  const inside = (security?.elements ?? []).filter(({ local }) =>
    names.some((name) => name === local),
  );
  return [...blocks, ...inside];
}

function wholeData(content: Buffer, id: string, cipher: ContentCipher, key: MessageKey): string {
  const encipher = new ContentEncipher(cipher, key.key);
  const { before, behind } = dataTexts(id, 'Element', cipher, key);
  return `${before}${encipher.update(content)}${encipher.final()}${behind}`;
}

/** What stands before and behind the letters of an EncryptedData. */
export function dataTexts(
  id: string,
  type: 'Element' | 'Content',
  cipher: ContentCipher,
  { keyInfo }: MessageKey,
): { readonly before: string; readonly behind: string } {
  return {
    before:
      `<xenc:EncryptedData xmlns:xenc="${XENC}" Id="${id}" Type="${XENC}${type}">` +
      `<xenc:EncryptionMethod Algorithm="${XENC11}${cipher}"/>${keyInfo}` +
      '<xenc:CipherData><xenc:CipherValue>',
    behind: '</xenc:CipherValue></xenc:CipherData></xenc:EncryptedData>',
  };
}

/** A header block keeps the attributes of its target (SOAP Message Security 1.1 section 9.3). */
function encryptedHeader({ attributes, parent }: canonical.ElementNode, data: string): string {
  const uri = parent?.uri ?? '';
  const kept = attributes.filter((attribute) => attribute.uri === uri);
  const written = kept.map(({ local, value }) => ` e:${local}="${escapeQuoted(value)}"`).join('');
  return (
    `<wsse11:EncryptedHeader xmlns:wsse11="${WSSE11}" xmlns:wsu="${WSU}" xmlns:e="${uri}" ` +
    `wsu:Id="${newId('EH')}"${written}>${data}</wsse11:EncryptedHeader>`
  );
}

function securityText(
  content: string,
  { role, mustUnderstand }: EncryptionRules,
  envelopeUri: string,
): string {
  const name = dialectOfUri(envelopeUri)?.targetAttribute ?? 'actor';
  const attributes =
    `${mustUnderstand ? ' e:mustUnderstand="1"' : ''}` +
    `${role === null ? '' : ` e:${name}="${escapeQuoted(role)}"`}`;
  return (
    `<wsse:Security xmlns:wsse="${WSSE}" xmlns:ds="${DS}" xmlns:e="${envelopeUri}"${attributes}>` +
    `${content}</wsse:Security>`
  );
}

function inNewBlock(
  bytes: Buffer,
  { envelope, header, body }: MessageHead,
  text: string,
): HeadEdit {
  if (header !== null) return inElement(bytes, header, text, 'end');
  const name = writtenName({ prefix: envelope.prefix, local: 'Header' });
  const at = body.offsetBytes;
  return { at, end: at, bytes: Buffer.from(`<${name}>${text}</${name}>`) };
}

/** Writes into an element at the start or the end of its content. */
function inElement(
  bytes: Buffer,
  element: canonical.ElementNode,
  text: string,
  where: 'start' | 'end',
): HeadEdit {
  const { contentBytes, endBytes } = element;
  if (contentBytes === endBytes) {
    const whole = Buffer.from(`>${text}</${writtenName(element)}>`);
    return { at: endBytes - EMPTY_END.length, end: endBytes, bytes: whole };
  }
  const at = where === 'start' ? contentBytes : bytes.lastIndexOf('</', endBytes - 1);
  return { at, end: at, bytes: Buffer.from(text) };
}

/** The end of the tag of an empty element. */
export const EMPTY_END = '/>';

export const writtenName = ({ prefix, local }: Pick<StartTag, 'prefix' | 'local'>): string =>
  prefix === '' ? local : `${prefix}:${local}`;
