import { resolve } from 'node:path';
import type { Test } from 'tap';
import { validArguments } from '../../src/graphql/schema/docs/example-arguments.js';
import { ExampleOperations } from '../../src/graphql/schema/docs/example-operation.js';
import type { WsdlModel } from '../../src/wsdl/model.js';
import { askGraphql } from '../kit/graphql-client.js';
import { useGateway } from '../kit/use.js';
import { useMock } from './use-mock.js';

/** How the example of one field was answered: with an error, or null. */
export interface ExampleResult {
  readonly name: string;
  readonly error: string | null;
}

/** Asks the examples of all ports of a WSDL. `more`: YAML of the service. */
export async function tryExamples(
  t: Test,
  file: string,
  model: WsdlModel,
  more = '',
): Promise<readonly ExampleResult[]> {
  const url = await useMock(t, model);
  const found: ExampleResult[] = [];
  for (const port of model.services.flatMap(({ ports }) => ports)) {
    const gateway = await useGateway(
      t,
      `services: { s: { wsdl: "${resolve(file)}", url: "${url}", port: ` +
        `${JSON.stringify(port.name)}, versions: ["${port.dialect}"] ${more} } }\nlimits: ` +
        '{ graphql: ' +
        '{ depth: 20, cost: 1000000, tokens: 20000 } }\n',
    ).catch(() => null);
    if (gateway === null) continue;
    const { schema, fields } = gateway.compiled().graph;
    const examples = new ExampleOperations(schema);
    for (const [name, bound] of fields) {
      const { parent } = bound;
      const root = parent === 'Query' ? schema.getQueryType() : schema.getMutationType();
      const field = root?.getFields()[bound.name];
      if (parent === 'Subscription' || field === undefined) continue;
      const { document } = examples.of(parent, field, validArguments(bound));
      const { errors } = await askGraphql<{ errors?: { message: string }[] }>(
        gateway.url,
        document,
      );
      found.push({ name: `${file} ${port.name} ${name}`, error: errors?.[0]?.message ?? null });
    }
  }
  return found;
}
