// A WSDL as the schema of Apollo Server.
//
//     npm install soapstone graphql @apollo/server
//     node apollo.mjs
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { schemaFromWsdl } from 'soapstone/schema';

const { schema, close } = await schemaFromWsdl(new URL('../../demo/legacy.wsdl', import.meta.url), {
  url: process.env.BACKEND ?? 'http://127.0.0.1:8081/orders',
  caller: ({ headers }) => ({ headers }),
});

const server = new ApolloServer({
  schema,
  plugins: [{ serverWillStart: async () => ({ serverWillStop: close }) }],
});
const { url } = await startStandaloneServer(server, {
  listen: { host: '127.0.0.1', port: Number(process.env.PORT ?? 4000) },
  context: async ({ req }) => ({ headers: req.headers }),
});
console.log(url);
