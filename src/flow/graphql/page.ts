import type { IncomingMessage } from 'node:http';
import type { Compiled } from '../../compile.js';
import { pages } from '../../graphql/index.js';
import type { OpenEndpoint } from '../calls/http-exchange.js';
import { pageExample } from './page-example.js';
import { pageAnswerer } from './send-page.js';

/**
 * GraphiQL and its files, for browsers: people give their credentials on the page. Null where there
 * is no page. Its files are read when the first browser comes.
 */
export function makePageEndpoint(compiled: Compiled): OpenEndpoint | null {
  const { config, graph, trusted } = compiled;
  const { graphiql, introspection } = config.graphql;
  // It asks in words of its own.
  if (!graphiql || trusted?.only === true) return null;
  // The example shows names of the schema: only where every caller may introspect it.
  const isOpen = introspection && config.clients?.classes === undefined;
  const folder = pages.assetsPath(graph.path);
  const answer = pageAnswerer(graph.path, () =>
    pages.readPage(graph.path, isOpen ? pageExample(compiled) : ''),
  );
  return {
    isFor: (path, request) => (path === graph.path ? wantsPage(request) : path.startsWith(folder)),
    answer(exchange, path, request, response) {
      exchange.route = 'graphql';
      return answer(exchange, path, request, response);
    },
  };
}

/** A browser that was pointed here: it wants HTML first and asks nothing. */
const wantsPage = ({ method, url = '', headers }: IncomingMessage): boolean =>
  method === 'GET' && !url.includes('?') && (headers.accept ?? '').startsWith('text/html');
