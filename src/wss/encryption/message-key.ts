import { Buffer } from 'node:buffer';
import {
  constants,
  createHash,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
  publicEncrypt,
  randomBytes,
  randomUUID,
} from 'node:crypto';
import { getOrMake, invariant } from '../../core/index.js';
import { keyTexts } from '../message-signer.js';
import type { KeyReference } from '../signer-certificates.js';
import { DS, DS11, WSSE, WSSE11, XENC } from '../wsse-names.js';
import type { ParsedCertificate } from '../x509/certificate-trust.js';
import {
  CONCAT_KDF,
  type ContentCipher,
  CURVE_URIS,
  ECDH_ES,
  KEY_BYTES,
  type MadeTransport,
  RSA_OAEP,
  RSA_OAEP_MGF1P,
  XENC11,
} from './cipher-names.js';
import { deriveKey, wrapKey } from './key-derivation.js';

/** The key of the content of one message, and how the message names it. */
export interface MessageKey {
  readonly key: Buffer;
  /** What goes into the Security block for EncryptedData with these Ids. */
  readonly block: (dataIds: readonly string[]) => string;
  /** The KeyInfo of an EncryptedData. */
  readonly keyInfo: string;
}

const MESSAGE = 'http://docs.oasis-open.org/wss/oasis-wss-soap-message-security-1.1';
const ENCRYPTED_KEY = `${MESSAGE}#EncryptedKey`;

/** The receiver of encrypted messages, and how its keys are encrypted for it. */
export interface Recipient {
  /** As its file is now. */
  readonly certificate: () => ParsedCertificate;
  readonly transport: MadeTransport;
  readonly reference: KeyReference;
}

/** An Id of its own: `randomUUID` has its random bytes at hand. */
export const newId = (prefix: string): string => `${prefix}-${randomUUID()}`;

/** Makes a fresh key, in an EncryptedKey that the receiver alone can open. */
export function keyForRecipient(recipient: Recipient, cipher: ContentCipher): MessageKey {
  const certificate = recipient.certificate();
  const key = randomBytes(KEY_BYTES[cipher]);
  const { token, keyInfo } = textsFor(certificate, recipient.reference);
  const id = newId('EK');
  const { method, named, value } =
    recipient.transport === 'ecdh-es'
      ? agreedKey(key, certificate.publicKey, keyInfo)
      : transportedKey(key, certificate.publicKey, recipient.transport, keyInfo);
  return {
    key,
    block: (dataIds) =>
      `${token}<xenc:EncryptedKey xmlns:xenc="${XENC}" xmlns:ds="${DS}" Id="${id}">${method}` +
      `<ds:KeyInfo>${named}</ds:KeyInfo><xenc:CipherData><xenc:CipherValue>` +
      `${value.toString('base64')}</xenc:CipherValue></xenc:CipherData>${referenceList(dataIds)}` +
      '</xenc:EncryptedKey>',
    keyInfo: tokenReference(`<wsse:Reference URI="#${id}" ValueType="${ENCRYPTED_KEY}"/>`),
  };
}

/** How certificates are named that messages do not bring: once for each, not for each message. */
const NAMES = new WeakMap<ParsedCertificate, Map<KeyReference, CertificateTexts>>();
type CertificateTexts = ReturnType<typeof keyTexts>;

function textsFor(certificate: ParsedCertificate, reference: KeyReference): CertificateTexts {
  // A token has an Id of its own in each message.
  if (reference === 'token') return keyTexts(certificate, reference);
  const known = NAMES.get(certificate) ?? new Map<KeyReference, CertificateTexts>();
  NAMES.set(certificate, known);
  return getOrMake(known, reference, () => keyTexts(certificate, reference));
}

/** The key that came with a message, named by its digest (SOAP Message Security 1.1, 7.3). */
export const keyOfRequest = (key: Buffer, encryptedKey: Buffer): MessageKey => ({
  key,
  block: referenceList,
  keyInfo: tokenReference(
    `<wsse:KeyIdentifier EncodingType="${BASE64}" ValueType="${MESSAGE}#EncryptedKeySHA1">` +
      `${createHash('sha1').update(encryptedKey).digest('base64')}</wsse:KeyIdentifier>`,
  ),
});

const BASE64 =
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary';

const referenceList = (ids: readonly string[]): string =>
  `<xenc:ReferenceList xmlns:xenc="${XENC}">` +
  `${ids.map((id) => `<xenc:DataReference URI="#${id}"/>`).join('')}</xenc:ReferenceList>`;

const tokenReference = (inner: string): string =>
  `<ds:KeyInfo xmlns:ds="${DS}"><wsse:SecurityTokenReference xmlns:wsse="${WSSE}" ` +
  `xmlns:wsse11="${WSSE11}" wsse11:TokenType="${ENCRYPTED_KEY}">${inner}` +
  '</wsse:SecurityTokenReference></ds:KeyInfo>';

interface KeyTexts {
  /** The EncryptionMethod of it. */
  readonly method: string;
  /** The content of its KeyInfo. */
  readonly named: string;
  readonly value: Buffer;
}

/** RSA-OAEP (XML Encryption 1.1 section 5.5.2). */
function transportedKey(
  key: Buffer,
  publicKey: KeyObject,
  transport: Exclude<MadeTransport, 'ecdh-es'>,
  named: string,
): KeyTexts {
  const oaepHash = transport === 'rsa-oaep-sha256' ? 'sha256' : 'sha1';
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  const method =
    oaepHash === 'sha1'
      ? `<xenc:EncryptionMethod Algorithm="${RSA_OAEP_MGF1P}"/>`
      : `<xenc:EncryptionMethod Algorithm="${RSA_OAEP}">` +
        `<ds:DigestMethod Algorithm="${XENC}sha256"/>` +
        `<xenc11:MGF xmlns:xenc11="${XENC11}" Algorithm="${XENC11}mgf1sha256"/>` +
        '</xenc:EncryptionMethod>';
  return { method, named, value: publicEncrypt({ key: publicKey, padding, oaepHash }, key) };
}

/** The AlgorithmID of WSS4J: no bits that are left over, then one byte (section 5.4.1). */
const ALGORITHM_ID = Buffer.of(0);

/** ECDH-ES with ConcatKDF and AES key wrap (section 5.6.4). */
function agreedKey(key: Buffer, publicKey: KeyObject, recipient: string): KeyTexts {
  const curve = publicKey.asymmetricKeyDetails?.namedCurve ?? '';
  const [uri] = [...CURVE_URIS].find(([, name]) => name === curve) ?? [];
  invariant(uri !== undefined, 'the curve of the receiver is known');
  const own = generateKeyPairSync('ec', { namedCurve: curve });
  const secret = diffieHellman({ privateKey: own.privateKey, publicKey });
  const derivation = { kind: 'concat', digest: 'sha256', info: ALGORITHM_ID } as const;
  const wrapping = deriveKey(secret, derivation, 32);
  const point = encodedPoint(own.publicKey).toString('base64');
  const named =
    `<xenc:AgreementMethod Algorithm="${ECDH_ES}"><xenc11:KeyDerivationMethod ` +
    `xmlns:xenc11="${XENC11}" Algorithm="${CONCAT_KDF}"><xenc11:ConcatKDFParams ` +
    `AlgorithmID="00${ALGORITHM_ID.toString('hex')}" PartyUInfo="" PartyVInfo="">` +
    `<ds:DigestMethod Algorithm="${XENC}sha256"/></xenc11:ConcatKDFParams>` +
    '</xenc11:KeyDerivationMethod><xenc:OriginatorKeyInfo><ds:KeyValue>' +
    `<dsig11:ECKeyValue xmlns:dsig11="${DS11}"><dsig11:NamedCurve URI="${uri}"/>` +
    `<dsig11:PublicKey>${point}</dsig11:PublicKey></dsig11:ECKeyValue></ds:KeyValue>` +
    `</xenc:OriginatorKeyInfo><xenc:RecipientKeyInfo>${recipient}</xenc:RecipientKeyInfo>` +
    '</xenc:AgreementMethod>';
  return {
    method: `<xenc:EncryptionMethod Algorithm="${XENC}kw-aes256"/>`,
    named,
    value: wrapKey(key, wrapping),
  };
}

/** The uncompressed point of a public key. */
function encodedPoint(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  return Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
}
