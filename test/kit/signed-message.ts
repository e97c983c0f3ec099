import { constants, createHash, createPrivateKey, sign } from 'node:crypto';

import type { Identity } from './certificates.js';
import { SOAP_11 } from './envelope.js';

export const WSSE =
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
export const WSU =
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';
export const DS = 'http://www.w3.org/2000/09/xmldsig#';
export const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const X509 = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-x509-token-profile-1.0';
const BASE64 =
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary';

/**
 * Messages that are signed without a canonicalizer: each signed element is written as its own
 * exclusive canonical form, so the bytes that are signed are those of the message. Nothing of the
 * gateway is used, and its writer is compared.
 */
export const bodyOf = (content: string, id = 'body', soap = SOAP_11): string =>
  `<s:Body xmlns:s="${soap}" xmlns:wsu="${WSU}" wsu:Id="${id}">${content}</s:Body>`;

export function timestampOf(
  created: number,
  expires: number | null = created + 300_000,
  id = 'ts',
): string {
  const end =
    expires === null ? '' : `<wsu:Expires>${new Date(expires).toISOString()}</wsu:Expires>`;
  return (
    `<wsu:Timestamp xmlns:wsu="${WSU}" wsu:Id="${id}"><wsu:Created>` +
    `${new Date(created).toISOString()}</wsu:Created>${end}</wsu:Timestamp>`
  );
}

export const toOf = (address: string): string =>
  `<wsa:To xmlns:wsa="http://www.w3.org/2005/08/addressing" xmlns:wsu="${WSU}" wsu:Id="to">` +
  `${address}</wsa:To>`;

const lettersOf = (pem: string): string =>
  pem.replace(/-----[A-Z ]+-----/g, '').replaceAll('\n', '');

export const tokenOf = ({ cert }: Identity, id = 'token'): string =>
  `<wsse:BinarySecurityToken xmlns:wsse="${WSSE}" xmlns:wsu="${WSU}" EncodingType="${BASE64}" ` +
  `ValueType="${X509}#X509v3" wsu:Id="${id}">${lettersOf(cert)}</wsse:BinarySecurityToken>`;

export const keyByToken = (id = 'token'): string =>
  `<wsse:SecurityTokenReference xmlns:wsse="${WSSE}"><wsse:Reference URI="#${id}" ` +
  `ValueType="${X509}#X509v3"/></wsse:SecurityTokenReference>`;

/** One Reference: `text` is the canonical form of the element, or the content of a part. */
export interface SignedPart {
  readonly uri: string;
  readonly text: string | Buffer;
  readonly digest?: 'sha1' | 'sha256' | 'sha512';
  /** In place of the usual Transforms. */
  readonly transforms?: string;
  /** In place of the digest of the text. */
  readonly value?: string;
}

export interface SignOptions {
  readonly keyInfo?: string;
  /** The algorithm of the SignatureMethod. */
  readonly algorithm?: keyof typeof ALGORITHMS;
  /** What stands in SignedInfo before the References, in place of the usual methods. */
  readonly methods?: string;
  readonly signWith?: (signedInfo: Buffer) => Buffer;
  /** What is put behind KeyInfo. */
  readonly more?: string;
}

const MORE = 'http://www.w3.org/2001/04/xmldsig-more#';
export const ALGORITHMS = {
  'rsa-sha1': [`${DS}rsa-sha1`, 'sha1'],
  'rsa-sha256': [`${MORE}rsa-sha256`, 'sha256'],
  'rsa-sha512': [`${MORE}rsa-sha512`, 'sha512'],
  'rsa-pss-sha256': ['http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1', 'sha256'],
  'ecdsa-sha256': [`${MORE}ecdsa-sha256`, 'sha256'],
  'ecdsa-sha384': [`${MORE}ecdsa-sha384`, 'sha384'],
  'ecdsa-sha512': [`${MORE}ecdsa-sha512`, 'sha512'],
  ed25519: ['http://www.w3.org/2021/04/xmldsig-more#eddsa-ed25519', null],
} as const;

const DIGESTS = {
  sha1: `${DS}sha1`,
  sha256: 'http://www.w3.org/2001/04/xmlenc#sha256',
  sha512: 'http://www.w3.org/2001/04/xmlenc#sha512',
} as const;

export const USUAL_TRANSFORMS = `<ds:Transforms><ds:Transform Algorithm="${EXCLUSIVE}">\
</ds:Transform></ds:Transforms>`;

/** A Signature over these parts. */
export function signatureOf(
  { key }: Identity,
  parts: readonly SignedPart[],
  options: SignOptions = {},
): string {
  const { algorithm = 'rsa-sha256', keyInfo = keyByToken(), more = '' } = options;
  const [identifier, digest] = ALGORITHMS[algorithm];
  const methods =
    options.methods ??
    `<ds:CanonicalizationMethod Algorithm="${EXCLUSIVE}"></ds:CanonicalizationMethod>` +
      `<ds:SignatureMethod Algorithm="${identifier}"></ds:SignatureMethod>`;
  const references = parts.map(
    ({ uri, text, digest: own = 'sha256', transforms = USUAL_TRANSFORMS, value }) => {
      const letters = value ?? createHash(own).update(text).digest('base64');
      return (
        `<ds:Reference URI="${uri}">${transforms}<ds:DigestMethod Algorithm="${DIGESTS[own]}">` +
        `</ds:DigestMethod><ds:DigestValue>${letters}</ds:DigestValue></ds:Reference>`
      );
    },
  );
  const signedInfo =
    `<ds:SignedInfo xmlns:ds="${DS}">` + `${methods}${references.join('')}</ds:SignedInfo>`;
  const bytes = Buffer.from(signedInfo);
  const value = options.signWith?.(bytes) ?? sign(digest, bytes, signingKey(key, algorithm));
  return (
    `<ds:Signature xmlns:ds="${DS}">${signedInfo}<ds:SignatureValue>` +
    `${value.toString('base64')}</ds:SignatureValue><ds:KeyInfo>${keyInfo}</ds:KeyInfo>` +
    `${more}</ds:Signature>`
  );
}

function signingKey(pem: string, algorithm: keyof typeof ALGORITHMS) {
  const key = createPrivateKey(pem);
  if (algorithm.startsWith('rsa-pss'))
    return {
      key,
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
    };
  return algorithm.startsWith('ecdsa') ? { key, dsaEncoding: 'ieee-p1363' as const } : { key };
}

export const securityOf = (parts: readonly string[], attributes = ''): string =>
  `<wsse:Security xmlns:wsse="${WSSE}"${attributes}>${parts.join('')}</wsse:Security>`;

/** An envelope of a Security block, further header blocks and a Body. */
export const messageOf = (security: string, body: string, blocks = '', soap = SOAP_11): string =>
  `<s:Envelope xmlns:s="${soap}"><s:Header>${blocks}${security}</s:Header>${body}</s:Envelope>`;

/** A message with Body and Timestamp signed, and what it is made of. */
export function signedMessage(
  identity: Identity,
  content: string,
  options: SignOptions & {
    readonly nowMillis?: number;
    /** The end of its Timestamp; five minutes later unless given. */
    readonly expires?: number;
    readonly bodyDigest?: string;
    /** Parts that are signed besides. */
    readonly parts?: readonly SignedPart[];
  } = {},
) {
  const { nowMillis = Date.now(), expires, bodyDigest, parts = [] } = options;
  const value = bodyDigest === undefined ? {} : { value: bodyDigest };
  const body = bodyOf(content);
  const timestamp = timestampOf(nowMillis, expires);
  const token = tokenOf(identity);
  const signature = signatureOf(
    identity,
    [{ uri: '#body', text: body, ...value }, { uri: '#ts', text: timestamp }, ...parts],
    options,
  );
  return {
    body,
    timestamp,
    token,
    signature,
    message: messageOf(securityOf([token, timestamp, signature]), body),
  };
}

/** A UsernameToken with its password as text. */
export const userToken = (user: string, password: string): string =>
  `<wsse:UsernameToken xmlns:wsse="${WSSE}"><wsse:Username>${user}</wsse:Username>` +
  `<wsse:Password>${password}</wsse:Password></wsse:UsernameToken>`;
