import { jsonValues } from '../../core/index.js';
import {
  denials,
  each,
  encrypted,
  equal,
  fixed,
  flagComparison,
  grants,
  IS_ERROR,
  kept,
  keysBelow,
  listLength,
  memoryTime,
  price,
  prices,
  ranked,
  restart,
  timeLimit,
  trustedNames,
} from './comparisons.js';
import { weakerLimits } from './limits.js';
import { openContent, openRecord, openTolerance } from './open.js';
import { newAssertions, openDecryption, openReplies, openRequests } from './open-messages.js';
import { openAdmin } from './operators.js';
import type { Protection, ValueComparison } from './protection.js';
import { newTolerances } from './tolerances.js';

/** A field that was a mutation and becomes a query, whose calls are repeated and shared. */
const becomesRead: ValueComparison = (before, after) =>
  /^Mutation\./.test(String(before)) && /^Query\./.test(String(after))
    ? `goes from \`${String(before)}\` to \`${String(after)}\``
    : null;

/** An operation that no field calls as a query, and that is declared to change nothing. */
const declaredRead: ValueComparison = (
  before,
  after,
  [, service = '', , operation = ''],
  change,
) => {
  if (before !== undefined || after === undefined) return null;
  const field = jsonValues.readMember(
    change.after.services[service]?.operations[operation],
    'field',
  );
  return String(field).startsWith('Query.') ? null : 'is there: its calls are shared';
};

const tls = (...owners: readonly string[]): Readonly<Record<string, ValueComparison>> =>
  Object.assign(
    {},
    ...owners.map((owner) => ({
      [`${owner}.tls.verify`]: ranked(['unsafe:none', 'chain', 'full'], 'full'),
      [`${owner}.tls.minVersion`]: ranked(['1.2', '1.3'], '1.2'),
      [`${owner}.tls.ca`]: kept,
      [`${owner}.tls.servername`]: equal,
    })),
  );

/** What signatures may have, of what `verify` or `verifyReplies` accepts. */
const accepted = (owner: string): Readonly<Record<string, ValueComparison>> =>
  keysBelow(
    `${owner}?.signature?`,
    each(
      grants('closed'),
      'algorithms',
      'digests',
      'chainDigests',
      'canonicalizations',
      'keyReferences',
    ),
  );

/** What they must have. */
const demanded = (owner: string): Readonly<Record<string, ValueComparison>> => ({
  ...each(denials, `${owner}?.signature?.required`),
  ...each(ranked(['known', 'none'], 'none'), `${owner}?.signature?.keyValues`),
  ...each(ranked(['pass', 'refuse'], 'refuse'), `${owner}?.encrypted`),
});

/** Whose they may be, and how old. */
const trusted = (owner: string): Readonly<Record<string, ValueComparison>> => ({
  ...keysBelow(`${owner}?.signature?`, each(equal, 'authorities', 'intermediates', 'known')),
  ...keysBelow(`${owner}?.timestamp`, each(timeLimit, 'toleranceMillis', 'maxAgeMillis')),
});

/** What is decrypted of messages, and what they must have encrypted. */
const decrypted = (owner: string): Readonly<Record<string, ValueComparison>> =>
  keysBelow(owner, {
    ...each(denials, 'required'),
    ...each(grants('closed'), 'algorithms', 'keyTransports'),
    ...each(equal, 'keys'),
  });

/** Protections by what is sent: messages, limits, other servers, operators, records. */
export const SERVICE_PROTECTIONS = {
  messages: {
    about: 'Rules of SOAP messages',
    keys: {
      ...each(ranked(['monitor', 'enforce'], 'enforce'), 'services.*.mode'),
      ...each(ranked(['pass', 'refuse'], 'refuse'), 'services.*.unknownOperations'),
      ...each(flagComparison(true, true), 'services.*.addressing.check'),
      ...each(grants('closed'), 'services.*.addressing.destinations'),
      ...each(flagComparison(false, true), 'services.*.attachments'),
      ...each(grants('open'), 'services.*.understands'),
      ...each(grants('closed'), 'understands'),
      ...each(
        flagComparison(true, false),
        'services.*.security.timestamps',
        'services.*.security.nonces',
      ),
      ...each(flagComparison(false, false), 'services.*.security.noncesWithoutRedis'),
    },
    absent: 'Enforced. Timestamps and nonces of WS-Security are the task of the backend.',
    empty: 'as absent',
    unreachable:
      'Messages with nonces are refused while Redis is away, unless `noncesWithoutRedis`.',
  },
  signatures: {
    about: 'WS-Security of SOAP requests',
    keys: keysBelow('services.*.security', {
      ...each(kept, 'verify', 'verify?.signature', 'verify?.signature?.revocations'),
      ...each(kept, 'verify?.usernameToken', 'verify?.saml'),
      ...each(grants('open'), 'verify?.signature?.subjects'),
      ...accepted('verify'),
      ...each(grants('closed'), 'verify?.usernameToken?.types', 'verify?.saml?.confirmations'),
      ...demanded('verify'),
      ...each(flagComparison(true, false), 'verify?.once', 'verify?.timestamp.required'),
      ...trusted('verify'),
      ...each(equal, 'verify?.usernameToken?.users'),
      ...each(timeLimit, 'verify?.usernameToken?.maxAgeMillis'),
      ...each(fixed, 'verify?.saml?.audience'),
      ...each(trustedNames, 'verify?.saml?.issuers'),
      ...keysBelow('verify?', each(equal, 'role', 'remove')),
    }),
    compareAll: newAssertions,
    absent: 'Security blocks pass unread to the backend, whose task they are.',
    empty: IS_ERROR,
    unreachable:
      'A file that cannot be read keeps the certificates that were read before; ' +
      'revocation lists go out of date.',
    open: openRequests,
  },
  decryption: {
    about: 'Encrypted SOAP messages',
    keys: {
      ...decrypted('services.*.security.verify?.decrypt?'),
      ...decrypted('services.*.security.verifyReplies?.decrypt?'),
      ...keysBelow('services.*.security', {
        ...each(kept, 'make.encrypt'),
        ...each(flagComparison(true, false), 'answer.encrypt'),
        ...each(denials, 'make.encrypt?.parts'),
        ...keysBelow(
          'make.encrypt?',
          each(equal, 'cert', 'algorithm', 'keyTransport', 'keyReference', 'beforeSigning'),
        ),
      }),
    },
    absent:
      'Encrypted parts are refused, or pass by `encrypted: pass`. ' +
      'Calls are as secret as the TLS that carries them.',
    empty: IS_ERROR,
    unreachable: null,
    open: openDecryption,
  },
  replySignatures: {
    about: 'WS-Security of replies',
    keys: keysBelow('services.*.security', {
      ...each(
        kept,
        'verifyReplies',
        'verifyReplies?.signature',
        'verifyReplies?.signature?.revocations',
      ),
      ...each(grants('open'), 'verifyReplies?.signature?.subjects'),
      ...accepted('verifyReplies'),
      ...demanded('verifyReplies'),
      ...keysBelow(
        'verifyReplies?',
        each(flagComparison(true, false), 'signatureConfirmation', 'timestamp.required'),
      ),
      ...trusted('verifyReplies'),
      ...each(equal, 'verifyReplies?.remove'),
    }),
    absent: 'Security blocks of replies are not read. The backend is known by TLS.',
    empty: IS_ERROR,
    unreachable:
      'A file that cannot be read keeps the certificates that were read before; ' +
      'revocation lists go out of date.',
    open: openReplies,
  },
  writes: {
    about: 'Writes that are made once',
    keys: {
      ...keysBelow('services.*.operations.*', {
        ...each(kept, 'idempotency'),
        ...each(fixed, 'idempotency?.header'),
        ...each(memoryTime, 'idempotency?.keepMillis'),
        ...each(flagComparison(false, false), 'idempotent'),
        ...each(becomesRead, 'field'),
        ...each(declaredRead, 'read'),
      }),
      ...each(grants('closed'), 'services.*.reads'),
    },
    absent:
      'A call that was sent is not repeated, unless its operation is `idempotent`. ' +
      'Keys of callers are read by `idempotency` alone.',
    empty: '`idempotency: {}` reads keys by its defaults',
    unreachable: 'Requests with a key are refused while Redis is away.',
  },
  content: {
    about: 'Validation by the WSDL',
    keys: {
      ...each(ranked(['off', 'report', 'enforce'], 'off'), 'services.*.validate.requests'),
      ...each(ranked(['off', 'report', 'enforce'], 'report'), 'services.*.validate.replies'),
      ...each(kept, 'services.*.wsdl', 'services.*.types'),
      ...each(flagComparison(false, false), 'services.*.earlyEnd'),
    },
    absent:
      'Requests are checked for their operation, not for their content; replies are reported. ' +
      'Without a WSDL any operation passes.',
    empty: IS_ERROR,
    unreachable: 'The gateway does not start without the WSDL; a reload is refused.',
    open: openContent,
  },
  tolerance: {
    about: 'Deviations of replies',
    keys: each(grants('closed'), 'services.*.tolerate', 'services.*.operations.*.tolerate'),
    compareAll: newTolerances,
    absent: 'Closed: a reply is held to its contract.',
    empty: 'as absent',
    unreachable: null,
    open: openTolerance,
  },
  limits: {
    about: 'Limits',
    keys: {
      ...each(equal, 'limits', 'services.*.limits', 'graphqlServices.*.limits'),
      ...each(
        kept,
        'services.*.requestsAtOnce',
        'graphqlServices.*.requestsAtOnce',
        'services.*.operations.*.requestsAtOnce',
        'services.*.rate',
        'graphqlServices.*.rate',
        'services.*.operations.*.rate',
      ),
      ...each(
        price,
        'services.*.callCost',
        'graphqlServices.*.callCost',
        'services.*.operations.*.weight',
        'services.*.operations.*.cost',
        'services.*.schema.types.*.cost',
        'services.*.schema.types.*.fields.*.cost',
        'graphqlServices.*.costs.*.cost',
        'services.*.operations.*.replySize',
        'services.*.operations.*.replyKib',
      ),
      ...each(
        prices,
        'services.*.operations.*.argumentCosts',
        'graphqlServices.*.costs.*.argumentCosts',
      ),
      ...each(
        listLength,
        'services.*.operations.*.listSize',
        'services.*.schema.types.*.fields.*.listSize',
        'graphqlServices.*.costs.*.listSize',
      ),
      ...each(grants('closed'), 'graphql.measure'),
      ...each(equal, 'graphql.batch'),
    },
    compareAll: weakerLimits,
    absent: 'Closed: every limit has a default and a ceiling.',
    empty: 'as absent',
    unreachable: null,
  },
  servers: {
    about: 'Servers that the gateway calls',
    keys: {
      // Requests that come back from there.
      ...each(flagComparison(true, true), 'services.*.via', 'graphqlServices.*.via'),
      ...tls(
        'services.*',
        'graphqlServices.*',
        'clients?.introspection?',
        'clients?.authorize?',
        'services.*.security.verify?.usernameToken?',
        'services.*.canary?',
        'services.*.shadow?',
      ),
      ...each(
        encrypted,
        'services.*.urls',
        'graphqlServices.*.urls',
        'clients?.introspection?.url',
        'services.*.security.verify?.usernameToken?.url',
        'services.*.auth?.oauth2?.tokenUrl',
        'graphqlServices.*.auth?.oauth2?.tokenUrl',
        'services.*.drift?.url',
        'services.*.canary?.url',
        'services.*.canary?.auth?.oauth2?.tokenUrl',
        'services.*.shadow?.url',
        'services.*.shadow?.auth?.oauth2?.tokenUrl',
      ),
      ...each(
        grants('closed'),
        'services.*.auth?.login?.urlsAllowed',
        'graphqlServices.*.auth?.login?.urlsAllowed',
      ),
      ...each(ranked(['safe', 'never'], 'never'), 'services.*.drift.apply'),
      ...each(restart, 'redis'),
    },
    absent:
      'Closed: chain and name of every certificate are verified. An http address is not verified.',
    empty: IS_ERROR,
    unreachable: 'Calls fail; health checks and the circuit breaker decide about the address.',
  },
  listeners: {
    about: 'TLS and certificates of callers',
    keys: each(restart, 'listen', 'admin.address', 'admin.tls', 'admin.proxyProtocol'),
    absent: 'Clear text, and no certificate is asked for.',
    empty: IS_ERROR,
    unreachable: 'A revocation list that has expired refuses the certificates of its authority.',
  },
  operators: {
    about: 'Operators at `admin`',
    keys: each(equal, 'admin.basic', 'admin.bearer'),
    compareAll: openAdmin,
    absent: 'Open at the address of `admin`, which is 127.0.0.1 by default.',
    empty: IS_ERROR,
    unreachable: null,
  },
  audit: {
    about: 'The record of decisions',
    keys: each(restart, 'audit'),
    absent: 'Decisions are in the log alone.',
    empty: '`audit: {}` writes to standard output',
    unreachable:
      '4 MiB of lines wait; further ones are dropped and counted. With `onFailure: ' +
      'refuse` requests are refused meanwhile.',
    open: openRecord,
  },
  reloads: {
    about: 'Reloads of files that changed',
    keys: each(ranked(['take', 'refuse'], 'refuse'), 'reload.weaker'),
    absent: 'Closed: what takes protection away is refused unless an operator asks for the reload.',
    empty: 'as absent',
    unreachable:
      'An included file that is missing or empty is an error: the configuration in use stays.',
  },
} as const satisfies Readonly<Record<string, Protection>>;
