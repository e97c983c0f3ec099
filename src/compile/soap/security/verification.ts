import { Buffer } from 'node:buffer';
import { type KeyObject, X509Certificate } from 'node:crypto';
import type { ServiceConfig } from '../../../config/schema.js';
import type { ConfigSection } from '../../../config/section.js';
import { ConfigurationError, type Diagnostic, errorDiagnostics } from '../../../core/index.js';
import { OnceMemory } from '../../../gateway/shared/once-memory.js';
import {
  type AlgorithmRules,
  attributeKeys,
  CertificateTrust,
  DIGEST_NAMES,
  digestName,
  isDigestAccepted,
  type ParsedCertificate,
  parseCertificate,
  problemOfKey,
  type RequiredPart,
  type SamlRules,
  SIGNATURE_NAMES,
  type SignatureRules,
  type SignedList,
  SignerCertificates,
  signedListsIn,
  type VerificationRules,
} from '../../../wss/index.js';
import { type Keeping, Kept } from '../../keep.js';
import { madeAnew } from '../../made-anew.js';
import { compileTokenUsers, type TokenUsers } from './token-users.js';

type VerifyConfig = NonNullable<ServiceConfig['security']['verify']>;
type SignatureConfig = NonNullable<VerifyConfig['signature']>;
type SignedConfig = Pick<VerifyConfig, 'signature'>;

/** How the Security blocks of requests of a service are verified. */
export interface Verification {
  readonly rules: VerificationRules;
  /** Null where no UsernameToken is demanded. */
  readonly users: TokenUsers | null;
  /** Nonces and signed messages that came. */
  readonly memory: OnceMemory;
  readonly warnings: readonly Diagnostic[];
}

export const ONCE = new Kept<OnceMemory>(
  'of a service: nonces and messages that `security.verify` takes once',
  'always',
);

/** Null for a service that verifies nothing. Throws `ConfigurationError` with all problems. */
export function compileVerification(
  service: ConfigSection<ServiceConfig>,
  rememberedMax: number,
  keeping: Keeping,
): Verification | null {
  const { verify } = service.value.security;
  if (verify === undefined) return null;
  const section = service.at(verify, 'security', 'verify');
  const problems: Diagnostic[] = [];
  const collect = <T>(make: () => T): T | null => {
    try {
      return make();
    } catch (error) {
      problems.push(...errorDiagnostics(error));
      return null;
    }
  };
  const { timestamp, once, encrypted, role = null } = verify;
  const signature = collect(() => compileSignature(section));
  const usernameToken = collect(() => compileTokenUsers(service, section));
  const saml = collect(() => compileSaml(section));
  collect(() => checkTogether(section));
  if (problems.length > 0) throw new ConfigurationError(problems);
  const rules: VerificationRules = {
    signature,
    timestamp: timestampRules(timestamp),
    usernameToken: usernameToken?.rules ?? null,
    saml,
    role,
    once,
    encrypted,
    confirmations: 'refuse',
  };
  const remembered = new OnceMemory(rememberedMax, ONCE.find(keeping, service.name, null));
  const memory = ONCE.set(keeping, service.name, null, remembered);
  return {
    rules,
    users: usernameToken,
    memory,
    warnings: subjectWarnings(section, '`security.verify`'),
  };
}

/** The rules of the Timestamp of a message, whichever way it goes. */
export const timestampRules = (
  timestamp: VerifyConfig['timestamp'],
): VerificationRules['timestamp'] => ({
  isRequired: timestamp.required,
  toleranceMillis: timestamp.toleranceMillis,
  maxAgeMillis: timestamp.maxAgeMillis === 'none' ? null : timestamp.maxAgeMillis,
});

/** What one part asks of another. */
function checkTogether(section: ConfigSection<VerifyConfig>): void {
  const { signature, usernameToken, saml, timestamp, once } = section.value;
  const required = signature?.required ?? [];
  const owner = '`security.verify`';
  if (
    signature === undefined &&
    usernameToken === undefined &&
    saml === undefined &&
    !timestamp.required
  ) {
    throw section.error(
      [],
      `${owner} demands nothing.`,
      'Give it a `signature`, a `usernameToken`, `saml` or `timestamp: { required: true }`.',
    );
  }
  if (once && !required.includes('Timestamp')) {
    throw section.error(
      ['once'],
      `${owner}: \`once\` needs a signed Timestamp: without one a message would ` +
        'be remembered for ever.',
      'Add Timestamp to `signature.required`.',
    );
  }
  const needsSignature = saml?.confirmations.find((name) => name !== 'bearer');
  if (
    saml !== undefined &&
    signature === undefined &&
    saml.confirmations.every((name) => name !== 'bearer')
  ) {
    throw section.error(
      ['saml', 'confirmations'],
      `${owner}: the confirmation ${needsSignature ?? ''} needs a signature of the message.`,
      'Add `signature`.',
    );
  }
}

/** That a certificate is of a trusted authority says little where that serves others as well. */
export function subjectWarnings(
  section: ConfigSection<SignedConfig>,
  owner: string,
): readonly Diagnostic[] {
  const { signature } = section.value;
  if (signature === undefined || signature.subjects !== undefined) return [];
  const what = `${owner}: every certificate of the authorities of its \`signature\` may sign.`;
  const remedy = 'Name those that may in `subjects`, by attributes of their name: `OU=Clients`.';
  return [section.diagnostic(['signature'], what, remedy)];
}

/**
 * The rules of signatures: made anew when a file of certificates changes, kept where the new one
 * cannot be read.
 */
export function compileSignature(
  verify: ConfigSection<SignedConfig>,
): (() => SignatureRules) | null {
  const { signature: value } = verify.value;
  if (value === undefined) return null;
  const section = verify.at(value, 'signature');
  const texts = FILES.map((key) => section.text([key], value[key] ?? ''));
  // The rules of before stay where new ones cannot be read: their lists go out of date by
  // themselves.
  return madeAnew(texts, (contents) => signatureRules(section, contents));
}

const FILES = ['authorities', 'intermediates', 'known', 'revocations'] as const;

/** An absent file has no text. */
function signatureRules(
  section: ConfigSection<SignatureConfig>,
  contents: readonly string[],
): SignatureRules {
  const { value } = section;
  const [authorities = [], intermediates = [], known = []] = FILES.slice(0, 3).map((key, index) => {
    return value[key] === undefined ? [] : certificatesIn(section, [key], contents[index] ?? '');
  });
  const revocations =
    value.revocations === undefined
      ? null
      : listsOf(section, contents[FILES.indexOf('revocations')] ?? '', [
          ...authorities,
          ...intermediates,
        ]);
  const subjects = value.subjects?.map((subject, index) => {
    const keys = attributeKeys(subject);
    if (keys === null) {
      throw section.error(
        ['subjects', index],
        `\`${subject}\` is no name of a subject.`,
        'Write attributes: CN=erp,O=Bank.',
      );
    }
    return keys;
  });
  if (value.keyValues === 'known' && known.length === 0) {
    throw section.error(
      ['keyValues'],
      '`keyValues: known` needs certificates to compare with.',
      'Give them in `known`.',
    );
  }
  return {
    algorithms: algorithmRules(value),
    certificates: new SignerCertificates({
      trust: new CertificateTrust({
        authorities,
        intermediates,
        revocations,
        digests: new Set(value.chainDigests),
      }),
      known,
      references: new Set(value.keyReferences),
      takesKnownKeys: value.keyValues === 'known',
      subjects: subjects ?? null,
    }),
    required: value.required.map(requiredPart),
  };
}

/** A part that must be signed, as it is configured: the table of keys has checked it. */
export function requiredPart(text: string): RequiredPart {
  switch (text) {
    case 'Body':
    case 'Timestamp':
    case 'UsernameToken':
    case 'Assertion':
    case 'attachments':
      return text;
    default:
      return { block: text };
  }
}

const algorithmRules = (signature: SignatureConfig): AlgorithmRules => ({
  signatures: new Set(signature.algorithms),
  digests: new Set(signature.digests),
  canonicalizations: new Set(signature.canonicalizations),
});

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * The certificates of a PEM text. Throws `ConfigurationError` for a text without any, or with one
 * that cannot be used.
 */
function certificatesIn(
  section: ConfigSection<unknown>,
  path: readonly (string | number)[],
  pem: string,
): readonly ParsedCertificate[] {
  const found = pem.match(CERTIFICATE) ?? [];
  if (found.length === 0) {
    throw section.error(
      path,
      `\`${path.join('.')}\` holds no certificate.`,
      'Write certificates as PEM: -----BEGIN CERTIFICATE-----.',
    );
  }
  return found.map((text, index) => {
    const parsed = parsedOf(text);
    const which = `Certificate ${index + 1} of \`${path.join('.')}\``;
    if (parsed === null) {
      throw section.error(path, `${which} cannot be read.`, 'Check that the file is whole.');
    }
    const weak = problemOfKey(parsed.publicKey);
    if (weak !== null) {
      throw section.error(
        path,
        `${which} has ${weak}.`,
        'Use RSA from 2048 bits, a key on P-256, P-384 or P-521, or Ed25519.',
      );
    }
    return parsed;
  });
}

function parsedOf(pem: string): ParsedCertificate | null {
  try {
    return parseCertificate(new X509Certificate(Buffer.from(pem)));
  } catch {
    return null;
  }
}

/** Throws `ConfigurationError` for a list that is none, or that no authority has signed. */
function listsOf(
  section: ConfigSection<SignatureConfig>,
  pem: string,
  issuers: readonly ParsedCertificate[],
): readonly SignedList[] {
  return signedListsIn(pem).map((list, index) => {
    const which = `List ${index + 1} of \`revocations\``;
    if (list === null) {
      throw section.error(
        ['revocations'],
        `${which} cannot be read, or is not of all certificates.`,
        'Write complete lists as PEM: -----BEGIN X509 CRL-----.',
      );
    }
    if (!isDigestAccepted(list.digest, new Set(section.value.chainDigests))) {
      throw section.error(
        ['revocations'],
        `${which} is signed with ${digestName(list.digest)}, which is not among \`chainDigests\`.`,
        'Let its authority sign it with SHA-256.',
      );
    }
    const isSigned = issuers.some(
      ({ publicKey, fields }) =>
        fields.subject.equals(list.issuer) &&
        fields.keyUses?.signsLists !== false &&
        list.isSignedBy(publicKey),
    );
    if (!isSigned) {
      throw section.error(
        ['revocations'],
        `${which} is signed by none of the authorities.`,
        'Add its authority to `authorities` or `intermediates`.',
      );
    }
    return list;
  });
}

function compileSaml(section: ConfigSection<VerifyConfig>): SamlRules | null {
  const { saml, signature, timestamp } = section.value;
  if (saml === undefined) return null;
  const own = section.at(saml, 'saml');
  const keys = new Map<string, () => readonly KeyObject[]>();
  for (const [issuer, { cert }] of Object.entries(saml.issuers)) {
    const path = ['issuers', issuer, 'cert'];
    const certificates = madeAnew([own.text(path, cert)], ([text = '']) =>
      certificatesIn(own, path, text),
    );
    keys.set(issuer, () => {
      const nowMillis = Date.now();
      return certificates()
        .filter(({ startMillis, endMillis }) => nowMillis >= startMillis && nowMillis < endMillis)
        .map(({ publicKey }) => publicKey);
    });
  }
  return {
    keysOf: (issuer) => keys.get(issuer)?.() ?? null,
    audience: saml.audience,
    confirmations: new Set(saml.confirmations),
    toleranceMillis: timestamp.toleranceMillis,
    algorithms: signature === undefined ? DEFAULT_ALGORITHMS : algorithmRules(signature),
  };
}

const DEFAULT_ALGORITHMS: AlgorithmRules = {
  signatures: new Set(SIGNATURE_NAMES.filter((name) => !name.endsWith('sha1'))),
  digests: new Set(DIGEST_NAMES.filter((name) => name !== 'sha1')),
  canonicalizations: new Set(['exclusive']),
};
