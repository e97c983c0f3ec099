import { clientsGone, unnamedClasses, widerClasses, widerIdentities } from './callers.js';
import {
  denials,
  each,
  equal,
  fixed,
  flagComparison,
  grants,
  IS_ERROR,
  kept,
  keysBelow,
  ranked,
  restart,
  sdlReaders,
  selectableBlocks,
  setNames,
  timeLimit,
} from './comparisons.js';
import {
  openClasses,
  openClients,
  openHosts,
  openMasks,
  openOperations,
  openSchema,
} from './open.js';
import { openTools } from './open-messages.js';
import { sameOrder } from './order.js';
import type { Protection } from './protection.js';
import { fixedForCallers, mask, offered, scopes } from './rights.js';
import { proofDemand, weakerTokens } from './tokens.js';
import { unconfirmedTools } from './unconfirmed.js';

/** Protections by who calls: identity, rights, masks, what is shown. */
export const CALLER_PROTECTIONS = {
  clients: {
    about: 'Who may call',
    keys: {
      ...keysBelow(
        'clients',
        each(equal, 'apiKeys', 'basic', 'certificate', 'wsSecurity', 'networks', 'address'),
      ),
      ...keysBelow('clients.jwt', each(equal, 'issuer', 'jwks', 'classClaim', 'class')),
      ...keysBelow('clients.introspection', each(equal, 'classClaim', 'class')),
      ...each(sameOrder, 'clients?.order'),
    },
    *compareAll(change) {
      yield* clientsGone(change);
      yield* widerIdentities(change);
      yield* unnamedClasses(change);
    },
    absent:
      'Open: every caller may call everything. `clients: none` says that this is meant; ' +
      'so it is with `trustedProxies` alone.',
    empty: IS_ERROR,
    unreachable:
      'Requests with tokens are refused while their issuer or introspection ' +
      'endpoint cannot be asked.',
    open: openClients,
  },
  classes: {
    about: 'What clients may call',
    keys: keysBelow(
      'clients.classes.*',
      each(equal, 'allow', 'deny', 'scopes', 'budget', 'requestsAtOnce', 'costBreakdown'),
    ),
    compareAll: widerClasses,
    absent:
      'An error where clients are identified. A class without `allow` may call everything, ' +
      'without `budget` at any rate.',
    empty: '`allow: []` allows nothing, `deny: []` denies nothing',
    unreachable: 'Budgets go on in each process while Redis is away.',
    open: openClasses,
  },
  tokens: {
    about: 'Which tokens are accepted',
    keys: {
      ...keysBelow(
        'clients.jwt',
        each(
          equal,
          'algorithms',
          'audience',
          'jwksUrl',
          'requireNotBefore',
          'toleranceMillis',
          'clientClaim',
          'scopesClaim',
          'forward',
          'proof',
          'dpop.nonce',
          'dpop.maxAgeMillis',
        ),
      ),
      ...keysBelow('clients?.introspection?', {
        ...each(timeLimit, 'activeMillis'),
        ...each(fixed, 'audience', 'clientClaim', 'scopesClaim'),
        ...each(flagComparison(false, false), 'forward'),
        ...each(proofDemand, 'proof'),
        ...each(flagComparison(true, false), 'dpop?.nonce'),
        ...each(timeLimit, 'dpop?.maxAgeMillis'),
      }),
    },
    compareAll: weakerTokens,
    absent:
      'Closed: public signatures alone, `exp` and `aud` are needed. A token that is bound to its ' +
      'client is held to that; `proof` demands it of all.',
    empty: IS_ERROR,
    unreachable: 'Refused: no key, no token.',
  },
  decisions: {
    about: 'A decision point',
    keys: {
      ...each(kept, 'clients?.authorize.url'),
      ...each(ranked(['allow', 'deny'], 'deny'), 'clients?.authorize?.onError'),
      ...keysBelow('clients.authorize', each(equal, 'timeoutMillis', 'token')),
      ...keysBelow('clients?.authorize?', each(timeLimit, 'cacheMillis', 'recheckMillis')),
    },
    absent: 'Not asked: the rights of classes decide.',
    empty: IS_ERROR,
    unreachable: 'Refused; `onError: allow` lets requests pass.',
  },
  proxies: {
    about: 'Whose `X-Forwarded-For` counts',
    keys: each(grants('closed'), 'clients?.trustedProxies'),
    absent: 'Closed: that of no proxy.',
    empty: 'as absent',
    unreachable: null,
  },
  scopes: {
    about: 'Rights to operations and fields',
    keys: {
      ...each(
        scopes,
        'services.*.operations.*.scopes',
        'services.*.schema.types.*.fields.*.scopes',
        'graphqlServices.*.fields.*.scopes',
      ),
      ...each(
        flagComparison(true, false),
        'services.*.operations.*.authenticated',
        'services.*.schema.types.*.fields.*.authenticated',
        'graphqlServices.*.fields.*.authenticated',
      ),
      ...each(flagComparison(true, false), 'graphql.rejectUnauthorized'),
      ...each(ranked(['pass', 'refuse'], 'pass'), 'services.*.schema.restrictedReplies'),
    },
    absent:
      'Open for the clients that may call the operation. SOAP replies pass unless ' +
      '`restrictedReplies: refuse`.',
    empty: IS_ERROR,
    unreachable: null,
    open: openOperations,
  },
  fixedValues: {
    about: 'Values that callers do not choose',
    keys: {
      ...each(
        fixedForCallers,
        'services.*.operations.*.arguments.*',
        'services.*.operations.*.headers.*',
        'services.*.soapHeaders.*',
      ),
      ...each(setNames, 'services.*.headers', 'graphqlServices.*.headers'),
      ...each(grants('closed'), 'services.*.forwardHeaders', 'graphqlServices.*.forwardHeaders'),
      ...each(ranked(['forward', 'none'], 'none'), 'services.*.cookies'),
      ...each(flagComparison(true, false), 'services.*.security.make.replace'),
    },
    absent:
      'Arguments and header blocks of GraphQL fields are chosen by callers. ' +
      'Of their header fields those in `forwardHeaders` go on.',
    empty: IS_ERROR,
    unreachable: null,
  },
  confirmations: {
    about: 'Tools of agents that a person confirms',
    keys: each(equal, 'mcp.confirm', 'mcp.write'),
    compareAll: unconfirmedTools,
    absent: 'None asks: agents call the tools that the configuration names.',
    empty: 'as absent',
    unreachable: null,
    open: openTools,
  },
  masks: {
    about: 'Masked values',
    keys: each(mask, 'services.*.schema.types.*.fields.*.mask', 'graphqlServices.*.fields.*.mask'),
    absent: 'The value is shown, also to classes that a mask without `default` does not name.',
    empty: IS_ERROR,
    unreachable: null,
    open: openMasks,
  },
  exposure: {
    about: 'What callers find',
    keys: {
      ...each(offered, 'services.*.operations'),
      ...each(
        flagComparison(true, false),
        'services.*.schema.types.*.hide',
        'services.*.schema.types.*.fields.*.hide',
        'graphql?.trusted.only',
      ),
      ...each(denials, 'graphqlServices.*.hide'),
      ...each(selectableBlocks, 'services.*.replyHeaders', 'services.*.operations.*.replyHeaders'),
      ...each(
        flagComparison(false, true),
        'services.*.serveWsdl',
        'graphql.introspection',
        'graphql.graphiql',
      ),
      ...each(flagComparison(false, false), 'graphql.costBreakdown', 'console.tryOut'),
      ...each(grants('closed'), 'console.inspect?.operators'),
      ...each(sdlReaders, 'graphql.federation.router'),
      ...each(ranked(['unsafe:pass', 'declared', 'none'], 'declared'), 'services.*.faultDetail'),
      ...each(ranked(['shared', 'client'], 'client'), 'services.*.operations.*.read?.scope'),
      ...each(ranked(['keep', 'replace'], 'replace'), 'services.*.record?.values'),
    },
    absent:
      'All operations, types and fields, `?wsdl`, introspection and GraphiQL are offered to ' +
      'those that may call. Undeclared details of Faults are not.',
    empty: 'as absent',
    unreachable: null,
    open: openSchema,
  },
  origins: {
    about: 'Web pages of other origins and names',
    keys: {
      ...each(grants('closed'), 'graphql.cors.origins', 'graphql.cors.headers', 'graphql.origins'),
      ...each(flagComparison(false, false), 'graphql.cors.credentials'),
      ...each(kept, 'hosts', 'publicUrl'),
      ...each(restart, 'adminHosts'),
    },
    absent:
      'Closed for pages of other origins. Any host name is accepted without `hosts`, which ' +
      'lets pages rebind theirs.',
    empty: 'as absent',
    unreachable: null,
    open: openHosts,
  },
} as const satisfies Readonly<Record<string, Protection>>;
