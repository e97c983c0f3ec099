// A WSDL as the schema of GraphQL Yoga.
//
//     npm install soapstone graphql graphql-yoga
//     node yoga.mjs
import { createServer } from 'node:http';
import { createYoga } from 'graphql-yoga';
import { schemaFromWsdl } from 'soapstone/schema';

const { schema, close } = await schemaFromWsdl(new URL('../../demo/legacy.wsdl', import.meta.url), {
  url: process.env.BACKEND ?? 'http://127.0.0.1:8081/orders',
  // A call has the header fields of its request, and ends with it.
  caller: ({ request }) => ({
    headers: Object.fromEntries(request.headers),
    signal: request.signal,
  }),
});

const server = createServer(createYoga({ schema }));
server.listen(Number(process.env.PORT ?? 4000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/graphql`);
});
process.once('SIGTERM', () => {
  server.close(close);
  server.closeAllConnections();
});
