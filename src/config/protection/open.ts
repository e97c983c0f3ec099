import { listNames } from '../keys/key-text.js';
import type { Config } from '../schema.js';

/** Sentences about what a configuration leaves open by what it does not say. */

export const openClients = ({ clients }: Config): readonly string[] =>
  clients?.classes === undefined
    ? ['Every caller may call everything: `clients` identifies none.']
    : [];

export function openClasses({ clients }: Config): readonly string[] {
  const classes = Object.entries(clients?.classes ?? {});
  const unbounded = classes.flatMap(([name, { budget, requestsAtOnce }]) =>
    budget === undefined && requestsAtOnce === undefined ? [name] : [],
  );
  const allowed = classes.flatMap(([name, { allow }]) => (allow === undefined ? [name] : []));
  return [
    ...(allowed.length === 0
      ? []
      : [
          `Clients of class ${listNames(allowed)} may call everything but \`deny\`: ` +
            'they have no `allow`.',
        ]),
    ...(unbounded.length === 0
      ? []
      : [
          `Clients of class ${listNames(unbounded)} may call at any rate: they have no \`budget\`.`,
        ]),
  ];
}

/** Reports the services some of whose operations require rights while others do not. */
export const openOperations = ({ services }: Config): readonly string[] =>
  Object.entries(services).flatMap(([service, { operations }]) => {
    const mapped = Object.entries(operations).filter(([, mapping]) => mapping !== false);
    const open = mapped.flatMap(([name, mapping]) => (isRuled(mapping) ? [] : [name]));
    if (open.length === 0 || open.length === mapped.length) return [];
    return [`Operations of \`${service}\` need no scopes: ${listNames(open)}; others of it do.`];
  });

const isRuled = (mapping: Config['services'][string]['operations'][string]): boolean =>
  typeof mapping === 'object' && (mapping.scopes !== undefined || mapping.authenticated === true);

/** The classes that a mask without `default` does not name. */
export function openMasks({ services, graphqlServices, clients }: Config): readonly string[] {
  const classes = Object.keys(clients?.classes ?? {});
  const open: string[] = [];
  const look = (field: string, masks: Readonly<Record<string, unknown>> | undefined): void => {
    const unnamed =
      masks === undefined ? [] : classes.filter((name) => !Object.hasOwn(masks, name));
    if (unnamed.length > 0) {
      open.push(
        `\`${field}\` is not masked for class ${listNames(unnamed)}: its mask has no \`default\`.`,
      );
    }
  };
  for (const [service, { schema }] of Object.entries(services)) {
    for (const [type, { fields }] of Object.entries(schema.types)) {
      for (const [name, { mask }] of Object.entries(fields)) {
        look(`${service}: ${type}.${name}`, mask);
      }
    }
  }
  for (const [service, { fields }] of Object.entries(graphqlServices)) {
    for (const [name, { mask }] of Object.entries(fields)) {
      look(`${service}: ${name}`, mask);
    }
  }
  return open;
}

export const openSchema = ({ graphql, services, graphqlServices }: Config): readonly string[] =>
  graphql.introspection &&
  (Object.keys(graphqlServices).length > 0 || Object.values(services).some(hasFields))
    ? ['Callers may ask for the whole GraphQL schema (`graphql.introspection`).']
    : [];

const hasFields = ({ wsdl, types }: Config['services'][string]): boolean =>
  wsdl !== undefined || types !== undefined;

export const openHosts = ({ hosts, publicUrl }: Config): readonly string[] =>
  hosts.length === 0 && publicUrl === undefined
    ? [
        'Requests may name any host, which lets web pages rebind theirs: ' +
          'name yours in `hosts` or `publicUrl`.',
      ]
    : [];

export function openContent({ services }: Config): readonly string[] {
  const all = Object.entries(services);
  const blind = all.flatMap(([name, service]) => (hasFields(service) ? [] : [name]));
  const unchecked = all.flatMap(([name, service]) =>
    hasFields(service) && service.validate.requests === 'off' ? [name] : [],
  );
  return [
    ...(blind.length === 0
      ? []
      : [`Any operation passes to ${listNames(blind)}: without \`wsdl\` none is known.`]),
    ...(unchecked.length === 0
      ? []
      : [
          `The content of requests to ${listNames(unchecked)} is not validated ` +
            '(`validate.requests`).',
        ]),
  ];
}

export const openRecord = ({ audit }: Config): readonly string[] =>
  audit === undefined ? ['Decisions are not recorded: there is no `audit`.'] : [];

/** Reports the deviations of replies that pass. */
export const openTolerance = ({ services }: Config): readonly string[] =>
  Object.entries(services).flatMap(([service, { tolerate = [], operations }]) => {
    const ofOperations = Object.entries(operations).flatMap(([operation, mapping]) =>
      typeof mapping === 'object' && mapping.tolerate !== undefined && mapping.tolerate.length > 0
        ? [tolerated(`\`${service}.${operation}\``, mapping.tolerate)]
        : [],
    );
    return tolerate.length === 0
      ? ofOperations
      : [tolerated(`\`${service}\``, tolerate), ...ofOperations];
  });

const tolerated = (owner: string, names: readonly string[]): string =>
  `Replies of ${owner} may leave their contract: \`tolerate\` has ${listNames(names)}.`;
