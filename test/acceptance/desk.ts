import type { Test } from 'tap';
import type { GraphqlAnswer } from '../kit/answers.js';
import { answerWith, type RecordingBackend } from '../kit/backend.js';
import { MEDIA, SOAP, type Version } from '../kit/envelope.js';
import type { TestGateway } from '../kit/gateway.js';
import { askGraphql, TYPED } from '../kit/graphql-client.js';
import { useFolder, useService } from '../kit/use.js';
import { wrapper } from '../kit/wsdl.js';

/**
 * A gateway made from a WSDL in front of a backend that answers what a test says: what a user of
 * the case would see.
 */
export interface Desk {
  readonly backend: RecordingBackend;
  readonly gateway: TestGateway;
  /** Asks in GraphQL; the backend answers `body` in an envelope. */
  ask(
    query: string,
    body: string,
    variables?: Readonly<Record<string, unknown>>,
  ): Promise<GraphqlAnswer>;
  /** The last envelope the backend got, without white space between its parts. */
  sent(): string;
}

/** An envelope as backends write them, with the prefixes that `body` may use. */
export const envelope = (body: string, version: Version = '1.1'): string =>
  `<?xml version="1.0" encoding="utf-8"?><S:Envelope xmlns:S="${SOAP[version]}" ` +
  'xmlns:t="urn:t" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ' +
  `xmlns:xs="http://www.w3.org/2001/XMLSchema"><S:Body>${body}</S:Body></S:Envelope>`;

/** A mapping of the operation to a query of its name. */
export const FIELDS = '    operations: { Get: { field: Query.get } }\n';

/**
 * Starts both. `wsdl`: the file, or with others that it imports, by name; `more` are keys of the
 * service.
 */
export async function startDesk(
  t: Test,
  wsdl: string | Readonly<Record<string, string>>,
  more = '',
  version: Version = '1.1',
): Promise<Desk> {
  const folder = await useFolder(t, typeof wsdl === 'string' ? { 'desk.wsdl': wsdl } : wsdl);
  const yaml = (url: string): string =>
    `${unstartedDesk(`${url}/desk`)}    versions: ["${version}"]\n${more}`;
  const { backend, gateway } = await useService(t, answerWith(''), yaml, folder);
  return {
    backend,
    gateway,
    async ask(query, body, variables = {}) {
      backend.answer = answerWith(envelope(body, version), MEDIA[version]);
      return graphql(gateway, query, variables);
    },
    sent: () => backend.complete.at(-1)?.body.toString().replace(/>\s+</g, '><') ?? '',
  };
}

/** The configuration of the service, for what is added to it. */
export const unstartedDesk = (url = 'http://127.0.0.1:9/'): string =>
  `services:\n  desk:\n    wsdl: desk.wsdl\n    url: ${url}\n`;

/** Asks in GraphQL, whatever the backend answers. */
export const graphql = (
  gateway: TestGateway,
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
): Promise<GraphqlAnswer> => askGraphql(gateway.url, query, variables, TYPED);

const HEAD = `xmlns="http://schemas.xmlsoap.org/wsdl/" \
xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
 xmlns:soap12="http://schemas.xmlsoap.org/wsdl/soap12/" \
xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t"`;

export interface Parts {
  /** Schemas, whole; or what is in the schema of `urn:t` beside the elements of the operation. */
  readonly schemas?: string;
  readonly types?: string;
  /** What the request and the reply hold, as particles of a sequence. */
  readonly request?: string;
  readonly reply?: string;
  /** The local elements are qualified; they are unless said. */
  readonly qualified?: boolean;
  readonly messages?: string;
  readonly fault?: string;
  readonly version?: Version;
  readonly action?: string;
  readonly input?: string;
  readonly output?: string;
  readonly head?: string;
}

/** A WSDL with one operation `Get` in document/literal wrapped style. */
export function desk(parts: Parts = {}): string {
  const { version = '1.1', qualified = true, action = 'urn:t/Get', fault = '' } = parts;
  const soap = version === '1.1' ? 'soap' : 'soap12';
  const schema = `<xs:schema targetNamespace="urn:t" \
elementFormDefault="${qualified ? '' : 'un'}qualified">
${wrapper('Get', parts.request ?? '<xs:element name="id" type="xs:int" minOccurs="0"/>')}
${wrapper('GetResponse', parts.reply ?? '<xs:element name="result" type="xs:string"/>')}
${parts.types ?? ''}</xs:schema>`;
  const faultMessage =
    fault === ''
      ? ''
      : `<message name="Failed"><part name="detail" element="t:${fault}"/></message>`;
  const declared = fault === '' ? '' : `<fault name="${fault}" message="t:Failed"/>`;
  const bound =
    fault === ''
      ? ''
      : `<fault name="${fault}"><${soap}:fault name="${fault}" use="literal"/></fault>`;
  return `<definitions targetNamespace="urn:t" ${HEAD} ${parts.head ?? ''}>
<types>${parts.schemas ?? schema}</types>
<message name="In"><part name="p" element="t:Get"/></message><message name="Out">\
<part name="p" element="t:GetResponse"/></message>
${faultMessage}${parts.messages ?? ''}
<portType name="P"><operation name="Get"><input message="t:In"/><output message="t:Out"/>\
${declared}</operation></portType>
<binding name="B" type="t:P"><${soap}:binding transport="http://schemas.xmlsoap.org/soap/http"/>
<operation name="Get"><${soap}:operation soapAction="${action}"/><input>${parts.input ?? ''}\
<${soap}:body use="literal"/></input><output>${parts.output ?? ''}<${soap}:body use="literal"/>\
</output>${bound}</operation></binding>
<service name="Desk"><port name="Soap" binding="t:B">\
<${soap}:address location="http://internal.example/desk"/></port></service>
</definitions>`;
}
