import type { Buffer } from 'node:buffer';
import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import type { Client } from '../../access/client.js';
import { OpenApiPrinter } from '../../compile/rest/openapi.js';
import type { OpenApiForm } from '../../compile/rest/openapi-text.js';
import type { RestTable } from '../../compile/rest/rest-table.js';
import { OPENAPI_JSON, OPENAPI_YAML } from '../../config/rest/rest-rules.js';
import {
  Cancellation,
  type CancelSignal,
  collections,
  Refusal,
  TimeSlices,
} from '../../core/index.js';
import { isCompressible } from '../../gateway/compress.js';
import { admission } from '../../graphql/index.js';
import { charge } from '../calls/authorize.js';
import { consultAboutPath } from '../calls/consult-policy.js';
import type { HttpExchange } from '../calls/http-exchange.js';
import { CallableOperations } from '../graphql/callable-operations.js';
import type { GraphqlEndpoint } from '../graphql/endpoint.js';
import { sendAnswer } from '../graphql/send-answer.js';
import { mayCompress } from '../http/may-compress.js';
import { REST_ACCEPTED } from './answer-rest.js';

/** The form of the description at each of its addresses. */
export const OPENAPI_PATHS: ReadonlyMap<string, OpenApiForm> = new Map([
  [OPENAPI_JSON, 'json'],
  [OPENAPI_YAML, 'yaml'],
]);

const MEDIA_TYPES: Readonly<Record<OpenApiForm, string>> = {
  json: 'application/json; charset=utf-8',
  yaml: 'application/yaml; charset=utf-8',
};

const compressed = promisify(gzip);
const expanded = promisify(gunzip);
const OPTIONS = { level: constants.Z_BEST_SPEED };

/** A description as it is kept: compressed it takes a twentieth. */
interface KeptDescription {
  readonly gzipped: Buffer;
  /** Without compression. */
  readonly bytes: number;
}

/**
 * Answers with the description of all operations that a client may call. It is kept for each set of
 * operations, since that of thousands of operations takes a second.
 */
export class OpenApiAnswers {
  readonly #endpoint: GraphqlEndpoint;
  readonly #table: RestTable;
  readonly #callable: CallableOperations;
  readonly #printers: Readonly<Record<OpenApiForm, OpenApiPrinter>>;
  readonly #descriptions: collections.SharedMaking<KeptDescription>;
  readonly #slices = new TimeSlices();

  constructor(endpoint: GraphqlEndpoint, table: RestTable) {
    const { operations, routes, frame, descriptionBytes } = table;
    this.#endpoint = endpoint;
    this.#table = table;
    this.#callable = new CallableOperations(endpoint, [
      ...operations.values(),
      ...routes.all.map(({ described }) => described),
    ]);
    this.#printers = {
      json: new OpenApiPrinter(frame, 'json', descriptionBytes),
      yaml: new OpenApiPrinter(frame, 'yaml', descriptionBytes),
    };
    this.#descriptions = new collections.SharedMaking(
      new collections.BoundedCache({
        size: descriptionBytes,
        sizeOf: ({ gzipped }, key) => gzipped.length + key.length,
      }),
    );
  }

  /**
   * Rejects with `HTTP_NOT_FOUND` where names of the schema are not told, or with `HTTP_METHOD`.
   */
  async answer(asked: HttpExchange, path: string): Promise<void> {
    const { caller, exchange, request } = asked;
    const endpoint = this.#endpoint;
    const { introspection, limits, schema } = endpoint.operations.admission;
    if (!introspection) throw new Refusal('HTTP_NOT_FOUND', null, { found: path });
    if (request.method !== 'GET' && request.method !== 'HEAD') throw new Refusal('HTTP_METHOD');
    exchange.operation = 'openapi';
    await admission.prepareWholeCount(schema);
    charge(caller, admission.introspectionPoints(admission.wholeSchemaFields(schema), limits.cost));
    await consultAboutPath(endpoint.policy, asked, null, path);
    const form = OPENAPI_PATHS.get(path) ?? 'json';
    const headers = { 'content-type': MEDIA_TYPES[form], 'x-content-type-options': 'nosniff' };
    const departure = new Cancellation();
    asked.ending.onGone(() => departure.abort());
    const { gzipped, bytes } = await this.#description(caller.client, form, departure);
    const isGzipped = isCompressible(bytes) && mayCompress(request, caller.client);
    const body = isGzipped ? gzipped : await expanded(gzipped);
    asked.ending.throwIfGone();
    await sendAnswer(
      endpoint,
      asked,
      { status: 200, headers, body, isGzipped },
      { accepted: REST_ACCEPTED, workMillis: () => 0 },
    );
  }

  async #description(
    client: Client,
    form: OpenApiForm,
    signal: CancelSignal,
  ): Promise<KeptDescription> {
    const { key, operations: callable } = await this.#slices.run(this.#callable.of(client));
    return this.#descriptions.get(`${form} ${key}`, signal, async () => {
      const { operations, routes } = this.#table;
      const offered = {
        operations: new Map([...operations].filter(([, each]) => callable.has(each))),
        routes: routes.all.filter(({ described }) => callable.has(described)),
      };
      const text = await this.#slices.run(this.#printers[form].print(offered));
      return { gzipped: await compressed(text, OPTIONS), bytes: text.length };
    });
  }
}
