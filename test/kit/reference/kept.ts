import { BACKENDS } from '../../../src/compile/backend/kept-backend.js';
import { SECOND_BACKENDS } from '../../../src/compile/backend/second-backend.js';
import { PASSWORDS } from '../../../src/compile/clients/access.js';
import { ISSUER_KEYS } from '../../../src/compile/clients/tokens.js';
import { CACHE_RULES, INVALIDATIONS, REPLY_CACHE } from '../../../src/compile/graphql/caching.js';
import { SCHEMAS } from '../../../src/compile/graphql/graph.js';
import type { Kept } from '../../../src/compile/keep.js';
import { DESCRIPTIONS } from '../../../src/compile/soap/documents/describe-service.js';
import { WSDLS } from '../../../src/compile/soap/documents/named-wsdl.js';
import { SHARES } from '../../../src/compile/soap/second/canary.js';
import { NONCES } from '../../../src/compile/soap/security/request-freshness.js';
import { ONCE } from '../../../src/compile/soap/security/verification.js';
import { CALL_LIMITS } from '../../../src/compile/soap/service-backend.js';

/** The state of the process, which no reload replaces. */
const OF_PROCESS = [
  'budgets, concurrency of clients, delayed refusals',
  'persisted documents',
  'metrics, those of addresses too, whose connections may be new',
  'kept connections of clients, the connection to Redis',
];

export const KEPT: readonly Pick<Kept<never>, 'what' | 'condition'>[] = [
  ISSUER_KEYS,
  PASSWORDS,
  NONCES,
  ONCE,
  BACKENDS,
  SECOND_BACKENDS,
  SHARES,
  CALL_LIMITS,
  DESCRIPTIONS,
  CACHE_RULES,
  REPLY_CACHE,
  INVALIDATIONS,
  WSDLS,
  SCHEMAS,
];

/** The table of what a reload keeps, for the manual. */
export const printKept = (): string =>
  [
    '| what | kept by a reload |',
    '| --- | --- |',
    ...OF_PROCESS.map((what) => `| ${what} | always |`),
    ...KEPT.map(({ what, condition }) => `| ${what} | ${condition} |`),
    '| answers of introspection, parsed GraphQL documents | never |',
  ].join('\n');
