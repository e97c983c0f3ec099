import {
  constants,
  createCipheriv,
  createDecipheriv,
  createHash,
  publicEncrypt,
  randomBytes,
  X509Certificate,
} from 'node:crypto';
import type { Identity } from './certificates.js';
import { envelope } from './envelope.js';
import { DS, WSSE } from './signed-message.js';

export const XENC = 'http://www.w3.org/2001/04/xmlenc#';
export const WSSE11 = 'http://docs.oasis-open.org/wss/oasis-wss-wssecurity-secext-1.1.xsd';
export const XENC11 = 'http://www.w3.org/2009/xmlenc11#';
const MESSAGE = 'http://docs.oasis-open.org/wss/oasis-wss-soap-message-security-1.1';
const SECURITY =
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0';
const X509 = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-x509-token-profile-1.0';

type Hash = 'sha1' | 'sha256';

export interface EncryptOptions {
  readonly cipher?: 'aes128-gcm' | 'aes192-gcm' | 'aes256-gcm' | 'aes256-cbc';
  readonly digest?: Hash;
  readonly mask?: Hash;
  /** `rsa-oaep` is that of XML Encryption 1.1. */
  readonly transport?: 'rsa-oaep-mgf1p' | 'rsa-oaep' | 'rsa-1_5';
  readonly reference?: KeyReference;
  /** How EncryptedData and EncryptedKey are connected. */
  readonly connection?: 'list' | 'keyInfo' | 'inside';
  /** Changes the bytes of the CipherValue of the content, or of the key. */
  readonly alter?: (bytes: Buffer) => Buffer;
  readonly alterKey?: (bytes: Buffer) => Buffer;
  /** How base64 is written. */
  readonly written?: (letters: string) => string;
  readonly type?: 'Content' | 'Element';
  /** Gets the key of the content. */
  readonly onKey?: (key: Buffer) => void;
}

export type KeyReference = 'issuerSerial' | 'thumbprint' | 'keyIdentifier' | 'certificate' | 'none';

const DIGESTS: Readonly<Record<Hash, string>> = { sha1: `${DS}sha1`, sha256: `${XENC}sha256` };

/** RSA-OAEP with a hash of the mask of its own (RFC 8017 section 7.1.1). */
export function encryptOaep(key: Buffer, cert: string, digest: Hash, mask: Hash): Buffer {
  const publicKey = new X509Certificate(cert).publicKey;
  const modulusBytes = (publicKey.asymmetricKeyDetails?.modulusLength ?? 0) / 8;
  const hash = (name: Hash, ...parts: readonly Buffer[]): Buffer =>
    createHash(name).update(Buffer.concat(parts)).digest();
  const maskOf = (seed: Buffer, bytes: number): Buffer => {
    let made = Buffer.alloc(0);
    for (let at = 0; made.length < bytes; at++) {
      made = Buffer.concat([made, hash(mask, seed, Buffer.from([0, 0, 0, at]))]);
    }
    return made.subarray(0, bytes);
  };
  const xor = (one: Buffer, other: Buffer): Buffer =>
    Buffer.from(one.map((byte, at) => byte ^ (other[at] ?? 0)));
  const label = hash(digest);
  const padding = Buffer.alloc(modulusBytes - key.length - 2 * label.length - 2);
  const data = Buffer.concat([label, padding, Buffer.from([1]), key]);
  const seed = randomBytes(label.length);
  const maskedData = xor(data, maskOf(seed, data.length));
  const block = Buffer.concat([
    Buffer.of(0),
    xor(seed, maskOf(maskedData, seed.length)),
    maskedData,
  ]);
  return publicEncrypt({ key: publicKey, padding: constants.RSA_NO_PADDING }, block);
}

/** The bytes of a CipherValue: IV, content, tag. */
export function encryptGcm(content: Buffer, key: Buffer): Buffer {
  const iv = randomBytes(12);
  const name =
    key.length === 16 ? 'aes-128-gcm' : key.length === 24 ? 'aes-192-gcm' : 'aes-256-gcm';
  const cipher = createCipheriv(name, key, iv);
  return Buffer.concat([iv, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
}

/** The bytes of a CipherValue without a tag: IV, content, padding of ISO 10126. */
function encryptCbc(content: Buffer, key: Buffer): Buffer {
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', key, iv).setAutoPadding(false);
  const padding = randomBytes(16 - (content.length % 16));
  padding[padding.length - 1] = padding.length;
  return Buffer.concat([iv, cipher.update(content), cipher.update(padding), cipher.final()]);
}

const keyInfo = (content: string): string =>
  content === ''
    ? ''
    : `<ds:KeyInfo xmlns:ds="${DS}"><wsse:SecurityTokenReference xmlns:wsse="${WSSE}">` +
      `${content}</wsse:SecurityTokenReference></ds:KeyInfo>`;

function referenceOf(reference: KeyReference, cert: string): string {
  const certificate = new X509Certificate(cert);
  const identifier = (type: string, value: Buffer): string =>
    `<wsse:KeyIdentifier EncodingType="${SECURITY}#Base64Binary" ValueType="${type}">` +
    `${value.toString('base64')}</wsse:KeyIdentifier>`;
  switch (reference) {
    case 'none':
      return '';
    case 'certificate':
      return (
        `<ds:X509Data><ds:X509Certificate>${certificate.raw.toString('base64')}` +
        '</ds:X509Certificate></ds:X509Data>'
      );
    case 'thumbprint':
      return identifier(
        `${MESSAGE}#ThumbprintSHA1`,
        createHash('sha1').update(certificate.raw).digest(),
      );
    case 'keyIdentifier':
      return identifier(`${X509}#X509SubjectKeyIdentifier`, keyIdentifierOf(certificate));
    case 'issuerSerial': {
      const issuer = certificate.issuer.split('\n').reverse().join(',');
      return (
        `<ds:X509Data><ds:X509IssuerSerial><ds:X509IssuerName>${issuer}</ds:X509IssuerName>` +
        `<ds:X509SerialNumber>${BigInt(`0x${certificate.serialNumber}`)}</ds:X509SerialNumber>` +
        '</ds:X509IssuerSerial></ds:X509Data>'
      );
    }
  }
}

/** The value of its extension 2.5.29.14. */
function keyIdentifierOf({ raw }: X509Certificate): Buffer {
  const at = raw.indexOf(Buffer.from('0603551d0e0416', 'hex'));
  return raw.subarray(at + 9, at + 29);
}

/** Encrypts what stands in Body of a message of SOAP, for a certificate. */
export function encryptBody(
  message: string,
  { cert }: Identity,
  options: EncryptOptions = {},
): string {
  const {
    cipher = 'aes256-gcm',
    digest = 'sha1',
    mask = 'sha1',
    transport = 'rsa-oaep-mgf1p',
    reference = 'issuerSerial',
    connection = 'keyInfo',
    alter = (bytes) => bytes,
    alterKey = (bytes) => bytes,
    written = (letters) => letters,
    type = 'Content',
  } = options;
  const [start = '', content = '', end = ''] =
    /^(.*<s:Body[^>]*>)(.*)(<\/s:Body>.*)$/s.exec(message)?.slice(1) ?? [];
  const key = randomBytes(Number(/\d+/.exec(cipher)?.[0]) / 8);
  options.onKey?.(key);
  const isDefault = digest === 'sha1' && mask === 'sha1' && transport !== 'rsa-oaep';
  const method =
    (isDefault ? '' : `<ds:DigestMethod xmlns:ds="${DS}" Algorithm="${DIGESTS[digest]}"/>`) +
    (transport === 'rsa-oaep'
      ? `<xenc11:MGF xmlns:xenc11="${XENC11}" Algorithm="${XENC11}mgf1${mask}"/>`
      : '');
  const algorithm = transport === 'rsa-oaep' ? `${XENC11}rsa-oaep` : `${XENC}${transport}`;
  const transported =
    transport === 'rsa-1_5'
      ? publicEncrypt({ key: cert, padding: constants.RSA_PKCS1_PADDING }, key)
      : encryptOaep(key, cert, digest, mask);
  const list =
    connection === 'list'
      ? '<xenc:ReferenceList><xenc:DataReference URI="#ED-1"/></xenc:ReferenceList>'
      : '';
  const named = keyInfo(referenceOf(reference, cert)).replace('<ds:X509', `<ds:X509`);
  const encryptedKey =
    `<xenc:EncryptedKey xmlns:xenc="${XENC}" Id="EK-1"><xenc:EncryptionMethod Algorithm="` +
    `${algorithm}">${method}</xenc:EncryptionMethod>${named}<xenc:CipherData><xenc:CipherValue>` +
    `${alterKey(transported).toString('base64')}</xenc:CipherValue>` +
    `</xenc:CipherData>${list}</xenc:EncryptedKey>`;
  const info =
    connection === 'keyInfo'
      ? keyInfo(`<wsse:Reference URI="#EK-1" ValueType="${MESSAGE}#EncryptedKey"/>`)
      : connection === 'inside'
        ? `<ds:KeyInfo xmlns:ds="${DS}">${encryptedKey}</ds:KeyInfo>`
        : '';
  const isCbc = cipher === 'aes256-cbc';
  const bytes = alter((isCbc ? encryptCbc : encryptGcm)(Buffer.from(content), key));
  const data =
    `<xenc:EncryptedData xmlns:xenc="${XENC}" Id="ED-1" Type="${XENC}${type}">` +
    `<xenc:EncryptionMethod Algorithm="${isCbc ? XENC : XENC11}${cipher}"/>${info}<xenc:CipherData>` +
    `<xenc:CipherValue>${written(bytes.toString('base64'))}</xenc:CipherValue></xenc:CipherData>` +
    '</xenc:EncryptedData>';
  return withKey(start, connection === 'inside' ? '' : encryptedKey) + data + end;
}

/** Inserts an element at the beginning of the Security block, which is made where there is none. */
function withKey(start: string, key: string): string {
  if (key === '') return start;
  if (/<wsse:Security[ >]/.test(start)) {
    return start.replace(/<wsse:Security[^>]*>/, (tag) => tag + key);
  }
  const block = `<wsse:Security xmlns:wsse="${WSSE}">${key}</wsse:Security>`;
  return start.includes('<s:Header>')
    ? start.replace('<s:Header>', `<s:Header>${block}`)
    : start.replace(/<s:Body/, `<s:Header>${block}</s:Header><s:Body`);
}

/**
 * A message that was encrypted, then signed by `sign` with what is encrypted in its Body; `key` is
 * its EncryptedKey, with the Id `EK-1`.
 */
export function encryptThenSign(
  content: string,
  recipient: Identity,
  sign: (content: string, key: string) => string,
  options: EncryptOptions = {},
): string {
  const encrypted = encryptBody(envelope(content), recipient, options);
  const key = /<xenc:EncryptedKey.*?<\/xenc:EncryptedKey>/s.exec(encrypted)?.[0] ?? '';
  const data = /<xenc:EncryptedData.*<\/xenc:EncryptedData>/s.exec(encrypted)?.[0] ?? '';
  // As canonical XML has it.
  const declared = new Set<string>();
  const written = data
    .replace(/<([\w:]+)([^<>]*)\/>/g, '<$1$2></$1>')
    .replace(/ xmlns:(?:xenc|ds)="[^"]*"/g, (declaration) => {
      const isNew = !declared.has(declaration);
      declared.add(declaration);
      return isNew ? declaration : '';
    });
  return sign(written, key).replace('</wsse:Security>', `${key}</wsse:Security>`);
}

/** Encrypts a header block, or a part of the Security block, and what stands in Body or not. */
export function encryptHeader(
  message: string,
  { cert }: Identity,
  part: string,
  isWithBody: boolean,
  alter: (bytes: Buffer) => Buffer = (bytes) => bytes,
): string {
  const key = randomBytes(32);
  const info = keyInfo(`<wsse:Reference URI="#EK-1" ValueType="${MESSAGE}#EncryptedKey"/>`);
  const dataOf = (content: string, id: string, type: string, change = alter): string =>
    `<xenc:EncryptedData xmlns:xenc="${XENC}" Id="${id}" Type="${XENC}${type}">` +
    `<xenc:EncryptionMethod Algorithm="${XENC11}aes256-gcm"/>${info}<xenc:CipherData>` +
    `<xenc:CipherValue>${change(encryptGcm(Buffer.from(content), key)).toString('base64')}` +
    '</xenc:CipherValue></xenc:CipherData></xenc:EncryptedData>';
  const data = dataOf(part, 'ED-2', 'Element');
  const isBlock = !part.startsWith('<wsse:');
  const replaced = isBlock
    ? `<wsse11:EncryptedHeader xmlns:wsse11="${WSSE11}">${data}</wsse11:EncryptedHeader>`
    : data;
  const ids = isWithBody ? ['ED-1', 'ED-2'] : ['ED-2'];
  const references = ids.map((id) => `<xenc:DataReference URI="#${id}"/>`).join('');
  const encryptedKey =
    `<xenc:EncryptedKey xmlns:xenc="${XENC}" Id="EK-1"><xenc:EncryptionMethod Algorithm="` +
    `${XENC}rsa-oaep-mgf1p"/>${keyInfo(referenceOf('issuerSerial', cert))}<xenc:CipherData>` +
    `<xenc:CipherValue>${encryptOaep(key, cert, 'sha1', 'sha1').toString('base64')}` +
    '</xenc:CipherValue></xenc:CipherData>' +
    `<xenc:ReferenceList>${references}</xenc:ReferenceList></xenc:EncryptedKey>`;
  const [start = '', content = '', end = ''] =
    /^(.*<s:Body[^>]*>)(.*)(<\/s:Body>.*)$/s.exec(message.replace(part, replaced))?.slice(1) ?? [];
  const body = isWithBody ? dataOf(content, 'ED-1', 'Content', (bytes) => bytes) : content;
  return withKey(start, encryptedKey) + body + end;
}

/** An encrypted part of any content, and its key. */
export interface EncryptedPiece {
  readonly key: string;
  readonly data: string;
  readonly contentKey: Buffer;
  /** The KeyInfo of the data. */
  readonly info: string;
}

/** Encrypts any text for a certificate; `inside`: the key is in the KeyInfo of the data. */
export function encryptPiece(
  { cert }: Identity,
  content: string,
  id: string,
  { inside = false, keyBytes = 32 } = {},
): EncryptedPiece {
  const contentKey = randomBytes(keyBytes);
  const key =
    `<xenc:EncryptedKey xmlns:xenc="${XENC}" Id="EK-${id}"><xenc:EncryptionMethod Algorithm="` +
    `${XENC}rsa-oaep-mgf1p"></xenc:EncryptionMethod>${keyInfo(referenceOf('issuerSerial', cert))}` +
    '<xenc:CipherData><xenc:CipherValue>' +
    `${encryptOaep(contentKey, cert, 'sha1', 'sha1').toString('base64')}</xenc:CipherValue>` +
    '</xenc:CipherData></xenc:EncryptedKey>';
  const info = inside
    ? `<ds:KeyInfo xmlns:ds="${DS}">${key}</ds:KeyInfo>`
    : keyInfo(
        `<wsse:Reference URI="#EK-${id}" ValueType="${MESSAGE}#EncryptedKey"></wsse:Reference>`,
      );
  return { key, data: dataOf(content, contentKey, id, info), contentKey, info };
}

/** An EncryptedData that names its key by `info`. */
export const dataOf = (content: string, key: Buffer, id: string, info: string): string =>
  `<xenc:EncryptedData xmlns:xenc="${XENC}" Id="ED-${id}" Type="${XENC}Element">` +
  `<xenc:EncryptionMethod Algorithm="${XENC11}aes${key.length * 8}-gcm"></xenc:EncryptionMethod>` +
  `${info}<xenc:CipherData><xenc:CipherValue>` +
  `${encryptGcm(Buffer.from(content), key).toString('base64')}` +
  '</xenc:CipherValue></xenc:CipherData></xenc:EncryptedData>';

/** What the EncryptedData of a message holds that this key decrypts. */
export function decryptGcm(message: string, key: Buffer): string {
  const [, letters = ''] = /<xenc:EncryptedData .*<xenc:CipherValue>([^<]*)</s.exec(message) ?? [];
  const bytes = Buffer.from(letters, 'base64');
  const name = key.length === 16 ? 'aes-128-gcm' : 'aes-256-gcm';
  const decipher = createDecipheriv(name, key, bytes.subarray(0, 12), { authTagLength: 16 });
  decipher.setAuthTag(bytes.subarray(-16));
  const content = decipher.update(bytes.subarray(12, -16));
  return Buffer.concat([content, decipher.final()]).toString();
}
