import type { GraphqlService } from '../../src/graphql/schema/fields/exposure.js';
import { type BuiltSchema, buildSchema } from '../../src/graphql/schema/schema.js';
import { modelOf } from '../wsdl/written.js';

/** The schema for the first port of a WSDL. */
export async function builtOf(
  wsdl: string,
  about: Partial<GraphqlService> = {},
): Promise<BuiltSchema> {
  const { services, types, elements } = await modelOf(wsdl);
  const operations = services[0]?.ports[0]?.operations ?? [];
  const lists = { knownTypes: [...types.values()], elements: [...elements.values()] };
  return buildSchema([
    { name: 'service', operations, mapping: new Map(), naming: 'camel', ...lists, ...about },
  ]);
}
