import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { importWsdl } from '../../src/cli/import/import.js';
import { makeMockServer } from '../../src/cli/mock/mock.js';
import { sampleOf } from '../../src/console/sample.js';
import { ConfigurationError } from '../../src/core/diagnostic.js';
import { pageExample } from '../../src/flow/graphql/page-example.js';
import {
  exampleOfOperation,
  validArguments,
} from '../../src/graphql/schema/docs/example-arguments.js';
import { ExampleOperations } from '../../src/graphql/schema/docs/example-operation.js';
import { rootOf } from '../../src/graphql/schema/types/roots.js';
import type { WsdlModel } from '../../src/wsdl/model.js';
import { readWsdl } from '../../src/wsdl/read.js';
import type { TestGateway } from '../kit/gateway.js';
import { askGraphql, postJson } from '../kit/graphql-client.js';
import { type Closing, useFolder, useGateway } from '../kit/use.js';
import { FILES } from '../wsdl/written.js';

/** Examples that the gateway writes for a WSDL, sent to itself in front of a mock of it. */

/** How one example was answered: with an error, or null. */
interface FedResult {
  readonly from: 'docs' | 'console' | 'page' | 'OpenAPI' | 'tools';
  readonly operation: string;
  readonly error: string | null;
}

export interface FedBack {
  /** Null: no operation of the WSDL can be called. */
  readonly folder: string;
  readonly results: readonly FedResult[];
  /** Messages that the backend got. */
  readonly requests: readonly string[];
  /** The bytes of the whole answer to `tools/list`. */
  readonly listBytes: number;
}

const SILENT = { out: () => {}, error: () => {} };

const LIMITS = 'limits: { graphql: { depth: 20, cost: 1000000, tokens: 20000 } }';

/**
 * Imports the WSDL, starts the configuration that was written, and sends each example. Null where
 * no operation can be called.
 */
export async function feedBack(t: Closing, wsdl: string): Promise<FedBack | null> {
  const requests: string[] = [];
  const folder = await useFolder(t);
  const options = { directory: folder, name: null, ports: [], force: false, json: false };
  const addresses = {
    listen: '127.0.0.1:0',
    admin: '127.0.0.1:0',
    more: [LIMITS],
    hasRestAndTools: true,
  };
  try {
    if ((await importWsdl(wsdl, { ...options, addresses }, SILENT)) !== 0) return null;
  } catch (error) {
    if (error instanceof ConfigurationError) return null;
    throw error;
  }
  const written = await readFile(join(folder, 'soapstone.yaml'), 'utf8');
  const [, copy = ''] = /^ +wsdl: (.*)$/m.exec(written) ?? [];
  const model = await readWsdl(join(folder, copy.replaceAll('"', '')), FILES);
  const url = await useRecordingMock(t, model, requests);
  const yaml = written.replaceAll(/^( +url:) .*$/gm, `$1 ${url}`);
  const gateway = await useGateway(t, yaml, folder);
  const results = [
    ...(await feedGraphql(gateway)),
    ...(await feedOpenApi(gateway)),
    ...(await feedTools(gateway)),
  ];
  const listBytes = await toolsListBytes(gateway);
  await gateway.close();
  return { folder, results, requests, listBytes };
}

async function useRecordingMock(t: Closing, model: WsdlModel, into: string[]): Promise<string> {
  const server = makeMockServer(model, { answers: null, texts: null });
  server.prependListener('request', (request) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => into.push(Buffer.concat(chunks).toString()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Asks the examples of `docs`, those of the console, and the query that GraphiQL begins with. */
async function feedGraphql(gateway: TestGateway): Promise<readonly FedResult[]> {
  const compiled = gateway.compiled();
  const { schema, fields } = compiled.graph;
  const examples = new ExampleOperations(schema);
  const results: FedResult[] = [];
  const ask = async (from: FedResult['from'], operation: string, document: string) => {
    const { errors } = await askGraphql(gateway.url, document);
    results.push({ from, operation, error: errors?.[0]?.message ?? null });
  };
  await ask('page', '', pageExample(compiled));
  for (const [operation, bound] of fields) {
    const { parent, name } = bound;
    const field = parent === 'Subscription' ? undefined : rootOf(schema, parent)?.getFields()[name];
    const service = compiled.services.find((each) => each.name === bound.service);
    if (parent === 'Subscription' || field === undefined || service === undefined) continue;
    await ask('docs', operation, examples.of(parent, field, validArguments(bound)).document);
    const { query } = sampleOf(compiled, service, bound.operation, bound);
    if (query !== null) await ask('console', operation, query);
  }
  return results;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly example?: unknown;
}
interface OpenApiOperation {
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { example: unknown } };
  };
}
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
}

async function feedOpenApi({ url }: TestGateway): Promise<readonly FedResult[]> {
  const described = await fetch(`${url}/rest/openapi.json`);
  if (described.status === 404) return [];
  const { paths } = (await described.json()) as OpenApi;
  const results: FedResult[] = [];
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const query = queryOf(operation.parameters);
      const body = operation.requestBody?.content['application/json'].example;
      const answer =
        method === 'get' ? await fetch(`${url}${path}${query}`) : await postJson(url + path, body);
      const text = await answer.text();
      const error = answer.ok ? null : `${answer.status} ${text} ${JSON.stringify(body) ?? query}`;
      results.push({ from: 'OpenAPI', operation: `${method} ${path}`, error });
    }
  }
  return results;
}

/** The examples of parameters: lists by repetition, objects by members in brackets. */
function queryOf(parameters: readonly Parameter[]): string {
  const query = new URLSearchParams();
  for (const { in: where, name, example } of parameters) {
    if (where !== 'query' || example === undefined) continue;
    if (Array.isArray(example)) {
      for (const item of example) query.append(name, String(item));
    } else if (typeof example === 'object' && example !== null) {
      for (const [key, value] of Object.entries(example))
        query.append(`${name}[${key}]`, String(value));
    } else {
      query.append(name, String(example));
    }
  }
  return query.size === 0 ? '' : `?${query}`;
}

/** 0 where there are no tools. */
async function toolsListBytes(gateway: TestGateway): Promise<number> {
  if (gateway.compiled().mcp === null) return 0;
  const answer = await askTools(gateway, 'tools/list', {});
  return (await answer.arrayBuffer()).byteLength;
}

const askTools = (gateway: TestGateway, method: string, params: object): Promise<Response> =>
  postJson(
    `${gateway.url}${gateway.compiled().mcp?.path}`,
    { jsonrpc: '2.0', id: 1, method, params },
    { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
  );

async function feedTools(gateway: TestGateway): Promise<readonly FedResult[]> {
  const { mcp, rest } = gateway.compiled();
  const results: FedResult[] = [];
  for (const [name, { field }] of mcp?.tools ?? []) {
    const described = [...(rest?.operations.values() ?? [])].find((each) => each.field === field);
    if (described === undefined) continue;
    const params = { name, arguments: exampleOfOperation(described) };
    const answer = await askTools(gateway, 'tools/call', params);
    const { result, error } = (await answer.json()) as {
      result?: { isError?: boolean; content?: readonly unknown[] };
      error?: unknown;
    };
    const isWrong = error !== undefined || result?.isError === true;
    results.push({
      from: 'tools',
      operation: name,
      error: isWrong ? JSON.stringify(error ?? result).slice(0, 500) : null,
    });
  }
  return results;
}

/** The first child of Body with the namespaces around it; '' for none. */
export function bodyOf(envelope: string): string {
  const [, start = '', content = ''] =
    /<(?:\w+:)?Envelope([^>]*)>.*?<(?:\w+:)?Body[^>]*>(.*)<\/(?:\w+:)?Body>/s.exec(envelope) ?? [];
  const own = /^<[^>]*>/.exec(content)?.[0] ?? '';
  const more = [...start.matchAll(/ xmlns:[\w.-]+="[^"]*"/g)]
    .map(([text]) => text)
    .filter((text) => !own.includes(text.split('=')[0] ?? ''));
  return content.replace(/^<[\w:.-]+/, (name) => name + more.join(''));
}
