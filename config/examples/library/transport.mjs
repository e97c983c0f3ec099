// A transport of Hive Gateway and GraphQL Mesh: a subgraph that is a WSDL. `location` is the address
// of the backend, `options.wsdl` the WSDL, and `options.service` further keys of a service.
//
//     const gateway = createGatewayRuntime({
//       supergraph,
//       transports: { soapstone: transport },
//       transportEntries: {
//         orders: { kind: 'soapstone', location: 'http://10.0.0.7/orders', options: { wsdl: 'orders.wsdl' } },
//       },
//     });
//
// The schema of the subgraph is printed by `printedSchema` of `soapstone/schema`.
import { execute } from 'graphql';
import { schemaFromWsdl } from 'soapstone/schema';

/** Header fields of a request, as the context of the gateway has them. */
const headersOf = ({ headers, request }) => headers ?? Object.fromEntries(request?.headers ?? []);

export const transport = {
  async getSubgraphExecutor({ transportEntry: { location, options }, cwd }) {
    const { schema, close } = await schemaFromWsdl(options.wsdl, {
      ...(location ? { url: location } : {}),
      ...(cwd ? { folder: cwd } : {}),
      ...options.service,
      caller: (context) => ({ headers: headersOf(context ?? {}), signal: context?.request?.signal }),
    });
    const executor = ({ document, variables, operationName, context }) =>
      execute({
        schema,
        document,
        contextValue: context,
        ...(variables ? { variableValues: variables } : {}),
        ...(operationName ? { operationName } : {}),
      });
    return Object.assign(executor, { [Symbol.asyncDispose ?? Symbol.for('asyncDispose')]: close });
  },
};
