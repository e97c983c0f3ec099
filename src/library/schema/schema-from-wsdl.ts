import type { GraphQLSchema } from 'graphql';
import { costs } from '../../graphql/index.js';
import { peer } from './peer-graphql.js';
import { peerSchema } from './peer-schema.js';
import { PushedDocuments } from './pushed-document.js';
import { RootRuns } from './root-runs.js';
import { compileWsdl, SchemaGateway } from './schema-gateway.js';
import { checkSchemaOptions, type SchemaOptions } from './schema-options.js';

/** A schema that calls a backend, until it is closed. */
export interface WsdlSchema {
  /** Made by the `graphql` package of this program, for any server that runs such schemas. */
  readonly schema: GraphQLSchema;
  /**
   * Lets calls finish, and closes the connections to the backend. A second call gives what the
   * first one does.
   */
  close(): Promise<void>;
}

/**
 * Makes a schema from a WSDL, whose operations are fields of Query and Mutation that call the
 * backend as the gateway does: one call for a field and all that is selected of it, with the pool,
 * limits, breaker and rights of the configuration. A Fault is an error with `extensions.code`
 * `SOAP_FAULT` and `extensions.soap`. Subscriptions are left out. Rejects with
 * `ConfigurationError`.
 *
 * `location` is a path, or a URL of `file`, `http` or `https`; a path begins in `options.folder`.
 */
export async function schemaFromWsdl(
  location: string | URL,
  options: SchemaOptions = {},
): Promise<WsdlSchema> {
  checkSchemaOptions('schemaFromWsdl', options);
  const gateway = await SchemaGateway.open(location, options);
  const documents = new PushedDocuments(gateway.schema);
  const runs = new RootRuns(peer, documents, (operation, context) =>
    gateway.run(operation, context),
  );
  return {
    schema: peerSchema(peer, gateway.schema, runs.resolve),
    close: () => gateway.close(),
  };
}

/** The schema that `schemaFromWsdl` makes, as SDL. Nothing is called but where the WSDL is. */
export async function printedSchema(
  location: string | URL,
  options: SchemaOptions = {},
): Promise<string> {
  checkSchemaOptions('printedSchema', options);
  const compiled = await compileWsdl(location, options);
  await compiled.close();
  return costs.printWithCosts(compiled.graph.schema);
}
