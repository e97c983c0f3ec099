import { answerWith, type RecordingBackend } from './backend.js';
import { envelope } from './envelope.js';
import { postJson } from './graphql-client.js';
import { type Closing, useFolder, useService } from './use.js';
import { element, wrapper, wsdlOf } from './wsdl.js';

/** An answer of one endpoint, in the form that is the same for all four. */
export interface EndpointAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export const ENDPOINTS = ['soap', 'graphql', 'rest', 'mcp'] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

const ITEM = element('name', 'xs:string') + element('count', 'xs:int', 'minOccurs="0"');
const ID = element('id', 'xs:int');

/**
 * Operations: one that reads, one without a result whose output is an empty type, one with an
 * optional result.
 */
export const REPLY_WSDL = wsdlOf(
  'urn:t',
  [
    ...[wrapper('GetItem', ID), wrapper('GetItemResponse', ITEM)],
    ...[wrapper('Deactivate', ID), wrapper('DeactivateResponse')],
    ...[
      wrapper('Rename', ID),
      wrapper('RenameResponse', element('note', 'xs:string', 'minOccurs="0"')),
    ],
  ].join(''),
  ['GetItem', 'Deactivate', 'Rename'],
);

/** An item as the WSDL declares it. */
export const item = (name = 'nail'): string =>
  `<t:GetItemResponse xmlns:t="urn:t"><t:name>${name}</t:name>` +
  '<t:count>7</t:count></t:GetItemResponse>';

export type ReplyDesk = Awaited<ReturnType<typeof startReplyDesk>>;

/**
 * A gateway that offers one service over SOAP, GraphQL, REST and MCP. `keys`: of the service;
 * `more`: of the file.
 */
export async function startReplyDesk(
  t: Closing,
  {
    keys = '',
    more = '',
    answer = answerWith(envelope(item())),
    wsdl = REPLY_WSDL,
  }: {
    keys?: string;
    more?: string;
    answer?: RecordingBackend['answer'];
    wsdl?: string;
  } = {},
) {
  const folder = await useFolder(t, { 'hr.wsdl': wsdl });
  const yaml = (url: string): string =>
    `services:\n  hr:\n    wsdl: hr.wsdl\n    url: ${url}/h\n    rest: true\n${keys}` +
    `mcp: { operations: [hr.GetItem], write: [hr.Deactivate, hr.Rename] }\n` +
    (more.includes('limits:') ? more : `limits: { upstream: { breakerFailures: 1000 } }\n${more}`);
  const service = await useService(t, answer, yaml, folder);
  const { url } = service.gateway;
  const calls: Record<
    Endpoint,
    (operation: string, headers: Record<string, string>) => Promise<Response>
  > = {
    soap: (operation, headers) =>
      service.send(
        envelope(`<t:${operation} xmlns:t="urn:t"><t:id>7</t:id></t:${operation}>`),
        headers,
      ),
    graphql: (operation, headers) => {
      const field = operation.charAt(0).toLowerCase() + operation.slice(1);
      const query =
        operation === 'GetItem'
          ? '{ getItem(id: 7) { name count } }'
          : `mutation { ${field}(id: 7) }`;
      return postJson(`${url}/graphql`, { query }, headers);
    },
    rest: (operation, headers) => postJson(`${url}/rest/hr/${operation}`, { id: 7 }, headers),
    mcp: (operation, headers) => {
      const name = operation.charAt(0).toLowerCase() + operation.slice(1);
      const params = { name, arguments: { id: 7 } };
      return postJson(
        `${url}/mcp`,
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
        { accept: 'application/json, text/event-stream', ...headers },
      );
    },
  };
  return {
    ...service,
    async call(
      endpoint: Endpoint,
      operation = 'GetItem',
      headers: Record<string, string> = {},
    ): Promise<EndpointAnswer> {
      const response = await calls[endpoint](operation, headers);
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
    /** The access line of the last request, once it is written. */
    async lastLine() {
      const lines = service.gateway.logLines().filter(({ msg }) => msg === 'request');
      return lines.at(-1) ?? {};
    },
  };
}
