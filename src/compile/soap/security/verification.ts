import type { KeyObject } from 'node:crypto';
import type { ConfigPath } from '../../../config/keys/config-path.js';
import {
  type Finding,
  FindingsError,
  finding,
  findingsBelow,
  invalid,
  type Problem,
  problemsOf,
  within,
} from '../../../config/keys/finding.js';
import {
  SIGNATURE_FILES,
  type SignaturePlan,
  type VerifyPlan,
} from '../../../config/plans/security-plan.js';
import type { ServicePlan } from '../../../config/plans/service-plan.js';
import type { RotatingText } from '../../../gateway/rotating-text.js';
import { OnceMemory } from '../../../gateway/shared/once-memory.js';
import {
  type AlgorithmRules,
  DIGEST_NAMES,
  type encryption,
  problemOfKey,
  type RequiredPart,
  type SamlRules,
  SIGNATURE_NAMES,
  type SignatureRules,
  SignerCertificates,
  type VerificationRules,
  x509,
} from '../../../wss/index.js';
import { type Keeping, Kept } from '../../keep.js';
import { madeAnew } from '../../made-anew.js';
import { compileDecryption } from './decryption.js';
import { certificateIn } from './signing-identity.js';
import { compileTokenUsers, type TokenUsers } from './token-users.js';

type VerifyKeys = VerifyPlan['keys'];
type SignatureKeys = SignaturePlan['keys'];

/** How the Security blocks of requests of a service are verified. */
export interface Verification {
  readonly rules: VerificationRules;
  /** Null where nothing is decrypted. */
  readonly decryption: encryption.DecryptionRules | null;
  /** Null where no UsernameToken is demanded. */
  readonly users: TokenUsers | null;
  /** Nonces and signed messages that came. */
  readonly memory: OnceMemory;
  readonly warnings: readonly Problem[];
}

export const ONCE = new Kept<OnceMemory>(
  'of a service: nonces and messages that `security.verify` takes once',
  'always',
);

/** Null for a service that verifies nothing. Throws `FindingsError` with all problems. */
export function compileVerification(
  service: ServicePlan,
  rememberedMax: number,
  keeping: Keeping,
): Verification | null {
  const { verify: plan } = service.security;
  if (plan === null) return null;
  const problems: Problem[] = [];
  const collect = <T>(make: () => T): T | null => {
    try {
      return make();
    } catch (error) {
      problems.push(...problemsOf(error));
      return null;
    }
  };
  const { keys } = plan;
  const { timestamp, once, encrypted, role = null } = keys;
  const signature = collect(() => compileSignature(plan.signature));
  const decryption = collect(() => {
    if (plan.decrypt !== null && service.config.mode === 'monitor') {
      throw invalid(
        ['decrypt'],
        '`decrypt` changes messages and refuses some, and `mode: monitor` does neither.',
        'Leave one of them out.',
      );
    }
    return compileDecryption(plan.decrypt, {
      owner: 'security.verify',
      role,
      encrypted,
      verifiesSignature: keys.signature !== undefined,
    });
  });
  const usernameToken = collect(() => compileTokenUsers(service, plan));
  const saml = collect(() => compileSaml(plan));
  collect(() => checkTogether(keys));
  if (problems.length > 0) throw new FindingsError(findingsBelow(VERIFY, problems));
  const rules: VerificationRules = {
    signature,
    timestamp: timestampRules(timestamp),
    usernameToken: usernameToken?.rules ?? null,
    saml,
    role,
    once,
    encrypted,
    isDecrypted: plan.decrypt !== null,
    confirmations: 'refuse',
  };
  const remembered = new OnceMemory(rememberedMax, ONCE.find(keeping, service.name, null));
  const memory = ONCE.set(keeping, service.name, null, remembered);
  return {
    rules,
    decryption,
    users: usernameToken,
    memory,
    warnings: findingsBelow(VERIFY, subjectWarnings(plan, '`security.verify`')),
  };
}

const VERIFY: ConfigPath = ['security', 'verify'];

/** The rules of the Timestamp of a message, whichever way it goes. */
export const timestampRules = (
  timestamp: VerifyKeys['timestamp'],
): VerificationRules['timestamp'] => ({
  isRequired: timestamp.required,
  toleranceMillis: timestamp.toleranceMillis,
  maxAgeMillis: timestamp.maxAgeMillis === 'none' ? null : timestamp.maxAgeMillis,
});

/** What one part asks of another. */
function checkTogether(keys: VerifyKeys): void {
  const { signature, usernameToken, saml, timestamp, once, decrypt } = keys;
  const required = signature?.required ?? [];
  const owner = '`security.verify`';
  if (
    signature === undefined &&
    usernameToken === undefined &&
    saml === undefined &&
    decrypt === undefined &&
    !timestamp.required
  ) {
    throw invalid(
      [],
      `${owner} demands nothing.`,
      'Give it a `signature`, a `usernameToken`, `saml`, `decrypt` or ' +
        '`timestamp: { required: true }`.',
    );
  }
  if (once && !required.includes('Timestamp')) {
    throw invalid(
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
    throw invalid(
      ['saml', 'confirmations'],
      `${owner}: the confirmation ${needsSignature ?? ''} needs a signature of the message.`,
      'Add `signature`.',
    );
  }
}

/** That a certificate is of a trusted authority says little where that serves others as well. */
export function subjectWarnings(
  { signature }: Pick<VerifyPlan, 'signature'>,
  owner: string,
): readonly Finding[] {
  if (signature === null || signature.keys.subjects !== undefined) return [];
  const what = `${owner}: every certificate of the authorities of its \`signature\` may sign.`;
  const remedy = 'Name those that may in `subjects`, by attributes of their name: `OU=Clients`.';
  return [finding(['signature'], what, remedy)];
}

/**
 * The rules of signatures: made anew when a file of certificates changes, kept where the new one
 * cannot be read.
 */
export function compileSignature(plan: SignaturePlan | null): (() => SignatureRules) | null {
  if (plan === null) return null;
  const texts = SIGNATURE_FILES.map((name) => plan.texts[name]);
  // The rules of before stay where new ones cannot be read: their lists go out of date by
  // themselves.
  return within(['signature'], () =>
    madeAnew(texts, (contents) => signatureRules(plan.keys, contents)),
  );
}

/** An absent file has no text. */
function signatureRules(value: SignatureKeys, contents: readonly string[]): SignatureRules {
  const [authorities = [], intermediates = [], known = []] = SIGNATURE_FILES.slice(0, 3).map(
    (key, index) => (value[key] === undefined ? [] : certificatesIn([key], contents[index] ?? '')),
  );
  const revocations =
    value.revocations === undefined
      ? null
      : listsOf(value, contents[SIGNATURE_FILES.indexOf('revocations')] ?? '', [
          ...authorities,
          ...intermediates,
        ]);
  const subjects = value.subjects?.map((subject, index) => {
    const keys = x509.attributeKeys(subject);
    if (keys === null) {
      throw invalid(
        ['subjects', index],
        `\`${subject}\` is no name of a subject.`,
        'Write attributes: CN=erp,O=Bank.',
      );
    }
    return keys;
  });
  if (value.keyValues === 'known' && known.length === 0) {
    throw invalid(
      ['keyValues'],
      '`keyValues: known` needs certificates to compare with.',
      'Give them in `known`.',
    );
  }
  return {
    algorithms: algorithmRules(value),
    certificates: new SignerCertificates({
      trust: new x509.CertificateTrust({
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

const algorithmRules = (signature: SignatureKeys): AlgorithmRules => ({
  signatures: new Set(signature.algorithms),
  digests: new Set(signature.digests),
  canonicalizations: new Set(signature.canonicalizations),
});

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * The certificates of a PEM text. Throws `FindingsError` for a text without any, or with one that
 * cannot be used.
 */
function certificatesIn(path: ConfigPath, pem: string): readonly x509.ParsedCertificate[] {
  const found = pem.match(CERTIFICATE) ?? [];
  if (found.length === 0) {
    throw invalid(
      path,
      `\`${path.join('.')}\` holds no certificate.`,
      'Write certificates as PEM: -----BEGIN CERTIFICATE-----.',
    );
  }
  return found.map((text, index) => {
    const parsed = certificateIn(text);
    const which = `Certificate ${index + 1} of \`${path.join('.')}\``;
    if (parsed === null) {
      throw invalid(path, `${which} cannot be read.`, 'Check that the file is whole.');
    }
    const weak = problemOfKey(parsed.publicKey);
    if (weak !== null) {
      throw invalid(
        path,
        `${which} has ${weak}.`,
        'Use RSA from 2048 bits, a key on P-256, P-384 or P-521, or Ed25519.',
      );
    }
    return parsed;
  });
}

/** Throws `FindingsError` for a list that is none, or that no authority has signed. */
function listsOf(
  { chainDigests }: SignatureKeys,
  pem: string,
  issuers: readonly x509.ParsedCertificate[],
): readonly x509.SignedList[] {
  return x509.signedListsIn(pem).map((list, index) => {
    const which = `List ${index + 1} of \`revocations\``;
    if (list === null) {
      throw invalid(
        ['revocations'],
        `${which} cannot be read, or is not of all certificates.`,
        'Write complete lists as PEM: -----BEGIN X509 CRL-----.',
      );
    }
    if (!x509.isDigestAccepted(list.digest, new Set(chainDigests))) {
      throw invalid(
        ['revocations'],
        `${which} is signed with ${x509.digestName(list.digest)}, ` +
          `which is not among \`chainDigests\`.`,
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
      throw invalid(
        ['revocations'],
        `${which} is signed by none of the authorities.`,
        'Add its authority to `authorities` or `intermediates`.',
      );
    }
    return list;
  });
}

function compileSaml({
  keys: { saml, signature, timestamp },
  issuers,
}: VerifyPlan): SamlRules | null {
  if (saml === undefined) return null;
  const keys = new Map<string, () => readonly KeyObject[]>();
  for (const [issuer, cert] of issuers) {
    const certificates = issuerCertificates(issuer, cert);
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

const issuerCertificates = (
  issuer: string,
  cert: RotatingText,
): (() => readonly x509.ParsedCertificate[]) =>
  within(['saml'], () =>
    madeAnew([cert], ([text = '']) => certificatesIn(['issuers', issuer, 'cert'], text)),
  );

const DEFAULT_ALGORITHMS: AlgorithmRules = {
  signatures: new Set(SIGNATURE_NAMES.filter((name) => !name.endsWith('sha1'))),
  digests: new Set(DIGEST_NAMES.filter((name) => name !== 'sha1')),
  canonicalizations: new Set(['exclusive']),
};
