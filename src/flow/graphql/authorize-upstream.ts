import { type GraphQLSchema, parse, TypeInfo, visit, visitWithTypeInfo } from 'graphql';

import type { Client } from '../../access/client.js';
import { graphqlSchema, type subschemas } from '../../graphql/index.js';
import { authorize } from '../calls/authorize.js';

/**
 * Throws `FORBIDDEN` where an operation for a service that speaks GraphQL asks for a field of a
 * root type that the client may not. It is the operation as it will be sent that is looked at,
 * whatever fields and links it was put together from, and wherever in it a root type is come by.
 */
export function authorizeUpstream(
  client: Client,
  { service, query }: subschemas.SubschemaRequest,
  schema: GraphQLSchema,
): void {
  if (client.rights.permitsAll) return;
  const roots = graphqlSchema.rootTypes(schema);
  const types = new TypeInfo(schema);
  visit(
    parse(query, { noLocation: true }),
    visitWithTypeInfo(types, {
      Field({ name }) {
        const parent = types.getParentType();
        const isOfRoot = roots.some((root) => root.name === parent?.name);
        if (isOfRoot && !name.value.startsWith('__')) {
          authorize(client, service, name.value);
        }
      },
    }),
  );
}
