import type { MappedOperation } from '../../config/graphql/operation-keys.js';
import type { FieldKeys } from '../../config/graphql/type-keys.js';
import type { ConfigPath } from '../../config/keys/config-path.js';
import { type Finding, finding } from '../../config/keys/finding.js';
import { spelling } from '../../core/index.js';
import { graphqlSchema, schemaMapping } from '../../graphql/index.js';
import { fieldConversion } from './conversions.js';
import { costOfField, costOfOperation } from './costs.js';
import { sdlField } from './documents/sdl-operations.js';
import { mappedPages } from './pages.js';
import { fieldRuleOf, isNulled } from './rights.js';
import type { ConfiguredService } from './service.js';

/** The mappings of the operations of one service as fields, by the operation's name. */
export function mappedOperations({
  name: service,
  config,
}: ConfiguredService): ReadonlyMap<string, schemaMapping.OperationMapping> {
  const inSdl =
    config.types === undefined ? null : schemaMapping.costsOfSdl(config.types, service).roots;
  return new Map(
    Object.entries(config.operations).map(
      ([name, mapping]): [string, schemaMapping.OperationMapping] => {
        if (typeof mapping === 'boolean') return [name, { field: null, hidden: !mapping }];
        const {
          field: at,
          description = null,
          deprecated = null,
          faults = 'errors',
          replyHeaders = null,
        } = mapping;
        const field = at === undefined ? null : sdlField(at);
        const pages = mappedPages(name, mapping);
        const request = requestMapping(name, mapping, pages?.filled ?? []);
        const sdlCost = inSdl?.get(at ?? '') ?? null;
        const cost =
          costOfOperation(mapping, { service, path: ['operations', name] })?.or(sdlCost) ?? sdlCost;
        const paged = pages?.mapping ?? null;
        return [
          name,
          {
            field,
            hidden: false,
            description,
            deprecated,
            faults,
            replyHeaders,
            request,
            cost,
            pages: paged,
          },
        ];
      },
    ),
  );
}

const requestMapping = (
  name: string,
  { arguments: values = {}, headers = {} }: RequestKeys,
  filled: readonly schemaMapping.FilledArgument[],
): schemaMapping.RequestMapping => ({
  arguments: schemaMapping.withFilled(
    argumentMappings(values, ['operations', name, 'arguments']),
    filled,
  ),
  headers: schemaMapping.blockMappings(headers, ['operations', name, 'headers']),
});

const argumentMappings = (
  entries: NonNullable<RequestKeys['arguments']>,
  path: readonly string[],
): schemaMapping.InputMappings =>
  schemaMapping.inputMappings(
    Object.fromEntries(
      Object.entries(entries).map(([key, { convert, ...entry }]) => [
        key,
        { ...entry, convert: fieldConversion(convert, null, [...path, key]) },
      ]),
    ),
    path,
  );

/**
 * The header blocks of all operations of a service. Those that the gateway writes itself are no
 * arguments.
 */
export const blocksOf = ({ config, ownBlocks }: ConfiguredService): schemaMapping.BlockMappings =>
  schemaMapping.blockMappings(
    { ...Object.fromEntries(ownBlocks.map((name) => [name, false])), ...config.soapHeaders },
    ['soapHeaders'],
  );

type RequestKeys = Pick<MappedOperation, 'arguments' | 'headers'>;

/** The mappings of its types, by their XML name. */
export function mappedTypes({
  name: service,
  config,
}: Pick<ConfiguredService, 'name' | 'config'>): schemaMapping.TypeMappings {
  const mapped = new Map(
    Object.entries(config.schema.types).map(
      ([key, { name = null, description = null, hide, nullable = null, cost = null, fields }]) => {
        const mapped = Object.entries(fields).map(
          ([field, keys]): [string, schemaMapping.FieldMapping] => [
            field,
            fieldMapping(service, key, name, [field, keys]),
          ],
        );
        return [key, { name, description, hidden: hide, nullable, cost, fields: new Map(mapped) }];
      },
    ),
  );
  return config.types === undefined
    ? mapped
    : schemaMapping.withSdlCosts(mapped, schemaMapping.costsOfSdl(config.types, service).types);
}

/** `name`: of the type in GraphQL; null: by rule. */
function fieldMapping(
  service: string,
  type: string,
  name: string | null,
  [field, keys]: readonly [string, FieldKeys],
): schemaMapping.FieldMapping {
  const path = [...schemaMapping.TYPES_PATH, type, 'fields', field];
  const ofType = name ?? graphqlSchema.typeName(type.replace(/^\{.*\}/, ''));
  const enumName = `${ofType}${graphqlSchema.pascalName(keys.name ?? field)}`;
  const isNullable = isNulled(keys) || keys.convert?.nullWhen !== undefined;
  return {
    name: keys.name ?? null,
    description: keys.description ?? null,
    type: keys.type ?? null,
    convert: fieldConversion(keys.convert, enumName, path),
    lift: keys.path?.split('/') ?? null,
    hidden: keys.hide,
    nullable: isNullable ? true : (keys.nullable ?? null),
    deprecated: keys.deprecated ?? null,
    cost: costOfField(keys, { service, path }),
    rule: fieldRuleOf(`${type}.${field}`, keys),
    path,
  };
}

/**
 * Errors of the mapping as findings about the keys of each service; `pathOf` leads to these. A
 * repeated one is reported once.
 */
export function mappingFindings(
  errors: readonly schemaMapping.MappingFinding[],
  pathOf: (service: string) => ConfigPath,
): readonly Finding[] {
  const findings = new Map<string, Finding>();
  for (const { service, path, what, remedy, among, written } of errors) {
    const names = [...new Set(among)].slice(0, NAMES_SHOWN).join(', ');
    const known = names === '' ? null : `Known: ${names}.`;
    const help =
      spelling.didYouMean(written ?? String(path.at(-1) ?? ''), among) ?? remedy ?? known;
    const found = finding([...pathOf(service), ...path], `Service \`${service}\`: ${what}`, help);
    findings.set(JSON.stringify([service, path, what]), found);
  }
  return [...findings.values()];
}

const NAMES_SHOWN = 20;

/** A mapping for an operation that the WSDL does not have is an error in the mapping. */
export function unknownOperations({
  name: service,
  wsdl,
  operations,
  config,
}: ConfiguredService): readonly Finding[] {
  if (wsdl === null) return [];
  const known = new Set(operations.map((operation) => operation.name));
  return Object.keys(config.operations)
    .filter((name) => !known.has(name))
    .map((name) => {
      const what = `The WSDL of service \`${service}\` has no operation \`${name}\` at the port in use.`;
      const remedy =
        spelling.didYouMean(name, [...known]) ??
        `It has ${[...known].slice(0, NAMES_SHOWN).join(', ')}.`;
      return finding(['services', service, 'operations', name], what, remedy, 'key');
    });
}
