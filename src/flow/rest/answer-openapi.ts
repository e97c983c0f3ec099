import { Refusal } from '../../base/refusals/refusal.js';
import { printOpenApi } from '../../compile/rest/openapi.js';
import type { RestTable } from '../../compile/rest/rest-table.js';
import { printYaml } from '../../config/source/yaml-source.js';
import { authorizeAndChargeOther } from '../calls/authorize.js';
import { consultAboutPath } from '../calls/consult-policy.js';
import type { HttpExchange } from '../calls/http-exchange.js';
import type { GraphqlEndpoint } from '../graphql/endpoint.js';
import { mayCall } from '../graphql/may-call.js';
import { sendAnswer } from '../graphql/send-answer.js';
import { REST_ACCEPTED } from './answer-rest.js';

/** The addresses of the description, with the media types of what they answer. */
export const OPENAPI_PATHS: ReadonlyMap<string, string> = new Map([
  ['/rest/openapi.json', 'application/json; charset=utf-8'],
  ['/rest/openapi.yaml', 'application/yaml; charset=utf-8'],
]);

/** The last description of each form: most callers have the same rights. */
interface Printed {
  readonly paths: string;
  readonly text: string;
}

/** Answers with the description of all operations that a client may call. */
export class OpenApiAnswers {
  readonly #endpoint: GraphqlEndpoint;
  readonly #table: RestTable;
  readonly #printed = new Map<string, Printed>();

  constructor(endpoint: GraphqlEndpoint, table: RestTable) {
    this.#endpoint = endpoint;
    this.#table = table;
  }

  /** Rejects with `HTTP_NOT_FOUND` where names of the schema are not told, or with `HTTP_METHOD`. */
  async answer(asked: HttpExchange, path: string): Promise<void> {
    const { caller, exchange, request } = asked;
    const endpoint = this.#endpoint;
    if (!endpoint.operations.admission.introspection)
      throw new Refusal('HTTP_NOT_FOUND', null, { found: path });
    if (request.method !== 'GET' && request.method !== 'HEAD') throw new Refusal('HTTP_METHOD');
    exchange.operation = 'openapi';
    authorizeAndChargeOther(caller, true);
    await consultAboutPath(endpoint.policy, asked, null, path);
    const type = OPENAPI_PATHS.get(path) ?? '';
    const headers = { 'content-type': type, 'x-content-type-options': 'nosniff' };
    const body = this.#print(caller.client, path);
    await sendAnswer(
      endpoint,
      asked,
      { status: 200, headers, body },
      { accepted: REST_ACCEPTED, workMillis: () => 0 },
    );
  }

  #print(client: HttpExchange['caller']['client'], path: string): string {
    const { operations, routes, frame } = this.#table;
    const allowed = new Map(
      [...operations].filter(([, each]) => mayCall(this.#endpoint, client, each)),
    );
    const own = routes.all.filter(({ described }) => mayCall(this.#endpoint, client, described));
    const paths = [...allowed.keys(), ...own.map(({ method, template }) => method + template)].join(
      ' ',
    );
    const known = this.#printed.get(path);
    if (known?.paths === paths) return known.text;
    const document = printOpenApi(frame, allowed, own);
    const text = path.endsWith('.json') ? JSON.stringify(document, null, 2) : printYaml(document);
    this.#printed.set(path, { paths, text });
    return text;
  }
}
