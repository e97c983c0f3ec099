import type { IncomingMessage } from 'node:http';
import { Refusal } from '../../base/refusals/refusal.js';
import type { Compiled } from '../../compile.js';
import { assetsPath, type Page, readPage } from '../../graphql/page/page.js';
import type { OpenEndpoint } from '../calls/open-endpoint.js';
import { pageExample } from './page-example.js';
import { sendAsset, sendPage } from './send-page.js';

/** GraphiQL and its files, for browsers: people give their credentials on the page. Null where there is no page. Its files are read when the first browser comes. */
export function makePageEndpoint(compiled: Compiled): OpenEndpoint | null {
  const { config, graph, trusted } = compiled;
  const { graphiql, introspection } = config.graphql;
  // It asks in words of its own.
  if (!graphiql || trusted?.only === true) return null;
  // The example shows names of the schema: only where every caller may introspect it.
  const isOpen = introspection && config.clients?.classes === undefined;
  const folder = assetsPath(graph.path);
  let reading: Promise<Page> | null = null;
  return {
    isFor: (path, request) => (path === graph.path ? wantsPage(request) : path.startsWith(folder)),
    async answer(exchange, path, request, response) {
      exchange.route = 'graphql';
      exchange.operation = 'page';
      if (request.method !== 'GET' && request.method !== 'HEAD') throw new Refusal('HTTP_METHOD');
      reading ??= readPage(graph.path, isOpen ? pageExample(compiled) : '');
      const page = await reading;
      if (path === graph.path) {
        sendPage(exchange, response, page.html);
        return;
      }
      const asset = page.assets.get(path);
      if (asset === undefined) throw new Refusal('HTTP_NOT_FOUND');
      sendAsset(exchange, request, response, asset, page.tag);
    },
  };
}

/** A browser that was pointed here: it wants HTML first and asks nothing. */
const wantsPage = ({ method, url = '', headers }: IncomingMessage): boolean =>
  method === 'GET' && !url.includes('?') && (headers.accept ?? '').startsWith('text/html');
