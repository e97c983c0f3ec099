import { isRecord, jsonValues, type Steps } from '../core/index.js';
import { rateRules } from './backend/rate-rules.js';
import { secondBackendRules } from './backend/second-backend-rules.js';
import { shadowRules } from './backend/shadow-rules.js';
import { upstreamRules } from './backend/upstream-rules.js';
import { clientRules } from './clients/client-rules.js';
import { maskRules } from './clients/masks.js';
import { callbackPaths } from './graphql/callback-paths.js';
import { conversionRules } from './graphql/convert-rules.js';
import { documentRules } from './graphql/document-rules.js';
import { downloadPaths, downloadRules } from './graphql/download-rules.js';
import { federationRules } from './graphql/federation-rules.js';
import { graphqlRules } from './graphql/graphql-rules.js';
import { graphqlServiceRules } from './graphql/graphql-service-rules.js';
import { idempotencyRules } from './graphql/idempotency-rules.js';
import { pagePaths } from './graphql/page-paths.js';
import { pageRules } from './graphql/page-rules.js';
import { requestRules } from './graphql/request-rules.js';
import { subscriptionRules } from './graphql/subscription-rules.js';
import { parseAddress } from './keys/address.js';
import { type ConfigPath, printPath } from './keys/config-path.js';
import type { Finding } from './keys/finding.js';
import { claimedAddresses, listenRules } from './listen/listen-rules.js';
import { pathOverlaps } from './listen/path-overlaps.js';
import { type ClaimedPath, claimedPaths, pathRules } from './listen/path-rules.js';
import { mcpPaths } from './mcp/mcp-rules.js';
import { redisRules } from './process/redis-rules.js';
import { restPaths } from './rest/rest-rules.js';
import { answerRules } from './soap/answer-rules.js';
import { demoWsdlRules } from './soap/demo-wsdl-rules.js';
import { signingRules } from './soap/signing-rules.js';
import { toleranceRules } from './soap/tolerance-rules.js';

/**
 * Rules between keys, which the schema cannot state. They look at data whose shape may still be
 * wrong, so that all diagnostics come out at once; data of the wrong shape are passed over here.
 * `isGiven` tells what a file has from defaults.
 */
export function* checkRules(
  data: unknown,
  isGiven: (path: ConfigPath) => boolean,
): Steps<readonly Finding[]> {
  if (!isRecord(data)) return [];
  const findings: Finding[] = [];
  const { clients } = data;
  const has = (key: string): boolean => isRecord(clients) && Object.hasOwn(clients, key);
  const hasTokens = has('jwt') || has('introspection');
  const callers = { hasTokens, hasClaims: hasTokens || has('authorize') };
  for (const [name, service] of jsonValues.recordEntries(data['services'])) {
    if (isRecord(service)) {
      findings.push(...serviceRules(service, ['services', name], callers));
    }
    yield;
  }
  const claimed = [
    ...claimedPaths(data),
    ...restPaths(data['services']),
    ...mcpPaths(data),
    ...downloadPaths(data['graphql']),
    ...pagePaths(data['graphql']),
    ...callbackPaths(data['subscriptions']),
  ];
  findings.push(...(yield* clientRules(data)));
  const overlaps = yield* pathOverlaps(claimed);
  yield;
  return [
    ...findings,
    ...maskRules(data),
    ...documentRules(data),
    ...subscriptionRules(data),
    ...graphqlRules(data),
    ...downloadRules(data),
    ...federationRules(data),
    ...idempotencyRules(data),
    ...pageRules(data),
    ...answerRules(data),
    ...signingRules(data),
    ...toleranceRules(data),
    ...listenRules(data),
    ...redisRules(data),
    ...limitRules(data, isGiven),
    ...pathRules(claimed),
    ...overlaps,
    ...duplicateAddresses(data),
  ];
}

/** What is known of callers. */
interface CallerFacts {
  /** A token may identify them. */
  readonly hasTokens: boolean;
  /** A token or a decision point may have claims about them. */
  readonly hasClaims: boolean;
}

function serviceRules(
  service: Record<string, unknown>,
  path: ConfigPath,
  { hasTokens, hasClaims }: CallerFacts,
): readonly Finding[] {
  const findings: Finding[] = [];
  const isGraphql = service['kind'] === 'graphql';
  const name = printPath(path);
  const has = (key: string): boolean => Object.hasOwn(service, key);
  const at = (key: string | null, what: string, remedy: string): void => {
    findings.push({ path: key === null ? path : [...path, key], part: 'key', what, remedy });
  };

  if (has('url') && has('urls')) {
    at('urls', `${name} has both \`url\` and \`urls\`.`, 'Keep one of them.');
  }
  if (!has('url') && !has('urls')) {
    at(null, `${name} has no backend.`, 'Give its address as `url`, or several as `urls`.');
  }
  findings.push(...upstreamRules(service, hasTokens, path), ...rateRules(service, path));
  if (isGraphql) return [...findings, ...graphqlServiceRules(service, path)];
  findings.push(
    ...secondBackendRules(service, 'canary', hasTokens, path),
    ...secondBackendRules(service, 'shadow', hasTokens, path),
    ...shadowRules(service, path),
  );
  if (has('wsdl') && has('types')) {
    at('types', `${name} has both \`wsdl\` and \`types\`.`, 'Keep one of them.');
  }
  // With neither it is a perimeter for SOAP callers and nothing else.
  if (!has('wsdl') && !has('types') && jsonValues.recordEntries(service['operations']).length > 0) {
    at(
      'operations',
      `${name} maps operations but has neither \`wsdl\` nor \`types\`.`,
      'Name the WSDL, or define the types in SDL in `types`.',
    );
  }
  if (has('port') && has('ports')) {
    at('ports', `${name} has both \`port\` and \`ports\`.`, 'Keep one of them.');
  }
  for (const key of ['port', 'ports']) {
    if (!has('wsdl') && has(key)) {
      at(key, `${name} has \`${key}\` but no \`wsdl\`.`, 'Remove it.');
    }
  }
  findings.push(
    ...demoWsdlRules(service, path),
    ...requestRules(service, path, hasClaims),
    ...conversionRules(service, path),
  );
  if (has('types') && !has('wsdl')) {
    for (const [operation, mapping] of jsonValues.recordEntries(service['operations'])) {
      if (mapping !== true && !(isRecord(mapping) && !Object.hasOwn(mapping, 'field'))) continue;
      const remedy = 'Write { field: Query.name } or { field: Mutation.name }.';
      const what = `The operation \`${operation}\` of ${name} needs its field, as there is no WSDL.`;
      findings.push({ path: [...path, 'operations', operation], part: 'key', what, remedy });
    }
  }
  return findings;
}

/**
 * An internal limit may stand in its group too, but not in both places: one of the values would not
 * count.
 */
function limitRules(
  { limits }: Record<string, unknown>,
  isGiven: (path: ConfigPath) => boolean,
): readonly Finding[] {
  if (!isRecord(limits)) return [];
  return jsonValues.recordEntries(limits['internal']).flatMap(([group, keys]) =>
    jsonValues.recordEntries(keys).flatMap(([name]): Finding[] => {
      if (!isGiven(['limits', group, name])) return [];
      const path = ['limits', 'internal', group, name];
      const what = `${printPath(path)} is also \`limits.${group}.${name}\`.`;
      return [{ path, part: 'key', what, remedy: 'Keep one of them.' }];
    }),
  );
}

function duplicateAddresses(data: Record<string, unknown>): readonly Finding[] {
  const demo = data['demo'];
  const claims = [
    ...claimedAddresses(data, 'listen'),
    ...claimedAddresses(data, 'admin'),
    { path: ['demo', 'listen'], claimed: isRecord(demo) ? demo['listen'] : undefined },
  ];
  // Port 0 is a different port each time.
  return sameAddresses(
    claims.filter(
      ({ claimed }) => typeof claimed === 'string' && parseAddress(claimed)?.port !== 0,
    ),
  );
}

/** Each address has one owner. */
function sameAddresses(claims: readonly ClaimedPath[]): readonly Finding[] {
  const owners = new Map<string, ConfigPath>();
  const findings: Finding[] = [];
  for (const { path, claimed } of claims) {
    if (typeof claimed !== 'string') continue;
    const owner = owners.get(claimed);
    if (owner === undefined) {
      owners.set(claimed, path);
      continue;
    }
    const what = `${printPath(path)} is the same address as ${printPath(owner)}.`;
    findings.push({ path, part: 'value', what, remedy: 'Give each its own address.' });
  }
  return findings;
}
