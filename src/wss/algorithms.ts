import type { Buffer } from 'node:buffer';
import { constants, type KeyObject, type SignKeyObjectInput, sign, verify } from 'node:crypto';

/** Names of the digests, as the configuration has them. */
export const DIGEST_NAMES = ['sha1', 'sha256', 'sha384', 'sha512'] as const;
export type DigestName = (typeof DIGEST_NAMES)[number];

/** Identifiers of digests (XML Encryption section 5.7, RFC 9231 section 2.1). */
const DIGESTS: ReadonlyMap<string, DigestName> = new Map([
  ['http://www.w3.org/2000/09/xmldsig#sha1', 'sha1'],
  ['http://www.w3.org/2001/04/xmlenc#sha256', 'sha256'],
  ['http://www.w3.org/2001/04/xmldsig-more#sha384', 'sha384'],
  ['http://www.w3.org/2001/04/xmlenc#sha512', 'sha512'],
]);

/** The identifier of a digest. */
export function digestIdentifier(name: DigestName): string {
  for (const [identifier, digest] of DIGESTS) {
    if (digest === name) return identifier;
  }
  throw new Error(`no identifier of ${name}`);
}

export const digestOf = (identifier: string): DigestName | null => DIGESTS.get(identifier) ?? null;

/** Names of the algorithms of signatures, as the configuration has them. */
export const SIGNATURE_NAMES = [
  'rsa-sha1',
  'rsa-sha256',
  'rsa-sha384',
  'rsa-sha512',
  'rsa-pss-sha256',
  'rsa-pss-sha384',
  'rsa-pss-sha512',
  'ecdsa-sha1',
  'ecdsa-sha256',
  'ecdsa-sha384',
  'ecdsa-sha512',
  'ed25519',
] as const;
export type SignatureName = (typeof SIGNATURE_NAMES)[number];

/**
 * An algorithm of signatures. `kind` is that of its key: an algorithm never takes a key of another
 * kind.
 */
export interface SignatureAlgorithm {
  readonly name: SignatureName;
  readonly identifier: string;
  readonly kind: 'rsa' | 'rsa-pss' | 'ec' | 'ed25519';
  /** Null where the algorithm has its own. */
  readonly digest: DigestName | null;
}

const MORE = 'http://www.w3.org/2001/04/xmldsig-more#';
const MORE_2007 = 'http://www.w3.org/2007/05/xmldsig-more#';

/**
 * Identifiers of algorithms: XML Signature section 6.4, RFC 9231 section 2.3. There is none with a
 * shared key.
 */
const SIGNATURE_ALGORITHMS: readonly SignatureAlgorithm[] = [
  {
    name: 'rsa-sha1',
    identifier: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
    kind: 'rsa',
    digest: 'sha1',
  },
  { name: 'rsa-sha256', identifier: `${MORE}rsa-sha256`, kind: 'rsa', digest: 'sha256' },
  { name: 'rsa-sha384', identifier: `${MORE}rsa-sha384`, kind: 'rsa', digest: 'sha384' },
  { name: 'rsa-sha512', identifier: `${MORE}rsa-sha512`, kind: 'rsa', digest: 'sha512' },
  {
    name: 'rsa-pss-sha256',
    identifier: `${MORE_2007}sha256-rsa-MGF1`,
    kind: 'rsa-pss',
    digest: 'sha256',
  },
  {
    name: 'rsa-pss-sha384',
    identifier: `${MORE_2007}sha384-rsa-MGF1`,
    kind: 'rsa-pss',
    digest: 'sha384',
  },
  {
    name: 'rsa-pss-sha512',
    identifier: `${MORE_2007}sha512-rsa-MGF1`,
    kind: 'rsa-pss',
    digest: 'sha512',
  },
  { name: 'ecdsa-sha1', identifier: `${MORE}ecdsa-sha1`, kind: 'ec', digest: 'sha1' },
  { name: 'ecdsa-sha256', identifier: `${MORE}ecdsa-sha256`, kind: 'ec', digest: 'sha256' },
  { name: 'ecdsa-sha384', identifier: `${MORE}ecdsa-sha384`, kind: 'ec', digest: 'sha384' },
  { name: 'ecdsa-sha512', identifier: `${MORE}ecdsa-sha512`, kind: 'ec', digest: 'sha512' },
  {
    name: 'ed25519',
    identifier: 'http://www.w3.org/2021/04/xmldsig-more#eddsa-ed25519',
    kind: 'ed25519',
    digest: null,
  },
];

const BY_IDENTIFIER: ReadonlyMap<string, SignatureAlgorithm> = new Map(
  SIGNATURE_ALGORITHMS.map((algorithm) => [algorithm.identifier, algorithm]),
);

export const signatureAlgorithmOf = (identifier: string): SignatureAlgorithm | null =>
  BY_IDENTIFIER.get(identifier) ?? null;

/**
 * Smaller keys are broken within reach; larger ones cost a millisecond and more for each message.
 */
const RSA_BITS = { least: 2048, most: 8192 } as const;
/** Exponents as they are in use: a large one makes verification as dear as signing. */
const RSA_EXPONENT_MAX = 0xffff_ffffn;
const CURVES: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);

/** Why a key must not be used for signatures, for the log; null where it may. */
export function problemOfKey(key: KeyObject): string | null {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details = {} } = key;
  switch (type) {
    case 'rsa':
    case 'rsa-pss': {
      const { modulusLength: bits = 0, publicExponent: exponent = 0n } = details;
      if (bits < RSA_BITS.least || bits > RSA_BITS.most) return `an RSA key of ${bits} bits`;
      return exponent < 3n || exponent > RSA_EXPONENT_MAX
        ? 'an RSA key with an unusual exponent'
        : null;
    }
    case 'ec':
      return CURVES.has(details.namedCurve ?? '')
        ? null
        : `a key on the curve ${details.namedCurve ?? 'without a name'}`;
    case 'ed25519':
      return null;
    default:
      return `a key of the kind ${type ?? 'unknown'}`;
  }
}

/**
 * Whether the key, which passed `problemOfKey`, is one of the algorithm and has made the signature
 * of these bytes.
 */
export function isSignatureOf(
  { kind, digest }: SignatureAlgorithm,
  key: KeyObject,
  signed: Buffer,
  signature: Buffer,
): boolean {
  const type = key.asymmetricKeyType;
  // A plain RSA key may sign in both ways, one for PSS in that alone.
  if (type !== kind && !(kind === 'rsa-pss' && type === 'rsa')) return false;
  try {
    return verify(digest, signed, keyInput(kind, key), signature);
  } catch {
    // OpenSSL throws for signatures of an impossible form.
    return false;
  }
}

/** Signs bytes by an algorithm, with a key of its kind. */
export const signBytes = (
  { kind, digest }: SignatureAlgorithm,
  key: KeyObject,
  bytes: Buffer,
): Buffer => sign(digest, bytes, keyInput(kind, key));

/** The key with what OpenSSL needs to know of its algorithm. */
function keyInput(
  kind: SignatureAlgorithm['kind'],
  key: KeyObject,
): SignKeyObjectInput | KeyObject {
  if (kind === 'ec') return { key, dsaEncoding: 'ieee-p1363' };
  if (kind !== 'rsa-pss') return key;
  return {
    key,
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
  };
}

/**
 * The algorithm of this name for this key, or the usual one; null where the key is of another kind.
 */
export function algorithmFor(
  key: KeyObject,
  name: SignatureName | null,
): SignatureAlgorithm | null {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  const usual: SignatureName =
    type === 'ed25519'
      ? 'ed25519'
      : type === 'ec'
        ? (CURVE_ALGORITHMS.get(details?.namedCurve ?? '') ?? 'ecdsa-sha256')
        : type === 'rsa-pss'
          ? 'rsa-pss-sha256'
          : 'rsa-sha256';
  const found =
    SIGNATURE_ALGORITHMS.find((algorithm) => algorithm.name === (name ?? usual)) ?? null;
  if (found === null) return null;
  return found.kind === type || (found.kind === 'rsa-pss' && type === 'rsa') ? found : null;
}

const CURVE_ALGORITHMS: ReadonlyMap<string, SignatureName> = new Map([
  ['prime256v1', 'ecdsa-sha256'],
  ['secp384r1', 'ecdsa-sha384'],
  ['secp521r1', 'ecdsa-sha512'],
]);
