import type { GraphQLSchema } from 'graphql';

import { type Problem, Problems } from '../base/problem.js';
import type { LoadedConfig } from '../config/load.js';
import type { OperationMapping } from '../graphql/exposure.js';
import type { LinkTable } from '../graphql/link.js';
import { type BoundField, buildSchema } from '../graphql/schema.js';
import { fieldOf } from './by-hand.js';
import { linkProblems, linksOf } from './links.js';
import type { SoapService } from './service.js';

/** The one GraphQL endpoint over all services. */
export interface Graph {
  readonly path: string;
  readonly schema: GraphQLSchema;
  readonly fields: ReadonlyMap<string, BoundField>;
  readonly links: LinkTable;
  readonly notices: readonly Problem[];
}

/** Builds the schema over all services. Throws `Problems` for mappings that name what is not there. */
export function compileGraph(loaded: LoadedConfig, services: readonly SoapService[]): Graph {
  const problems = services.flatMap((service) => unknownOperations(loaded, service));
  if (problems.length > 0) throw new Problems(problems);
  const { schema, fields, links, linkFaults, notices } = buildSchema(
    services.map((service) => ({
      name: service.name,
      operations: service.operations,
      mapping: mappingOf(service),
      naming: service.wsdl === null ? 'exact' : service.config.naming,
    })),
    linksOf(loaded),
  );
  if (linkFaults.length > 0) throw new Problems(linkProblems(loaded, linkFaults));
  return { path: loaded.config.graphql.path, schema, fields, links, notices };
}

function mappingOf(service: SoapService): ReadonlyMap<string, OperationMapping> {
  return new Map(
    Object.entries(service.config.operations).map(([name, mapping]): [string, OperationMapping] => {
      if (typeof mapping === 'boolean') return [name, { field: null, hidden: !mapping }];
      return [name, { field: mapping.field === undefined ? null : fieldOf(mapping.field), hidden: false }];
    }),
  );
}

/** A mapping for an operation that the WSDL does not have is a mistake in the mapping. */
function unknownOperations(loaded: LoadedConfig, service: SoapService): readonly Problem[] {
  const known = new Set(service.operations.map((operation) => operation.name));
  return Object.keys(service.config.operations)
    .filter((name) => !known.has(name) && service.wsdl !== null)
    .map((name) => {
      const place = loaded.positionOf(['services', service.name, 'operations', name], 'key');
      return {
        file: loaded.file,
        line: place?.line ?? null,
        column: place?.column ?? null,
        what: `The WSDL of service \`${service.name}\` has no operation \`${name}\` at the port in use.`,
        remedy: `It has ${[...known].slice(0, 20).join(', ')}.`,
      };
    });
}
