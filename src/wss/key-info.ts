import type { Buffer } from 'node:buffer';

import type { canonical } from '../xml/index.js';
import { invalidSecurity, unsupportedToken } from './security-refusals.js';
import {
  base64Of,
  elementParts,
  elementText,
  isNamed,
  lettersOf,
  requiredAttribute,
  typedAttribute,
} from './strict-elements.js';
import {
  BASE64_BINARY,
  DS,
  DS11,
  SAML1,
  SAML2,
  SAML2_ID,
  THUMBPRINT,
  WSSE,
  X509_KEY_IDENTIFIER,
  X509_V3,
} from './wsse-names.js';

/**
 * How a message names the key of a signature (SOAP Message Security section 7, X.509 Token Profile
 * section 3).
 */
export type KeyName =
  | { readonly by: 'token'; readonly id: string }
  | { readonly by: 'embedded'; readonly letters: string }
  | { readonly by: 'x509Data'; readonly letters: string }
  | {
      readonly by: 'issuerSerial';
      readonly issuer: string;
      readonly serial: string;
      /** X509Data stands in KeyInfo itself. */
      readonly isBare: boolean;
    }
  | { readonly by: 'keyIdentifier'; readonly identifier: Buffer }
  | { readonly by: 'thumbprint'; readonly sha1: Buffer }
  | { readonly by: 'assertion'; readonly id: string }
  | { readonly by: 'keyValue'; readonly node: canonical.ElementNode };

/**
 * Reads the one child of a KeyInfo. Throws `wsse:InvalidSecurity`, `wsse:UnsupportedSecurityToken`.
 */
export function readKeyInfo(keyInfo: canonical.ElementNode): KeyName {
  const [part, ...further] = elementParts(keyInfo);
  if (part === undefined || further.length > 0) {
    throw invalidSecurity('KeyInfo names a key in one way');
  }
  if (isNamed(part, WSSE, 'SecurityTokenReference')) return readTokenReference(part);
  if (isNamed(part, DS, 'X509Data')) return readX509Data(part, true);
  if (isNamed(part, DS, 'KeyValue') || isNamed(part, DS11, 'DEREncodedKeyValue')) {
    return { by: 'keyValue', node: part };
  }
  throw unsupportedToken('what KeyInfo holds');
}

/** Reads the one child of a SecurityTokenReference. Throws as `readKeyInfo`. */
export function readTokenReference(node: canonical.ElementNode): KeyName {
  const [part, ...further] = elementParts(node);
  if (part === undefined || further.length > 0) {
    throw invalidSecurity('SecurityTokenReference names a token in one way');
  }
  if (isNamed(part, WSSE, 'Reference')) return readReference(part);
  if (isNamed(part, WSSE, 'KeyIdentifier')) return readKeyIdentifier(part);
  if (isNamed(part, WSSE, 'Embedded')) {
    const [token, ...others] = elementParts(part);
    if (token === undefined || others.length > 0) throw invalidSecurity('Embedded holds one token');
    return { by: 'embedded', letters: readBinaryToken(token) };
  }
  if (isNamed(part, DS, 'X509Data')) return readX509Data(part, false);
  throw unsupportedToken('what SecurityTokenReference holds');
}

/** Nothing but a token of this message is taken. */
function readReference(node: canonical.ElementNode): KeyName {
  const uri = requiredAttribute(node, 'URI');
  if (!uri.startsWith('#') || uri.length === 1) {
    throw invalidSecurity('a reference to a token that is not in the message');
  }
  // Basic Security Profile 1.1, R3058: the type says what the token is, where it is given.
  const type = typedAttribute(node, 'ValueType');
  if (type !== null && type !== X509_V3) throw unsupportedToken('the ValueType of Reference');
  return { by: 'token', id: uri.slice(1) };
}

function readKeyIdentifier(node: canonical.ElementNode): KeyName {
  const type = requiredAttribute(node, 'ValueType');
  if (type === SAML2_ID) return { by: 'assertion', id: elementText(node).trim() };
  const encoding = typedAttribute(node, 'EncodingType');
  if (encoding !== null && encoding !== BASE64_BINARY) {
    throw unsupportedToken('the encoding of KeyIdentifier');
  }
  if (type === X509_KEY_IDENTIFIER) return { by: 'keyIdentifier', identifier: base64Of(node) };
  if (type === THUMBPRINT) return { by: 'thumbprint', sha1: base64Of(node) };
  throw unsupportedToken('the ValueType of KeyIdentifier');
}

/**
 * One certificate, by itself or by its issuer and number. The client zeep sends it by itself within
 * a SecurityTokenReference, beside the other way, which its library may leave empty.
 */
function readX509Data(node: canonical.ElementNode, isBare: boolean): KeyName {
  const parts = new Map<string, canonical.ElementNode>();
  for (const part of elementParts(node)) {
    if (!isNamed(part, DS, 'X509Certificate') && !isNamed(part, DS, 'X509IssuerSerial')) {
      throw unsupportedToken('what X509Data holds');
    }
    if (parts.has(part.local)) throw invalidSecurity('X509Data names one certificate');
    parts.set(part.local, part);
  }
  const [certificate, issuerSerial] = [parts.get('X509Certificate'), parts.get('X509IssuerSerial')];
  if (certificate !== undefined) {
    return { by: isBare ? 'x509Data' : 'embedded', letters: lettersOf(certificate) };
  }
  if (issuerSerial === undefined) throw invalidSecurity('X509Data names one certificate');
  return { ...readIssuerSerial(issuerSerial), isBare };
}

function readIssuerSerial(
  node: canonical.ElementNode,
): Pick<Extract<KeyName, { readonly by: 'issuerSerial' }>, 'by' | 'issuer' | 'serial'> {
  const [issuer, serial, ...others] = elementParts(node);
  if (issuer === undefined || serial === undefined || others.length > 0) {
    throw invalidSecurity('the parts of X509IssuerSerial');
  }
  if (!isNamed(issuer, DS, 'X509IssuerName') || !isNamed(serial, DS, 'X509SerialNumber')) {
    throw invalidSecurity('the parts of X509IssuerSerial');
  }
  const number = elementText(serial).trim();
  if (!/^[0-9]{1,60}$/.test(number)) throw invalidSecurity('X509SerialNumber is no number');
  return {
    by: 'issuerSerial',
    issuer: elementText(issuer).trim(),
    serial: BigInt(number).toString(16),
  };
}

/**
 * The certificate in a BinarySecurityToken, in base64 without white space. Throws
 * `wsse:UnsupportedSecurityToken` for other kinds of tokens.
 */
export function readBinaryToken(node: canonical.ElementNode): string {
  if (!isNamed(node, WSSE, 'BinarySecurityToken')) {
    throw unsupportedToken('a token that is no X.509 certificate');
  }
  const encoding = typedAttribute(node, 'EncodingType');
  if (encoding !== null && encoding !== BASE64_BINARY) {
    throw unsupportedToken('the encoding of BinarySecurityToken');
  }
  if (requiredAttribute(node, 'ValueType') !== X509_V3) {
    throw unsupportedToken('the ValueType of BinarySecurityToken');
  }
  return lettersOf(node);
}

/** Whether this is an assertion of SAML. */
export const isAssertion = ({ uri, local }: canonical.ElementNode): boolean =>
  local === 'Assertion' && (uri === SAML2 || uri === SAML1);
