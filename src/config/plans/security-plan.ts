import type { RotatingText } from '../../gateway/rotating-text.js';
import type { ServiceConfig } from '../schema.js';
import type { ConfigSection } from '../section.js';
import { readTls, type TlsPlan } from './tls-plan.js';

type SecurityKeys = ServiceConfig['security'];
type VerifyKeys = NonNullable<SecurityKeys['verify']>;
type VerifyRepliesKeys = NonNullable<SecurityKeys['verifyReplies']>;
type MakeKeys = NonNullable<SecurityKeys['make']>;
type SignatureKeys = NonNullable<VerifyKeys['signature']>;
type UsernameTokenKeys = NonNullable<VerifyKeys['usernameToken']>;
type SamlKeys = NonNullable<MakeKeys['saml']>;
type MadeEncryptionKeys = NonNullable<MakeKeys['encrypt']>;
type MadeSignatureKeys = NonNullable<MakeKeys['signature']>;

/** `security` of a service; null for parts that are not configured. */
export interface SecurityPlan {
  readonly verify: VerifyPlan | null;
  readonly verifyReplies: VerifyRepliesPlan | null;
  readonly make: MakePlan | null;
}

export interface VerifyPlan {
  readonly keys: VerifyKeys;
  readonly decrypt: DecryptPlan | null;
  readonly signature: SignaturePlan | null;
  readonly usernameToken: UsernameTokenPlan | null;
  /** The certificates of the issuers of SAML assertions, by their names. */
  readonly issuers: ReadonlyMap<string, RotatingText>;
}

export interface VerifyRepliesPlan {
  readonly keys: VerifyRepliesKeys;
  readonly decrypt: DecryptPlan | null;
  readonly signature: SignaturePlan | null;
}

export interface DecryptPlan {
  readonly keys: NonNullable<VerifyKeys['decrypt']>;
  readonly identities: readonly IdentityPlan[];
}

/** The keys of a signature to verify that may name files. */
export const SIGNATURE_FILES = ['authorities', 'intermediates', 'known', 'revocations'] as const;

export interface SignaturePlan {
  readonly keys: SignatureKeys;
  /** An absent one has no text. */
  readonly texts: Readonly<Record<(typeof SIGNATURE_FILES)[number], RotatingText>>;
}

export interface UsernameTokenPlan {
  readonly keys: UsernameTokenKeys;
  /** The passwords that are configured, by the names of their users. */
  readonly passwords: ReadonlyMap<string, RotatingText>;
  readonly tls: TlsPlan | null;
}

export interface MakePlan {
  readonly keys: MakeKeys;
  readonly password: RotatingText | null;
  readonly saml: SamlPlan | null;
  readonly signature: MadeSignaturePlan | null;
  readonly encrypt: MadeEncryptionPlan | null;
}

export interface MadeEncryptionPlan {
  readonly keys: MadeEncryptionKeys;
  /** The certificate of the receiver. */
  readonly cert: RotatingText;
}

export interface SamlPlan {
  readonly keys: SamlKeys;
  /** The assertion of an issuer; null where the gateway issues one. */
  readonly assertion: RotatingText | null;
  /** Null where it is not configured as a whole. */
  readonly identity: IdentityPlan | null;
}

interface MadeSignaturePlan {
  readonly keys: MadeSignatureKeys;
  readonly identity: IdentityPlan;
}

/** A certificate and its private key. */
export interface IdentityPlan {
  readonly cert: RotatingText;
  readonly key: RotatingText;
  readonly passphrase: string | null;
  /** Null for that of the kind of key. */
  readonly algorithm: NonNullable<MadeSignatureKeys['algorithm']> | null;
}

/** Reads `security` of a service. */
export function readSecurity(service: ConfigSection<ServiceConfig>): SecurityPlan {
  const { verify, verifyReplies, make } = service.value.security;
  return {
    verify: verify === undefined ? null : readVerify(service.at(verify, 'security', 'verify')),
    verifyReplies:
      verifyReplies === undefined
        ? null
        : readVerifyReplies(service.at(verifyReplies, 'security', 'verifyReplies')),
    make: make === undefined ? null : readMake(service.at(make, 'security', 'make')),
  };
}

function readVerify(section: ConfigSection<VerifyKeys>): VerifyPlan {
  const { value: keys } = section;
  const { usernameToken, saml } = keys;
  return {
    keys,
    decrypt: readDecrypt(section),
    signature: readSignature(section),
    usernameToken:
      usernameToken === undefined
        ? null
        : readUsernameToken(section.at(usernameToken, 'usernameToken')),
    issuers: new Map(
      Object.entries(saml?.issuers ?? {}).map(([name, { cert }]) => [
        name,
        section.textAt(['saml', 'issuers', name, 'cert'], cert),
      ]),
    ),
  };
}

const readVerifyReplies = (section: ConfigSection<VerifyRepliesKeys>): VerifyRepliesPlan => ({
  keys: section.value,
  decrypt: readDecrypt(section),
  signature: readSignature(section),
});

function readDecrypt(section: ConfigSection<Pick<VerifyKeys, 'decrypt'>>): DecryptPlan | null {
  const { decrypt: keys } = section.value;
  if (keys === undefined) return null;
  const identities = keys.keys.map((each, index) =>
    readIdentity(section.at(each, 'decrypt', 'keys', index)),
  );
  return { keys, identities };
}

function readUsernameToken(section: ConfigSection<UsernameTokenKeys>): UsernameTokenPlan {
  const { value: keys } = section;
  const passwords = Object.entries(keys.users ?? {}).flatMap(
    ([name, { password }]): readonly [string, RotatingText][] =>
      password === undefined ? [] : [[name, section.textAt(['users', name, 'password'], password)]],
  );
  return { keys, passwords: new Map(passwords), tls: readTls(section) };
}

function readSignature(owner: ConfigSection<Pick<VerifyKeys, 'signature'>>): SignaturePlan | null {
  const { signature: keys } = owner.value;
  if (keys === undefined) return null;
  const textOf = (name: (typeof SIGNATURE_FILES)[number]): RotatingText =>
    owner.textAt(['signature', name], keys[name] ?? '');
  const texts = {
    authorities: textOf('authorities'),
    intermediates: textOf('intermediates'),
    known: textOf('known'),
    revocations: textOf('revocations'),
  };
  return { keys, texts };
}

function readMake(section: ConfigSection<MakeKeys>): MakePlan {
  const { value: keys } = section;
  const { usernameToken, saml, signature, encrypt } = keys;
  return {
    keys,
    encrypt:
      encrypt === undefined
        ? null
        : { keys: encrypt, cert: section.textAt(['encrypt', 'cert'], encrypt.cert) },
    password:
      usernameToken === undefined
        ? null
        : section.textAt(['usernameToken', 'password'], usernameToken.password),
    saml: saml === undefined ? null : readSaml(section.at(saml, 'saml')),
    signature:
      signature === undefined
        ? null
        : { keys: signature, identity: readIdentity(section.at(signature, 'signature')) },
  };
}

function readSaml(section: ConfigSection<SamlKeys>): SamlPlan {
  const { value: keys } = section;
  const { assertion, cert, key } = keys;
  return {
    keys,
    assertion: assertion === undefined ? null : section.textAt(['assertion'], assertion),
    identity:
      cert === undefined || key === undefined
        ? null
        : readIdentity(section.at({ ...keys, cert, key })),
  };
}

interface IdentityKeys {
  readonly cert: string;
  readonly key: string;
  readonly passphrase?: string;
  readonly algorithm?: NonNullable<MadeSignatureKeys['algorithm']>;
}

function readIdentity(section: ConfigSection<IdentityKeys>): IdentityPlan {
  const { cert, key, passphrase = null, algorithm = null } = section.value;
  return {
    cert: section.textAt(['cert'], cert),
    key: section.textAt(['key'], key),
    passphrase,
    algorithm,
  };
}
