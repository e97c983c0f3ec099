import { PASSWORD_HASH } from '../../access/passwords/password-hash.js';
import { CONFIRMATIONS, DIGEST_NAMES, KEY_REFERENCES, SIGNATURE_NAMES } from '../../wss/index.js';
import { TLS_KEYS } from '../backend/upstream-keys.js';
import { HTTP_URL, URI } from '../keys/formats.js';
import {
  closed,
  flag,
  list,
  mapOf,
  millis,
  millisOrNone,
  oneOf,
  optional,
  section,
  string,
  text,
  whole,
} from '../keys/key-types.js';
import { DECRYPT_KEYS, ENCRYPT_KEYS, pem } from './decrypt-keys.js';

/**
 * Keys of WS-Security: what is demanded of the Security block of requests, and what the gateway
 * writes into its own.
 */

/** Parts by the place that they have in the envelope, or header blocks by name. */
const REQUIRED_PART =
  '^(?:Body|Timestamp|UsernameToken|Assertion|attachments|\\{[^{}]+\\}[^{}\\s:]+)$';

const ALGORITHMS = SIGNATURE_NAMES.filter((name) => !name.endsWith('sha1'));

const SIGNATURE_KEYS = closed(
  {
    authorities: pem('The authorities whose certificates may sign, PEM: `{ file: ca.pem }`.'),
    intermediates: optional(
      pem('Authorities below those, by which chains are built. Messages bring none.'),
    ),
    revocations: optional(
      pem(
        'Revocation lists, PEM: then each authority of a chain must have one ' +
          'that is not out of date.',
      ),
    ),
    known: optional(pem('SignerCertificates that a message names without bringing them.')),
    required: list(
      string({
        pattern: REQUIRED_PART,
        hint:
          'Write Body, Timestamp, UsernameToken, Assertion, attachments, or a header ' +
          'block as {namespace}name.',
      }),
      'What one signature must cover, by its place in the envelope.',
      { minItems: 1, maxItems: 16, uniqueItems: true, default: ['Body'] },
    ),
    subjects: optional(
      list(
        string({ minLength: 3, maxLength: 1024 }),
        'Subjects that may sign, by some attributes of their name: `OU=Clients`, ' +
          '`CN=erp,O=Bank`. Without it all certificates of the authorities may.',
        { minItems: 1, maxItems: 256, uniqueItems: true },
      ),
    ),
    algorithms: list(
      oneOf(SIGNATURE_NAMES),
      'Algorithms of signatures. Those with SHA-1 are taken by name only.',
      { minItems: 1, uniqueItems: true, default: [...ALGORITHMS] },
    ),
    digests: list(oneOf(DIGEST_NAMES), 'Digests of what is signed.', {
      minItems: 1,
      uniqueItems: true,
      default: ['sha256', 'sha384', 'sha512'],
    }),
    chainDigests: list(
      oneOf(DIGEST_NAMES),
      'Digests by which the certificates of a chain, and revocation lists, may be signed. ' +
        'SHA-1 is taken by name only, MD5 never. The signature of an authority in ' +
        '`authorities` does not count.',
      { minItems: 1, uniqueItems: true, default: ['sha256', 'sha384', 'sha512'] },
    ),
    canonicalizations: list(oneOf(['exclusive', 'inclusive']), 'Ways of canonical XML.', {
      minItems: 1,
      uniqueItems: true,
      default: ['exclusive'],
    }),
    keyReferences: list(oneOf(KEY_REFERENCES), 'How a signature may name its certificate.', {
      minItems: 1,
      uniqueItems: true,
      default: ['token', 'issuerSerial', 'keyIdentifier', 'thumbprint', 'embedded'],
    }),
    keyValues: oneOf(
      ['none', 'known'],
      'A bare key in place of a certificate: refused, or taken where it is that of a ' +
        'certificate in `known`.',
      'none',
    ),
  },
  'Demand a signature (XML Signature 1.1) that covers what is `required`.',
);

const USERNAME_TOKEN_KEYS = closed(
  {
    users: optional(
      mapOf(
        '^[^:]{1,256}$',
        closed({
          password: optional(
            text('The password; from the environment or a file.', {
              minLength: 1,
              maxLength: 4096,
            }),
          ),
          hash: optional(
            text(
              'Its hash, as `soapstone hash-password` prints it: for passwords sent as text alone.',
              { pattern: PASSWORD_HASH, hint: 'Write what `soapstone hash-password` prints.' },
            ),
          ),
        }),
        'Users by name, each with a `password` or its `hash`.',
        { names: 'Write a name without a colon.', minProperties: 1, maxProperties: 10_000 },
      ),
    ),
    url: optional(
      text(
        'A decision point that is asked about the user and the password, as text, of a token ' +
          'whose user is not among `users`: the REST interface of Open Policy Agent.',
        HTTP_URL,
      ),
    ),
    timeoutMillis: millis(
      'Time for its answer; without one the message is refused.',
      [10, 60_000],
      1000,
    ),
    tls: optional({
      ...TLS_KEYS,
      description: 'TLS to it, with the keys of `tls` of a service.',
      like: 'services.tls',
    }),
    types: list(oneOf(['digest', 'text']), 'How a password may be sent.', {
      minItems: 1,
      uniqueItems: true,
      default: ['digest', 'text'],
    }),
    maxAgeMillis: millisOrNone(
      'The age up to which a token with Created is taken; `none`: any.',
      [1000, 86_400_000],
      300_000,
    ),
  },
  'Demand a UsernameToken (UsernameToken Profile 1.1) of one of these users. ' +
    'A nonce is taken once.',
);

const SAML_KEYS = closed(
  {
    issuers: mapOf(
      '^\\S{1,1024}$',
      closed({ cert: pem('SignerCertificates of the keys that sign its assertions, PEM.') }),
      'Issuers by name, each with its certificates.',
      {
        names: 'Write the name that its assertions have in Issuer.',
        minProperties: 1,
        maxProperties: 64,
      },
    ),
    audience: text('The audience that assertions must name.', URI),
    confirmations: list(oneOf(CONFIRMATIONS), 'How the subject may be confirmed.', {
      minItems: 1,
      uniqueItems: true,
      default: ['bearer', 'holder-of-key'],
    }),
  },
  'Demand an assertion of SAML 2.0, signed by its issuer.',
);

const timestampKeys = () =>
  section('The Timestamp of a message. One that is there is validated in any case.', {
    required: flag('Demand one.', false),
    toleranceMillis: millis('How far clocks may differ.', [0, 3_600_000], 300_000),
    maxAgeMillis: millisOrNone(
      'The age up to which a message is taken; `none`: by its Expires alone, ' +
        'which it must have then.',
      [1000, 86_400_000],
      300_000,
    ),
  });

const VERIFY_KEYS = closed(
  {
    decrypt: optional(DECRYPT_KEYS),
    signature: optional(SIGNATURE_KEYS),
    timestamp: timestampKeys(),
    usernameToken: optional(USERNAME_TOKEN_KEYS),
    saml: optional(SAML_KEYS),
    role: optional(
      text(
        'The actor or role of the Security block that is meant, or `next`. ' +
          'By default the block without one.',
        URI,
      ),
    ),
    once: flag('Take a signed message once: its Timestamp must be signed.', false),
    remove: flag(
      'Take the block out of a message once it is verified: ' +
        'for a backend that does not understand it.',
      false,
    ),
    encrypted: oneOf(
      ['refuse', 'pass'],
      'Messages with encrypted parts that no key of `decrypt` opens.',
      'refuse',
    ),
  },
  'Refuse requests whose Security block is not as it says here (WS-Security 1.1).',
);

const VERIFY_REPLIES_KEYS = closed(
  {
    decrypt: optional({ ...DECRYPT_KEYS, like: 'services.security.verify.decrypt' }),
    signature: optional({ ...SIGNATURE_KEYS, like: 'services.security.verify.signature' }),
    timestamp: timestampKeys(),
    signatureConfirmation: flag(
      'Demand that a reply confirms, signed, the signature of the request that it answers ' +
        '(SignatureConfirmation). SOAP calls that the gateway has not signed are not concerned.',
      false,
    ),
    remove: flag(
      'Take the block out of a reply once it is verified: for callers that do not understand it.',
      false,
    ),
    encrypted: oneOf(
      ['refuse', 'pass'],
      'Replies with encrypted parts that no key of `decrypt` opens.',
      'refuse',
    ),
  },
  'Take replies only whose Security block is as it says here, Faults as well. ' +
    'Others are invalid answers of the service.',
);

const MAKE_KEYS = closed(
  {
    timestamp: flag('Write a Timestamp.', false),
    expiresMillis: whole(
      'How long a message is valid by its Timestamp.',
      [1_000, 86_400_000],
      300_000,
    ),
    usernameToken: optional(
      closed(
        {
          username: text('The user.', { minLength: 1, maxLength: 512 }),
          password: text('The password; from the environment or a file, which may rotate.', {
            maxLength: 4096,
          }),
          type: oneOf(
            ['text', 'digest'],
            '`text` sends the password, `digest` its SHA-1 with nonce and time.',
            'text',
          ),
        },
        'Write a UsernameToken (UsernameToken Profile 1.1) with a fresh nonce.',
      ),
    ),
    saml: optional(
      closed(
        {
          assertion: optional(
            text(
              'An assertion as its issuer gave it: `{ file: a.xml }`. The file may be replaced.',
              { minLength: 1, maxLength: 262_144 },
            ),
          ),
          issuer: optional(
            text('The name of the gateway as an issuer.', { minLength: 1, maxLength: 1024 }),
          ),
          subject: optional(text('The subject of all calls.', { minLength: 1, maxLength: 1024 })),
          claim: optional(
            text(
              'The claim of the caller that is the subject: `sub` is the verified sender of a ' +
                'message, or the subject of a token. Callers without it are refused.',
              { minLength: 1, maxLength: 256 },
            ),
          ),
          audience: optional(text('The audience: the name of the backend.', URI)),
          lifetimeMillis: whole('How long an assertion is valid.', [1_000, 86_400_000], 300_000),
          cert: optional(
            pem('The certificate of the issuer, PEM; it may rotate, together with its key.'),
          ),
          key: optional(pem('Its private key, PEM.')),
          passphrase: optional(
            text('The passphrase of the key.', { minLength: 1, maxLength: 1024 }),
          ),
        },
        'Write a bearer assertion of SAML 2.0: one that is given, or one that the ' +
          'gateway issues and signs.',
      ),
    ),
    signature: optional(
      closed(
        {
          cert: pem(
            'The certificate, PEM: `{ file: c.pem }`; it may rotate, together with its key.',
          ),
          key: pem('Its private key, PEM: `{ file: k.pem }`.'),
          passphrase: optional(
            text('The passphrase of the key.', { minLength: 1, maxLength: 1024 }),
          ),
          parts: list(
            string({
              pattern: REQUIRED_PART.replace('|attachments', ''),
              hint:
                'Write Body, Timestamp, UsernameToken, Assertion, or a header ' +
                'block as {namespace}name.',
            }),
            'What is signed.',
            { minItems: 1, maxItems: 16, uniqueItems: true, default: ['Body', 'Timestamp'] },
          ),
          keyReference: oneOf(
            KEY_REFERENCES,
            'How the signature names its certificate; `token` and `embedded` bring it along.',
            'token',
          ),
          algorithm: optional(
            oneOf(
              SIGNATURE_NAMES,
              'The algorithm: by default SHA-256 (RSA, P-256, Ed25519), or that of the curve.',
            ),
          ),
          digest: oneOf(DIGEST_NAMES, 'The digest of what is signed.', 'sha256'),
        },
        'Sign (XML Signature 1.1, by exclusive canonicalization). ' +
          'The whole message is held for it.',
      ),
    ),
    encrypt: optional(ENCRYPT_KEYS),
    mustUnderstand: flag('Whether the backend must understand the block.', true),
    actor: optional(text('The actor or role that the block is for.', URI)),
    replace: flag(
      'Write the block into SOAP calls as well, and remove that of the caller for the ' +
        'backend. Else SOAP calls keep theirs.',
      false,
    ),
  },
  'A Security block that the gateway writes into the calls that it makes.',
);

export const SECURITY_KEYS = section(
  'WS-Security headers of requests, besides their structure. Without `verify` signatures and ' +
    'passwords are for the backend.',
  {
    timestamps: flag(
      'Refuse messages whose Created is too far from now, or whose Expires has passed.',
      false,
    ),
    nonces: flag(
      'Refuse a nonce of a UsernameToken that came before, however its base64 is written, ' +
        'or without Created. With `redis` all processes know them, else each its own.',
      false,
    ),
    noncesWithoutRedis: flag(
      'While Redis is away, take nonces that are new to this process. Else their messages are ' +
        'refused: they may be replays.',
      false,
    ),
    verify: optional(VERIFY_KEYS),
    verifyReplies: optional(VERIFY_REPLIES_KEYS),
    make: optional(MAKE_KEYS),
    answer: optional(
      closed(
        {
          encrypt: flag(
            'Encrypt the content of Body with the key that came with the request, by AES-GCM; ' +
              'Faults of the backend as well. `verify.decrypt` must demand such a key.',
            false,
          ),
        },
        'What the gateway does to the answers that SOAP callers get.',
      ),
    ),
  },
);
