// A WSDL as the schema of Mercurius.
//
//     npm install soapstone graphql mercurius fastify
//     node mercurius.mjs
import Fastify from 'fastify';
import mercurius from 'mercurius';
import { schemaFromWsdl } from 'soapstone/schema';

const { schema, close } = await schemaFromWsdl(new URL('../../demo/legacy.wsdl', import.meta.url), {
  url: process.env.BACKEND ?? 'http://127.0.0.1:8081/orders',
  caller: ({ headers }) => ({ headers }),
});

const server = Fastify();
server.register(mercurius, {
  schema,
  context: (request) => ({ headers: request.headers }),
});
server.addHook('onClose', close);
const url = await server.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 4000) });
console.log(`${url}/graphql`);
process.once('SIGTERM', () => server.close());
