import type { Diagnostic } from '../../base/diagnostic.js';
import { jwtIssuers } from '../../config/clients/token-keys.js';
import { diagnosticAt } from '../../config/diagnostic-at.js';
import { isReachable } from '../../config/keys/address.js';
import type { ConfigPath } from '../../config/keys/config-path.js';
import { listenersOf } from '../../config/listen/listen-keys.js';
import type { LoadedConfig } from '../../config/load.js';
import type { Graph } from '../graphql/graph.js';
import { isOpen, warningsOfBackends } from './backend-warnings.js';
import { warningsOfSecrets } from './literal-secrets.js';
import { warningsOfScopes } from './unheld-scopes.js';
import { warningsOfWeakOptions } from './weak-options.js';

/** Settings that have less effect than they may seem to have. */
export const warningsOfConfig = (loaded: LoadedConfig, graph: Graph): readonly Diagnostic[] => [
  ...warningsOfWeakOptions(loaded),
  ...warningsOfBackends(loaded),
  ...warningsOfScopes(loaded),
  ...uncountedReplies(loaded),
  ...hiddenCosts(loaded),
  ...readsInMutation(loaded, graph),
  ...dearFields(loaded, graph),
  ...plainKeys(loaded),
  ...warningsOfSecrets(loaded),
  ...dividedBudgets(loaded),
  ...unprotectedKeySet(loaded),
  ...unprotectedIntrospection(loaded),
  ...unknownProxies(loaded),
];

function uncountedReplies(loaded: LoadedConfig): readonly Diagnostic[] {
  const { services, limits } = loaded.config;
  if (limits.graphql.kibCost > 0) return [];
  return Object.entries(services).flatMap(([service, { operations }]) =>
    Object.entries(operations).flatMap(([name, mapping]): readonly Diagnostic[] => {
      if (typeof mapping === 'boolean' || mapping.replyKib === undefined || mapping.replyKib === 0) return [];
      const path = ['services', service, 'operations', name, 'replyKib'];
      const what = `The \`replyKib\` of operation \`${name}\` counts nothing: \`limits.graphql.kibCost\` is 0.`;
      return [diagnosticAt(loaded, path, what, 'Give that too, or remove it.', 'key')];
    }),
  );
}

/** Warns of costs of operations that GraphQL hides: they have no effect. */
function hiddenCosts(loaded: LoadedConfig): readonly Diagnostic[] {
  const { services, graphqlServices } = loaded.config;
  const paths: ConfigPath[] = [];
  for (const [service, { hide, costs }] of Object.entries(graphqlServices)) {
    for (const name of Object.keys(costs)) {
      const [type = ''] = name.split('.');
      if (hide.includes(name) || hide.includes(type)) paths.push(['services', service, 'costs', name]);
    }
  }
  for (const [service, { schema }] of Object.entries(services)) {
    for (const [type, { hide, cost, fields }] of Object.entries(schema.types)) {
      const at: ConfigPath = ['services', service, 'schema', 'types', type];
      if (hide && cost !== undefined) paths.push([...at, 'cost']);
      for (const [name, field] of Object.entries(fields)) {
        if (!hide && !field.hide) continue;
        for (const key of ['cost', 'listSize'] as const)
          if (field[key] !== undefined) paths.push([...at, 'fields', name, key]);
      }
    }
  }
  return paths.map((path) =>
    diagnosticAt(loaded, path, 'This costs nothing: callers do not see it.', 'Remove it, or do not hide it.', 'key'),
  );
}

function readsInMutation(loaded: LoadedConfig, { fields }: Graph): readonly Diagnostic[] {
  return [...fields.values()].flatMap(({ service, operation: { name }, parent }): readonly Diagnostic[] => {
    const mapping = loaded.config.services[service]?.operations[name];
    if (parent !== 'Mutation' || typeof mapping !== 'object' || mapping.read === undefined) return [];
    const what = `Operation \`${name}\` is declared to read, but is a field of Mutation: clients take it for one that writes.`;
    const remedy = 'Map it to a field of Query if it only reads; else remove `read`.';
    return [diagnosticAt(loaded, ['services', service, 'operations', name, 'read'], what, remedy, 'key')];
  });
}

/** SOAP callers may call such an operation all the same. */
function dearFields(loaded: LoadedConfig, { fields }: Graph): readonly Diagnostic[] {
  const { services, graphql, limits } = loaded.config;
  if (graphql.measure.includes('cost')) return [];
  return [...fields].flatMap(([field, { service, operation, cost, parent }]): readonly Diagnostic[] => {
    const mapping = services[service]?.operations[operation.name];
    const isConfigured = typeof mapping === 'object' && (mapping.cost ?? mapping.weight) !== undefined;
    const weight = cost?.weight ?? 0;
    if (!isConfigured || parent === 'Subscription' || weight <= limits.graphql.cost) return [];
    const what = `\`${field}\` costs ${weight} points, but \`limits.graphql.cost\` is ${limits.graphql.cost}: no query could select it.`;
    const remedy = 'Make the one less or the other more; or map the operation to `false`.';
    return [diagnosticAt(loaded, ['services', service, 'operations', operation.name], what, remedy, 'key')];
  });
}

/** Configuration files are copied, mailed and committed. */
function plainKeys(loaded: LoadedConfig): readonly Diagnostic[] {
  const listed = loaded.config.clients?.apiKeys?.clients ?? {};
  return Object.entries(listed).flatMap(([name, { keys }]) =>
    keys.flatMap((_key, index): readonly Diagnostic[] => {
      const path = ['clients', 'apiKeys', 'clients', name, 'keys', index];
      if (loaded.isForeign(path)) return [];
      const what = `A key of client \`${name}\` stands in the configuration file itself.`;
      return [diagnosticAt(loaded, path, what, 'Take it from the environment or from a file.', 'value')];
    }),
  );
}

/** Processes know of each other's clients by Redis alone. */
function dividedBudgets(loaded: LoadedConfig): readonly Diagnostic[] {
  const { workers, redis, clients } = loaded.config;
  if (workers === 1 || redis !== undefined) return [];
  const bounded = Object.entries(clients?.classes ?? {}).find(
    ([, { budget, requestsAtOnce }]) => budget !== undefined || requestsAtOnce !== undefined,
  );
  if (bounded === undefined) return [];
  const [name, { budget }] = bounded;
  const what = `Each of several \`workers\` counts by itself without \`redis\`: a client of class \`${name}\` can have its \`${budget === undefined ? 'requestsAtOnce' : 'budget'}\` once for each.`;
  return [diagnosticAt(loaded, ['workers'], what, 'Configure `redis`, or divide the numbers by the workers.')];
}

/** On a network the answer can be replaced, and with it every signature. */
const unprotectedKeySet = (loaded: LoadedConfig): readonly Diagnostic[] =>
  jwtIssuers(loaded.config.clients?.jwt).flatMap(({ issuer: { jwksUrl }, path }): readonly Diagnostic[] => {
    if (jwksUrl === undefined || !isOpen(jwksUrl)) return [];
    const what = 'The keys of the issuer are fetched without TLS: another host could answer in its place.';
    return [diagnosticAt(loaded, ['clients', 'jwt', ...path, 'jwksUrl'], what, 'Use https.', 'value')];
  });

/** On a network tokens and the secret can be read, and any token made active. */
function unprotectedIntrospection(loaded: LoadedConfig): readonly Diagnostic[] {
  const url = loaded.config.clients?.introspection?.url;
  if (url === undefined || !isOpen(url)) return [];
  const what = 'Tokens and the client secret are sent to the introspection endpoint without TLS.';
  return [diagnosticAt(loaded, ['clients', 'introspection', 'url'], what, 'Use https.', 'value')];
}

/** A listener in clear text that other machines reach is likely to have a proxy in front: one address for all callers. */
function unknownProxies(loaded: LoadedConfig): readonly Diagnostic[] {
  const { listen, clients, limits } = loaded.config;
  if ((clients?.trustedProxies.length ?? 0) > 0) return [];
  return listenersOf(listen).flatMap(({ listener, path }): readonly Diagnostic[] => {
    const { address, tls, proxyProtocol } = listener;
    if (tls !== undefined || proxyProtocol.length > 0 || !isReachable(address)) return [];
    const { connectionsPerClient, refusalsPerSecond } = limits.http;
    const what = `A proxy in front of ${address} would be one client: \`limits.http\` allows an address ${connectionsPerClient} connections and ${refusalsPerSecond} refusals a second.`;
    const remedy = 'Name it in `clients.trustedProxies`, or let it send PROXY headers (`proxyProtocol`).';
    return [diagnosticAt(loaded, ['listen', ...path], what, remedy)];
  });
}
