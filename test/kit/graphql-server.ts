import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSchema, type GraphQLSchema, type GraphQLTypeResolver } from 'graphql';
import { createHandler } from 'graphql-http/lib/use/http';

/** What the server was asked, in order. */
export interface ServedRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly headers: IncomingMessage['headers'];
}

/** A GraphQL server over real sockets, made with graphql-http. */
export interface GraphqlServer {
  readonly url: string;
  readonly requests: ServedRequest[];
  /** Answers instead of GraphQL until it is null again. */
  instead: ((request: IncomingMessage, response: ServerResponse) => void) | null;
  close(): Promise<void>;
}

export interface GraphqlServerOptions {
  readonly sdl: string;
  readonly rootValue: unknown;
  readonly typeResolver?: GraphQLTypeResolver<unknown, unknown>;
}

/** Starts a server on a free port of this machine. */
export async function startGraphqlServer({
  sdl,
  rootValue,
  typeResolver,
}: GraphqlServerOptions): Promise<GraphqlServer> {
  const schema: GraphQLSchema = buildSchema(sdl);
  const requests: ServedRequest[] = [];
  const handler = createHandler({
    schema,
    rootValue,
    onSubscribe: (request, { query, variables }) => {
      requests.push({ query, variables: { ...variables }, headers: request.raw.headers });
    },
    ...(typeResolver === undefined
      ? {}
      : { execute: async (args) => (await import('graphql')).execute({ ...args, typeResolver }) }),
  });
  const server: Server = createServer((request, response) => {
    if (kit.instead === null) void handler(request, response);
    else kit.instead(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const kit: GraphqlServer = {
    url: `http://127.0.0.1:${port}/graphql`,
    requests,
    instead: null,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return kit;
}
