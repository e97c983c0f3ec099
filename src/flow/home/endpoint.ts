import { Buffer } from 'node:buffer';
import type { Compiled } from '../../compile.js';
import { OPENAPI_JSON, OPENAPI_PAGE } from '../../config/rest/rest-rules.js';
import { TimeSlices } from '../../core/index.js';
import type { DescribedOperation } from '../../graphql/index.js';
import { authorizeAndChargeOther } from '../calls/authorize.js';
import { consultAboutPath } from '../calls/consult-policy.js';
import type { HttpExchange } from '../calls/http-exchange.js';
import type { OperationEndpoint } from '../calls/operation-endpoint.js';
import { CallableOperations } from '../graphql/callable-operations.js';
import type { GraphqlEndpoint } from '../graphql/endpoint.js';
import { endLingering } from '../http/linger.js';
import { refuseHttp } from '../http/refuse.js';
import type { WsdlEndpoint } from '../soap/wsdl.js';
import { HOME_POLICY, type HomeLink, type HomeSection, printHome } from './home-page.js';

const HOME_PATH = '/';

const FIELDS = [
  ...['content-type', 'text/html; charset=utf-8'],
  ...['content-security-policy', HOME_POLICY],
  ...['referrer-policy', 'no-referrer'],
  ...['x-content-type-options', 'nosniff'],
  // It depends on who asks.
  ...['cache-control', 'private, no-store'],
];

/** The page `/` for callers; null where the configuration has none, or a route of that path. */
export function makeHomeEndpoint(
  compiled: Compiled,
  graphql: GraphqlEndpoint,
  wsdl: WsdlEndpoint,
): OperationEndpoint | null {
  const { config } = compiled;
  if (!config.home || config.routes.some(({ path }) => path === HOME_PATH)) return null;
  const page = new HomePage(compiled, graphql, wsdl);
  return {
    route: 'home',
    pageFields: { requests: [], answers: [] },
    isFor: (path, { method }) => path === HOME_PATH && (method === 'GET' || method === 'HEAD'),
    answer: (asked) => page.answer(asked),
    refuse: refuseHttp,
  };
}

class HomePage {
  readonly #compiled: Compiled;
  readonly #routes: readonly string[];
  readonly #graphqlNote: string;
  /** The description is of the schema: where that is not told, neither is this. */
  readonly #hasDescription: boolean;
  readonly #graphql: GraphqlEndpoint;
  readonly #wsdl: WsdlEndpoint;
  readonly #rest: CallableOperations;
  readonly #tools: CallableOperations;
  readonly #slices = new TimeSlices();

  constructor(compiled: Compiled, graphql: GraphqlEndpoint, wsdl: WsdlEndpoint) {
    const { rest, mcp, config } = compiled;
    const { graphiql, introspection } = config.graphql;
    const tools: Iterable<DescribedOperation> = mcp?.tools.values() ?? [];
    this.#compiled = compiled;
    this.#routes = config.routes.map(({ path }) => path);
    this.#graphqlNote = graphiql ? 'in a browser GraphiQL' : 'POST';
    this.#hasDescription = introspection;
    this.#graphql = graphql;
    this.#wsdl = wsdl;
    this.#rest = new CallableOperations(graphql, [
      ...(rest?.operations.values() ?? []),
      ...(rest?.routes.all.map(({ described }) => described) ?? []),
    ]);
    this.#tools = new CallableOperations(graphql, tools);
  }

  async answer(asked: HttpExchange): Promise<void> {
    const { caller, exchange, request, response } = asked;
    exchange.operation = 'page';
    authorizeAndChargeOther(caller, true);
    await consultAboutPath(this.#graphql.policy, asked, null, HOME_PATH);
    const html = Buffer.from(printHome(await this.#sections(asked)));
    exchange.bytesOut = html.length;
    const isHead = request.method === 'HEAD';
    endLingering(
      exchange,
      response,
      200,
      [...FIELDS, 'content-length', String(html.length)],
      isHead ? null : html,
    );
  }

  async #sections(asked: HttpExchange): Promise<readonly HomeSection[]> {
    const { rights } = asked.caller.client;
    const { services } = this.#compiled;
    const routes = this.#routes.filter((path) => rights.permitsRoute(path));
    return [
      {
        heading: 'SOAP',
        links: services.flatMap((service) =>
          rights.permitsSome(service.name) ? [this.#serviceLink(service)] : [],
        ),
      },
      { heading: 'GraphQL', links: this.#graphqlLinks(asked) },
      { heading: 'REST', links: await this.#restLinks(asked) },
      { heading: 'Tools for agents (MCP)', links: await this.#toolLinks(asked) },
      { heading: 'Further', links: routes.map((path) => ({ path, text: path, more: [] })) },
    ];
  }

  #serviceLink(service: Compiled['services'][number]): HomeLink {
    const { name, path, dialects } = service;
    const versions = dialects.map((dialect) => dialect.name).join(', ');
    const hasDocument = this.#wsdl.otherPorts.has(service);
    return {
      path,
      text: name,
      note: `POST, SOAP ${versions}`,
      more: hasDocument ? [{ path: `${path}?wsdl`, text: 'WSDL' }] : [],
    };
  }

  #graphqlLinks({ caller }: HttpExchange): readonly HomeLink[] {
    const { graph } = this.#compiled;
    const { rights } = caller.client;
    const isForSome = [...this.#graphql.services.keys()].some((name) => rights.permitsSome(name));
    if (!isForSome) return [];
    return [{ path: graph.path, text: graph.path, note: this.#graphqlNote, more: [] }];
  }

  async #restLinks({ caller }: HttpExchange): Promise<readonly HomeLink[]> {
    const { rest } = this.#compiled;
    if (rest === null || !this.#hasDescription) return [];
    const { operations } = await this.#slices.run(this.#rest.of(caller.client));
    if (operations.size === 0) return [];
    const page = { path: OPENAPI_PAGE, text: 'the operations, to read and to try', more: [] };
    const description = { path: OPENAPI_JSON, text: 'OpenAPI', more: [] };
    return rest.hasPage ? [page, description] : [description];
  }

  async #toolLinks({ caller }: HttpExchange): Promise<readonly HomeLink[]> {
    const { mcp } = this.#compiled;
    if (mcp === null) return [];
    const { operations } = await this.#slices.run(this.#tools.of(caller.client));
    if (operations.size === 0) return [];
    return [{ path: null, text: mcp.path, note: 'POST, Streamable HTTP', more: [] }];
  }
}
