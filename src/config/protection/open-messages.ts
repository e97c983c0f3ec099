import { listNames } from '../keys/key-text.js';
import type { Config } from '../schema.js';
import type { ConfigChange, Weakening } from './protection.js';

/** Sentences about what the rules of WS-Security, and of the tools of agents, leave open. */

type SecurityConfig = Config['services'][string]['security'];
type SignatureConfig = NonNullable<NonNullable<SecurityConfig['verify']>['signature']>;

type VerifyConfig = NonNullable<SecurityConfig['verify'] | SecurityConfig['verifyReplies']>;

/** A sentence, and whether it holds. */
type Hole = readonly [isOpen: boolean, what: string];

/** What is verified of requests, and what of it can be sent again or altered all the same. */
export const openRequests = ({ services, clients }: Config): readonly string[] =>
  Object.entries(services).flatMap(([name, { security }]) => {
    const { verify } = security;
    if (assertsForAll(security, clients))
      return [
        `SOAP callers of \`${name}\` prove nothing, and an assertion about a subject is written ` +
          'into their messages (`security.verify`).',
      ];
    if (verify === undefined) return [];
    const { signature, timestamp, usernameToken, saml, once, encrypted } = verify;
    const owner = `Messages to \`${name}\``;
    const isUnsigned = (part: string): boolean => signature?.required.includes(part) !== true;
    const holes: readonly Hole[] = [
      ...timestampHoles(owner, timestamp, isUnsigned('Timestamp')),
      [
        signature !== undefined && !once,
        `${owner} that are signed are taken more than once ` +
          `(\`once\`)${isUnsigned('Timestamp') ? ', at any age: their Timestamp need not be signed' : ''}.`,
      ],
      [
        signature !== undefined && isUnsigned('Body'),
        `${owner} need no signature of their Body (\`signature.required\`).`,
      ],
      [
        usernameToken?.maxAgeMillis === 'none',
        `${owner} may have a UsernameToken of any age (\`usernameToken.maxAgeMillis\`).`,
      ],
      [
        usernameToken !== undefined && isUnsigned('UsernameToken'),
        `A UsernameToken of messages to \`${name}\` is not bound to its message: it is not signed.`,
      ],
      [
        saml?.confirmations.includes('bearer') === true && isUnsigned('Assertion'),
        `An assertion of messages to \`${name}\` that is \`bearer\` is not bound to its ` +
          'message: it is not signed with it.',
      ],
      encryptedHole(owner, encrypted),
    ];
    return [...sentencesOf(holes), ...openDigests(owner, signature)];
  });

/** Services that decrypt messages, and take others as well; or whose SOAP calls stay plain. */
export const openDecryption = ({ services }: Config): readonly string[] =>
  Object.entries(services).flatMap(([name, { security }]) => {
    const { verify, verifyReplies, make } = security;
    const isOpen = (side: Pick<VerifyConfig, 'decrypt'> | undefined): boolean =>
      side?.decrypt?.required.includes('Body') === false;
    return sentencesOf([
      [
        isOpen(verify),
        `Messages to \`${name}\` may come without encryption (\`decrypt.required\`).`,
      ],
      [
        isOpen(verifyReplies),
        `Replies of \`${name}\` may come without encryption (\`decrypt.required\`).`,
      ],
      [
        make?.encrypt !== undefined && !make.encrypt.parts.includes('Body'),
        `The Body of calls to \`${name}\` is not encrypted (\`make.encrypt.parts\`).`,
      ],
    ]);
  });

/**
 * Whether an assertion about a subject that is configured is written into the messages of SOAP
 * callers that prove nothing, neither by the message nor by credentials.
 */
function assertsForAll({ make, verify }: SecurityConfig, clients: Config['clients']): boolean {
  if (make?.replace !== true || make.saml === undefined || make.saml.claim !== undefined)
    return false;
  const isKnown = clients?.classes !== undefined && clients.address === undefined;
  const isProved = [verify?.signature, verify?.usernameToken, verify?.saml].some(
    (proof) => proof !== undefined,
  );
  return !isKnown && !isProved;
}

/** Assertions that callers get without a proof, and did not get before. */
export const newAssertions = ({ before, after, successors }: ConfigChange): readonly Weakening[] =>
  Object.entries(before.services).flatMap(([name, { security }]) => {
    if (assertsForAll(security, before.clients)) return [];
    return (successors.get(name) ?? [])
      .filter((later) => {
        const found = after.services[later];
        return found !== undefined && assertsForAll(found.security, after.clients);
      })
      .map((later) => ({
        path: ['services', later, 'security', 'make', 'saml'],
        what: 'is written into messages of SOAP callers that prove nothing',
      }));
  });

/**
 * What is verified of replies; and services whose calls are signed while their replies are not
 * verified.
 */
export const openReplies = ({ services }: Config): readonly string[] =>
  Object.entries(services).flatMap(([name, { security }]) => {
    const { make, verifyReplies } = security;
    const owner = `Replies of \`${name}\``;
    if (verifyReplies === undefined) {
      return make?.signature === undefined
        ? []
        : [`${owner} are not verified, while its calls are signed (\`verifyReplies\`).`];
    }
    const { signature, timestamp, signatureConfirmation, encrypted } = verifyReplies;
    const isUnsigned = (part: string): boolean => signature?.required.includes(part) !== true;
    const holes: readonly Hole[] = [
      ...timestampHoles(owner, timestamp, isUnsigned('Timestamp')),
      [isUnsigned('Body'), `${owner} need no signature of their Body (\`signature.required\`).`],
      [
        make?.signature !== undefined && !signatureConfirmation,
        `${owner} may answer another call: they need not confirm its signature ` +
          '(`signatureConfirmation`).',
      ],
      encryptedHole(owner, encrypted),
    ];
    return [...sentencesOf(holes), ...openDigests(owner, signature)];
  });

/** Tools of agents that change something without a person. */
export const openTools = ({ mcp }: Config): readonly string[] => {
  const open = (mcp?.write ?? []).filter((name) => mcp?.confirm.includes(name) !== true);
  return open.length === 0
    ? []
    : [
        `Agents change data by ${listNames(open)} without a person that ` +
          'confirms it (`mcp.confirm`).',
      ];
};

/** Ways in which the Timestamp of messages leaves their age open. */
const timestampHoles = (
  owner: string,
  { required, maxAgeMillis }: VerifyConfig['timestamp'],
  isUnsigned: boolean,
): readonly Hole[] => [
  [
    required && isUnsigned,
    `${owner} can be sent again with a new Timestamp: the one that is required is not signed ` +
      '(`signature.required`).',
  ],
  [
    maxAgeMillis === 'none',
    `${owner} are taken at any age until their own Expires (\`timestamp.maxAgeMillis\`).`,
  ],
];

const encryptedHole = (owner: string, encrypted: VerifyConfig['encrypted']): Hole => [
  encrypted === 'pass',
  `${owner} may have encrypted parts, which are not read (\`encrypted\`).`,
];

const sentencesOf = (holes: readonly Hole[]): readonly string[] =>
  holes.flatMap(([isOpen, what]) => (isOpen ? [what] : []));

/** SHA-1, which is taken by name only. */
function openDigests(owner: string, signature: SignatureConfig | undefined): readonly string[] {
  if (signature === undefined) return [];
  const keys = (['algorithms', 'digests', 'chainDigests'] as const).filter((key) =>
    signature[key].some((name) => name.endsWith('sha1')),
  );
  return keys.length === 0
    ? []
    : [`${owner} may be signed with SHA-1, which can be forged: ${listNames(keys)} name it.`];
}
