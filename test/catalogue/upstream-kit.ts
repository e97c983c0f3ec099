import type { Socket } from 'node:net';
import type { Test } from 'tap';

import { DIALECTS, type DialectName } from '../../src/soap/dialect.js';
import { type ScriptedBackend, startScriptedBackend } from '../kit/backend.js';
import type { TestGateway } from '../kit/gateway.js';
import { askGraphql, TYPED } from '../kit/graphql-client.js';
import { post, type RawReply, sendRaw } from '../kit/raw-client.js';
import { useFolder, useGateway } from '../kit/use.js';
import { contentTypeOf } from './messages.js';

/**
 * Two operations that could be mistaken for each other, one that nobody answers, and a declared
 * Fault.
 */
export const WSDL = `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" \
xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
  xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:o="urn:o" targetNamespace="urn:o">
<types><x:schema targetNamespace="urn:o" elementFormDefault="qualified">
${['GetOrder', 'GetOrderResponse', 'DropOrder', 'DropOrderResponse', 'NoteOrder', 'BadOrder']
  .map(
    (name) =>
      `<x:element name="${name}"><x:complexType><x:sequence><x:element name="id" type="x:string" \
minOccurs="${name.endsWith('Response') ? 1 : 0}"/></x:sequence></x:complexType></x:element>`,
  )
  .join('\n')}
</x:schema></types>
${['GetOrder', 'GetOrderResponse', 'DropOrder', 'DropOrderResponse', 'NoteOrder', 'BadOrder']
  .map((name) => `<message name="${name}"><part name="p" element="o:${name}"/></message>`)
  .join('\n')}
<portType name="P">
${['GetOrder', 'DropOrder']
  .map(
    (name) =>
      `<operation name="${name}"><input message="o:${name}"/><output message="o:${name}Response"/>\
<fault name="BadOrder" message="o:BadOrder"/></operation>`,
  )
  .join('\n')}
<operation name="NoteOrder"><input message="o:NoteOrder"/></operation></portType>
<binding name="B" type="o:P"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/>
${['GetOrder', 'DropOrder', 'NoteOrder']
  .map(
    (name) =>
      `<operation name="${name}"><s:operation soapAction=""/><input><s:body use="literal"/></input>\
${name === 'NoteOrder' ? '' : '<output><s:body use="literal"/></output><fault name="BadOrder"><s:fault name="BadOrder" use="literal"/></fault>'}</operation>`,
  )
  .join('\n')}
</binding>
<service name="S"><port name="P" binding="o:B"><s:address location="http://backend.invalid/"/>\
</port></service>
</definitions>`;

export type Script = (socket: Socket, request: string) => void;

/**
 * A gateway before a backend that does as it is told; `orders` has a WSDL, `s11`, `s12` and
 * `s200112` have none.
 */
export interface Scripted {
  readonly backend: ScriptedBackend;
  readonly gateway: TestGateway;
  /** Connections that the backend accepted so far. */
  connections(): number;
  /** Requests that the backend read so far. */
  requests(): number;
  play(script: Script): void;
  /** Asks for an operation of `orders`, or `Ping` of a service without a WSDL. */
  ask(operation: string, options?: AskOptions): Promise<RawReply>;
  graphql(
    query: string,
  ): Promise<{ readonly errors?: readonly { readonly extensions: { readonly code: string } }[] }>;
}

export interface AskOptions {
  readonly dialect?: DialectName;
  readonly service?: string;
  readonly header?: string;
}

export interface ScriptedOptions {
  /** Further lines of each service, indented by four. */
  readonly perService?: string;
  /** Of `limits.upstream`, in flow style. */
  readonly limits?: string;
  /** More of the configuration. */
  readonly more?: string;
  /** Instead of the backend's. */
  readonly url?: string;
}

export async function startScripted(t: Test, options: ScriptedOptions = {}): Promise<Scripted> {
  let script: Script = (socket) => socket.destroy();
  const seen = new Set<Socket>();
  let requests = 0;
  const backend = await startScriptedBackend((socket, request) => {
    seen.add(socket);
    requests++;
    script(socket, request);
  });
  const directory = await useFolder(t, { 'o.wsdl': WSDL });
  const {
    perService = '',
    limits = 'breakerFailures: 0',
    more = '',
    url = `${backend.url}/base`,
  } = options;
  const service = (name: string, versions: string, rest: string): string =>
    `  ${name}:\n    url: ${url}\n    versions: [${versions}]\n${rest}${perService}`;
  const described =
    '    wsdl: o.wsdl\n    operations: { GetOrder: { field: Query.order, idempotent: ' +
    'true }, DropOrder: { field: Mutation.drop } }\n';
  const gateway = await useGateway(
    t,
    `services:\n${service('s11', '"1.1"', '')}${service('s12', '"1.2"', '')}` +
      `${service('s200112', '"2001-12"', '')}` +
      `${service('orders', '"1.1", "1.2"', described)}limits:\n` +
      `  upstream: { ${limits} }\n${more}`,
    directory,
  );
  t.teardown(() => backend.close());
  return {
    backend,
    gateway,
    connections: () => seen.size,
    requests: () => requests,
    play(next) {
      script = next;
    },
    ask: (operation, options = {}) => sendRaw(gateway.url, requestOf(operation, options)),
    async graphql(query) {
      return askGraphql(gateway.url, query, {}, TYPED);
    },
  };
}

/** The bytes of a request as `ask` sends them. */
export function requestOf(operation: string, options: AskOptions = {}): Buffer {
  const { dialect = '1.1', header = '' } = options;
  const path =
    options.service ?? (operation === 'Ping' ? `s${dialect.replaceAll(/[^0-9]/g, '')}` : 'orders');
  const uri = operation === 'Ping' ? 'urn:m' : 'urn:o';
  return post(
    `/soap/${path}`,
    contentTypeOf(dialect),
    envelope(`<o:${operation} xmlns:o="${uri}"/>`, dialect, header),
  );
}

export const envelope = (content: string, dialect: DialectName = '1.1', header = ''): string => {
  const { envelopeUri, encodingUri } = DIALECTS[dialect];
  const head = header === '' ? '' : `<E:Header>${header}</E:Header>`;
  return (
    `<E:Envelope xmlns:E="${envelopeUri}" xmlns:c="${encodingUri}">${head}<E:Body>` +
    `${content}</E:Body></E:Envelope>`
  );
};

export const answerOf = (operation: string): string =>
  `<o:${operation}Response xmlns:o="${operation === 'Ping' ? 'urn:m' : 'urn:o'}">` +
  `<o:id>7</o:id></o:${operation}Response>`;

/** A complete answer on the wire. `fields` replace or add header fields; null leaves one away. */
export function http(
  body: string | Buffer,
  fields: Readonly<Record<string, string | null>> = {},
  status = '200 OK',
): Buffer {
  const bytes = Buffer.from(body);
  const all: Record<string, string | null> = {
    'Content-Type': 'text/xml; charset=utf-8',
    'Content-Length': String(bytes.length),
    ...fields,
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${value}\r\n`],
  );
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`, 'latin1'),
    bytes,
  ]);
}

/** Resolves when the backend has lost the connection. */
export const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.destroyed) resolve();
    else socket.once('close', () => resolve());
  });

export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
