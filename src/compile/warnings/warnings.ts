import { jwtIssuers } from '../../config/clients/token-keys.js';
import { isReachable } from '../../config/keys/address.js';
import type { ConfigPath } from '../../config/keys/config-path.js';
import type { Finding } from '../../config/keys/finding.js';
import { listenersOf } from '../../config/listen/listen-keys.js';
import type { Config } from '../../config/schema.js';
import type { Graph } from '../graphql/graph.js';
import { isOpen, warningsOfBackends } from './backend-warnings.js';
import { warningsOfMaskedKeys } from './masked-keys.js';
import { warningsOfProofs } from './unheld-proofs.js';
import { warningsOfScopes } from './unheld-scopes.js';
import { warningsOfWeakOptions } from './weak-options.js';

/** Settings that have less effect than they may seem to have. */
export function warningsOfConfig(
  config: Config,
  ofSecrets: readonly Finding[],
): readonly Finding[] {
  return [
    ...warningsOfWeakOptions(config),
    ...warningsOfBackends(config),
    ...warningsOfScopes(config),
    ...uncountedReplies(config),
    ...hiddenCosts(config),
    ...ofSecrets,
    ...dividedBudgets(config),
    ...unprotectedKeySet(config),
    ...unprotectedIntrospection(config),
    ...unknownProxies(config),
    ...warningsOfProofs(config),
  ];
}

/** Settings that have less effect than they may seem to have, with this schema. */
export const warningsOfFields = (config: Config, graph: Graph): readonly Finding[] => [
  ...readsInMutation(config, graph),
  ...dearFields(config, graph),
  ...warningsOfMaskedKeys(config, graph),
];

function uncountedReplies({ services, limits }: Config): readonly Finding[] {
  if (limits.graphql.kibCost > 0) return [];
  return Object.entries(services).flatMap(([service, { operations }]) =>
    Object.entries(operations).flatMap(([name, mapping]): readonly Finding[] => {
      if (
        typeof mapping === 'boolean' ||
        mapping.replyKib === undefined ||
        mapping.replyKib === 0
      ) {
        return [];
      }
      const path = ['services', service, 'operations', name, 'replyKib'];
      const what =
        `The \`replyKib\` of operation \`${name}\` counts nothing: ` +
        '`limits.graphql.kibCost` is 0.';
      return [{ path, part: 'key', what, remedy: 'Give that too, or remove it.' }];
    }),
  );
}

/** Warns of costs of operations that GraphQL hides: they have no effect. */
function hiddenCosts({ services, graphqlServices }: Config): readonly Finding[] {
  const paths: ConfigPath[] = [];
  for (const [service, { hide, costs }] of Object.entries(graphqlServices)) {
    for (const name of Object.keys(costs)) {
      const [type = ''] = name.split('.');
      if (hide.includes(name) || hide.includes(type)) {
        paths.push(['services', service, 'costs', name]);
      }
    }
  }
  for (const [service, { schema }] of Object.entries(services)) {
    for (const [type, { hide, cost, fields }] of Object.entries(schema.types)) {
      const at: ConfigPath = ['services', service, 'schema', 'types', type];
      if (hide && cost !== undefined) {
        paths.push([...at, 'cost']);
      }
      for (const [name, field] of Object.entries(fields)) {
        if (!hide && !field.hide) continue;
        for (const key of ['cost', 'listSize'] as const) {
          if (field[key] !== undefined) {
            paths.push([...at, 'fields', name, key]);
          }
        }
      }
    }
  }
  const [what, remedy] = [
    'This costs nothing: callers do not see it.',
    'Remove it, or do not hide it.',
  ];
  return paths.map((path) => ({ path, part: 'key', what, remedy }));
}

function readsInMutation(config: Config, { fields }: Graph): readonly Finding[] {
  return [...fields.values()].flatMap(
    ({ service, operation: { name }, parent }): readonly Finding[] => {
      const mapping = config.services[service]?.operations[name];
      if (parent !== 'Mutation' || typeof mapping !== 'object' || mapping.read === undefined) {
        return [];
      }
      const what =
        `Operation \`${name}\` is declared to read, but is a field of Mutation: ` +
        'clients take it for one that writes.';
      const remedy = 'Map it to a field of Query if it only reads; else remove `read`.';
      return [
        { path: ['services', service, 'operations', name, 'read'], part: 'key', what, remedy },
      ];
    },
  );
}

/** SOAP callers may call such an operation all the same. */
function dearFields({ services, graphql, limits }: Config, { fields }: Graph): readonly Finding[] {
  if (graphql.measure.includes('cost')) return [];
  return [...fields].flatMap(
    ([field, { service, operation, cost, parent }]): readonly Finding[] => {
      const mapping = services[service]?.operations[operation.name];
      const isConfigured =
        typeof mapping === 'object' && (mapping.cost ?? mapping.weight) !== undefined;
      const weight = cost?.weight ?? 0;
      if (!isConfigured || parent === 'Subscription' || weight <= limits.graphql.cost) return [];
      const what =
        `\`${field}\` costs ${weight} points, but \`limits.graphql.cost\` is ` +
        `${limits.graphql.cost}: no query could select it.`;
      const remedy = 'Make the one less or the other more; or map the operation to `false`.';
      return [
        { path: ['services', service, 'operations', operation.name], part: 'key', what, remedy },
      ];
    },
  );
}

/** Processes know of each other's clients by Redis alone. */
function dividedBudgets({ workers, redis, clients }: Config): readonly Finding[] {
  if (workers === 1 || redis !== undefined) return [];
  const bounded = Object.entries(clients?.classes ?? {}).find(
    ([, { budget, requestsAtOnce }]) => budget !== undefined || requestsAtOnce !== undefined,
  );
  if (bounded === undefined) return [];
  const [name, { budget }] = bounded;
  const what =
    'Each of several `workers` counts by itself without `redis`: ' +
    `a client of class \`${name}\` can have its ` +
    `\`${budget === undefined ? 'requestsAtOnce' : 'budget'}\` once for each.`;
  return [
    { path: ['workers'], what, remedy: 'Configure `redis`, or divide the numbers by the workers.' },
  ];
}

/** On a network the answer can be replaced, and with it every signature. */
const unprotectedKeySet = (config: Config): readonly Finding[] =>
  jwtIssuers(config.clients?.jwt).flatMap(({ issuer: { jwksUrl }, path }): readonly Finding[] => {
    if (jwksUrl === undefined || !isOpen(jwksUrl)) return [];
    const what =
      'The keys of the issuer are fetched without TLS: another host could answer in its place.';
    return [
      { path: ['clients', 'jwt', ...path, 'jwksUrl'], part: 'value', what, remedy: 'Use https.' },
    ];
  });

/** On a network tokens and the secret can be read, and any token made active. */
function unprotectedIntrospection(config: Config): readonly Finding[] {
  const url = config.clients?.introspection?.url;
  if (url === undefined || !isOpen(url)) return [];
  const what = 'Tokens and the client secret are sent to the introspection endpoint without TLS.';
  return [{ path: ['clients', 'introspection', 'url'], part: 'value', what, remedy: 'Use https.' }];
}

/**
 * A listener in clear text that other machines reach is likely to have a proxy in front: one
 * address for all callers.
 */
function unknownProxies({ listen, clients, limits }: Config): readonly Finding[] {
  if ((clients?.trustedProxies.length ?? 0) > 0) return [];
  return listenersOf(listen).flatMap(({ listener, path }): readonly Finding[] => {
    const { address, tls, proxyProtocol } = listener;
    if (tls !== undefined || proxyProtocol.length > 0 || !isReachable(address)) return [];
    const { connectionsPerClient, refusalsPerSecond } = limits.http;
    const what =
      `A proxy in front of ${address} would be one client: \`limits.http\` allows an address ` +
      `${connectionsPerClient} connections and ${refusalsPerSecond} refusals a second.`;
    const remedy =
      'Name it in `clients.trustedProxies`, or let it send PROXY headers (`proxyProtocol`).';
    return [{ path: ['listen', ...path], what, remedy }];
  });
}
