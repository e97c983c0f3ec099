import { Buffer } from 'node:buffer';
import { createPublicKey, diffieHellman, type KeyObject, randomBytes } from 'node:crypto';
import type { canonical } from '../../xml/index.js';
import { invalidSecurity, unsupportedAlgorithm } from '../security-refusals.js';
import {
  base64Of,
  elementParts,
  elementText,
  isNamed,
  requiredAttribute,
  typedAttribute,
} from '../strict-elements.js';
import { DS, DS11, XENC } from '../wsse-names.js';
import {
  CONCAT_KDF,
  CURVE_URIS,
  ECDH_ES,
  HKDF,
  KEY_WRAPS,
  type WrapLength,
  XENC11,
} from './cipher-names.js';
import { type Derivation, type DerivationDigest, deriveKey, unwrapKey } from './key-derivation.js';

/** An AgreementMethod (XML Encryption 1.1 section 5.6), as far as its parts are public. */
export interface KeyAgreement {
  /** Names the key of the receiver as a KeyInfo does; null: it names none. */
  readonly recipient: canonical.ElementNode | null;
  /** The key that is wrapped in `value`, of so many bytes; a random one where it cannot be. */
  unwrap(key: KeyObject, value: Buffer, keyBytes: number): Buffer;
}

/**
 * Reads an AgreementMethod for a key wrap. Throws `wsse:UnsupportedAlgorithm`,
 * `wsse:InvalidSecurity`.
 */
export function readAgreement(node: canonical.ElementNode, wrap: string): KeyAgreement {
  const algorithm = requiredAttribute(node, 'Algorithm');
  const wrapBytes = KEY_WRAPS.get(wrap);
  if (algorithm !== ECDH_ES) throw unsupportedAlgorithm('a key agreement', algorithm);
  if (wrapBytes === undefined) throw unsupportedAlgorithm('the wrap of an agreed key', wrap);
  let derivation: Derivation | null = null;
  let originator: KeyObject | null = null;
  let recipient: canonical.ElementNode | null = null;
  for (const part of elementParts(node)) {
    if (isNamed(part, XENC11, 'KeyDerivationMethod')) {
      derivation = readDerivation(part, wrapBytes);
    } else if (isNamed(part, XENC, 'OriginatorKeyInfo')) {
      originator = publicKeyIn(part);
    } else if (isNamed(part, XENC, 'RecipientKeyInfo')) {
      recipient = part;
    } else {
      throw unsupportedAlgorithm('a part of AgreementMethod', part.local);
    }
  }
  const by = derivation;
  if (by === null) throw invalidSecurity('AgreementMethod has no KeyDerivationMethod');
  return {
    recipient,
    unwrap(key, value, keyBytes) {
      const wrapping = agree(key, originator, by, wrapBytes);
      return wrapping === null ? randomBytes(keyBytes) : unwrapKey(value, wrapping, keyBytes);
    },
  };
}

/** Null for a public key of another curve, or of none. */
function agree(
  privateKey: KeyObject,
  publicKey: KeyObject | null,
  derivation: Derivation,
  bytes: WrapLength,
): Buffer | null {
  if (publicKey === null || privateKey.asymmetricKeyType !== 'ec') return null;
  try {
    return deriveKey(diffieHellman({ privateKey, publicKey }), derivation, bytes);
  } catch {
    return null;
  }
}

function readDerivation(node: canonical.ElementNode, wrapBytes: WrapLength): Derivation {
  const algorithm = requiredAttribute(node, 'Algorithm');
  const [params, ...others] = elementParts(node);
  if (others.length > 0) throw invalidSecurity('two of the parameters of KeyDerivationMethod');
  if (algorithm === CONCAT_KDF && params !== undefined) return readConcat(params);
  if (algorithm === HKDF) return readHkdf(params, wrapBytes);
  throw unsupportedAlgorithm('a derivation of an agreed key', algorithm);
}

const DIGESTS: ReadonlyMap<string, DerivationDigest> = new Map([
  [`${XENC}sha256`, 'sha256'],
  ['http://www.w3.org/2001/04/xmldsig-more#sha384', 'sha384'],
  [`${XENC}sha512`, 'sha512'],
]);

/** The attributes in the order in which they are hashed (section 5.4.1). */
const INFOS = ['AlgorithmID', 'PartyUInfo', 'PartyVInfo', 'SuppPubInfo', 'SuppPrivInfo'] as const;

function readConcat(params: canonical.ElementNode): Derivation {
  const [method, ...others] = elementParts(params);
  const isForm = isNamed(params, XENC11, 'ConcatKDFParams') && others.length === 0;
  if (!isForm || method === undefined || !isNamed(method, DS, 'DigestMethod')) {
    throw invalidSecurity('the parameters of ConcatKDF');
  }
  const digest = DIGESTS.get(requiredAttribute(method, 'Algorithm'));
  if (digest === undefined) throw unsupportedAlgorithm('the digest of ConcatKDF');
  const info = Buffer.concat(INFOS.map((name) => bitsOf(typedAttribute(params, name) ?? '')));
  return { kind: 'concat', digest, info };
}

/** A bit string: the first byte says how many bits of the last one are none, which is 0 here. */
function bitsOf(hex: string): Buffer {
  if (hex === '') return Buffer.alloc(0);
  if (!/^00(?:[0-9A-Fa-f]{2}){0,256}$/.test(hex)) {
    throw unsupportedAlgorithm('a bit string of ConcatKDF that is of no whole bytes');
  }
  return Buffer.from(hex.slice(2), 'hex');
}

const PRFS: ReadonlyMap<string, DerivationDigest> = new Map(
  (['sha256', 'sha384', 'sha512'] as const).map((digest) => [
    `http://www.w3.org/2001/04/xmldsig-more#hmac-${digest}`,
    digest,
  ]),
);

function readHkdf(params: canonical.ElementNode | undefined, wrapBytes: WrapLength): Derivation {
  let digest: DerivationDigest | undefined;
  let salt: Buffer = Buffer.alloc(0);
  let info: Buffer = Buffer.alloc(0);
  for (const part of params === undefined ? [] : elementParts(params)) {
    if (part.local === 'PRF') {
      digest = PRFS.get(requiredAttribute(part, 'Algorithm'));
    } else if (part.local === 'Salt') {
      salt = base64Of(part);
    } else if (part.local === 'Info') {
      info = base64Of(part);
    } else if (part.local !== 'KeyLength' || !isLength(elementText(part), wrapBytes)) {
      throw unsupportedAlgorithm('a parameter of HKDF', part.local);
    }
  }
  if (digest === undefined) throw unsupportedAlgorithm('the PRF of HKDF');
  return { kind: 'hkdf', digest, salt, info };
}

/** In bytes, as WSS4J writes it, or in bits. */
const isLength = (text: string, bytes: WrapLength): boolean =>
  [bytes, bytes * 8].includes(Number(text));

/** The key in an OriginatorKeyInfo; null for one that is no point of its curve. */
function publicKeyIn(info: canonical.ElementNode): KeyObject | null {
  const [part, ...others] = elementParts(info);
  if (part === undefined || others.length > 0) {
    throw invalidSecurity('OriginatorKeyInfo has one key');
  }
  try {
    if (isNamed(part, DS11, 'DEREncodedKeyValue')) {
      return createPublicKey({ key: base64Of(part), format: 'der', type: 'spki' });
    }
    const [value] = isNamed(part, DS, 'KeyValue') ? elementParts(part) : [];
    return value === undefined || !isNamed(value, DS11, 'ECKeyValue') ? null : keyAtPoint(value);
  } catch {
    return null;
  }
}

/** The names of curves in a JSON Web Key, and the bytes of their coordinates. */
const JWK_CURVES: ReadonlyMap<string, readonly [name: string, bytes: number]> = new Map([
  ['prime256v1', ['P-256', 32]],
  ['secp384r1', ['P-384', 48]],
  ['secp521r1', ['P-521', 66]],
]);

function keyAtPoint(value: canonical.ElementNode): KeyObject | null {
  const [curve, point] = elementParts(value);
  const uri = typedAttribute(curve, 'URI') ?? '';
  const [crv, bytes] = JWK_CURVES.get(CURVE_URIS.get(uri) ?? '') ?? [];
  if (point === undefined || crv === undefined || bytes === undefined) return null;
  const encoded = base64Of(point);
  // Points are written whole: 4, x, y (SEC 1 section 2.3.3).
  if (encoded.length !== 1 + 2 * bytes || encoded[0] !== 4) return null;
  const [x = '', y = ''] = [encoded.subarray(1, 1 + bytes), encoded.subarray(1 + bytes)].map(
    (part) => part.toString('base64url'),
  );
  return createPublicKey({ key: { kty: 'EC', crv, x, y }, format: 'jwk' });
}
