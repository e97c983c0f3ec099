import { Buffer } from 'node:buffer';
import type { Test } from 'tap';
import { answerWith, type RecordedMessage } from '../kit/backend.js';
import { useBackend, useFolder, useGateway } from '../kit/use.js';

type Binding = '1.1' | '1.2';

const BINDINGS: Readonly<Record<Binding, string>> = {
  '1.1': 'http://schemas.xmlsoap.org/wsdl/soap/',
  '1.2': 'http://schemas.xmlsoap.org/wsdl/soap12/',
};

const ENVELOPES: Readonly<Record<Binding, string>> = {
  '1.1': 'http://schemas.xmlsoap.org/soap/envelope/',
  '1.2': 'http://www.w3.org/2003/05/soap-envelope',
};

/** The types of content: base64, and the two ways in which gSOAP declares an Include. */
const TYPES = `
  <xs:complexType name="Included"><xs:sequence><xs:element ref="xop:Include" minOccurs="1" maxOccurs="1"/></xs:sequence>
    <xs:attribute ref="xmime:contentType"/></xs:complexType>
  <xs:complexType name="Typed"><xs:simpleContent><xs:extension base="xs:base64Binary"><xs:attribute ref="xmime:contentType"/></xs:extension></xs:simpleContent></xs:complexType>
  <xs:simpleType name="Short"><xs:restriction base="xs:base64Binary"><xs:maxLength value="4"/></xs:restriction></xs:simpleType>`;

const element = (name: string, type: string): string => `<xs:element name="${name}" type="${type}" minOccurs="0"/>`;

export const fileWsdl = (
  binding: Binding = '1.1',
  policy = '',
): string => `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="${BINDINGS[binding]}" xmlns:d="urn:d"
  xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xop="http://www.w3.org/2004/08/xop/include" xmlns:xmime="http://www.w3.org/2005/05/xmlmime" targetNamespace="urn:d"><types>
  <xs:schema targetNamespace="urn:d" elementFormDefault="qualified"><xs:import namespace="http://www.w3.org/2004/08/xop/include"/><xs:import namespace="http://www.w3.org/2005/05/xmlmime"/>${TYPES}
  <xs:element name="Save"><xs:complexType><xs:sequence>
    ${element('name', 'xs:string')}${element('content', 'xs:base64Binary')}${element('second', 'xs:base64Binary')}
    ${element('included', 'd:Included')}${element('typed', 'd:Typed')}${element('short', 'd:Short')}
    <xs:element name="many" type="xs:base64Binary" minOccurs="0" maxOccurs="unbounded"/>
  </xs:sequence></xs:complexType></xs:element>
  <xs:element name="SaveResponse"><xs:complexType><xs:sequence><xs:element name="size" type="xs:int" minOccurs="0"/></xs:sequence></xs:complexType></xs:element></xs:schema></types>
  <message name="Save"><part name="p" element="d:Save"/></message><message name="SaveResponse"><part name="p" element="d:SaveResponse"/></message>
  <portType name="Files"><operation name="Save"><input message="d:Save"/><output message="d:SaveResponse"/></operation></portType>
  <binding name="Files" type="d:Files">${policy}<soap:binding transport="http://schemas.xmlsoap.org/soap/http"/><operation name="Save"><soap:operation soapAction="urn:d/Save"/>
    <input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation></binding>
  <service name="Files"><port name="Files" binding="d:Files"><soap:address location="http://h/"/></port></service></definitions>`;

export const savedReply = (size: number, binding: Binding = '1.1'): string =>
  `<E:Envelope xmlns:E="${ENVELOPES[binding]}"><E:Body><SaveResponse xmlns="urn:d"><size>${size}</size></SaveResponse></E:Body></E:Envelope>`;

/** A service that saves files. `keys`: further keys of the service, `more`: of the gateway. */
export async function startFileDesk(
  t: Test,
  keys = 'mtom: true',
  more = '',
  binding: Binding = '1.1',
  mapping: string | null = null,
) {
  const type = binding === '1.1' ? 'text/xml; charset=utf-8' : 'application/soap+xml; charset=utf-8';
  const backend = await useBackend(t, answerWith(savedReply(7, binding), type));
  const folder = await useFolder(t, { 'files.wsdl': fileWsdl(binding) });
  const gateway = await useGateway(
    t,
    `services: { files: { wsdl: ${folder}/files.wsdl, url: "${backend.url}/f", versions: ["${binding}"], operations: { Save: { ${mapping === '' ? 'field: Query.save' : `field: Mutation.save, ${mapping ?? ''}`} } }, ${keys} } }\n${more}`,
  );
  return { backend, gateway };
}

interface ReadPart {
  readonly fields: ReadonlyMap<string, string>;
  readonly content: Buffer;
}

/** A package, read without the code of the gateway: parts by Content-ID, the first of them the root. */
export function readPackage({ headers, body }: Pick<RecordedMessage, 'headers' | 'body'>): readonly ReadPart[] {
  const [, boundary = ''] = /boundary="([^"]+)"/.exec(String(headers['content-type'])) ?? [];
  const text = body.toString('latin1');
  const pieces = `\r\n${text}`.split(`\r\n--${boundary}`);
  if (pieces[0] !== '' || pieces.at(-1) !== '--\r\n') throw new Error('no package');
  return pieces.slice(1, -1).map((piece) => {
    const end = piece.indexOf('\r\n\r\n');
    const fields = piece
      .slice(2, end)
      .split('\r\n')
      .map((line): [string, string] => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 2),
      ]);
    return { fields: new Map(fields), content: Buffer.from(piece.slice(end + 4), 'latin1') };
  });
}

/** The bytes of the element `name` of an envelope in a package, and the media type of its part. */
export function includedIn(message: Pick<RecordedMessage, 'headers' | 'body'>, name: string) {
  const [root, ...others] = readPackage(message);
  const found = new RegExp(`<\\w+:${name}\\b[^>]*><xop:Include href="cid:([^"]+)"/></\\w+:${name}>`).exec(
    root?.content.toString() ?? '',
  );
  const part = others.find(({ fields }) => fields.get('content-id') === `<${found?.[1]}>`);
  if (part === undefined) throw new Error(`no part for ${name}: ${root?.content}`);
  return { content: part.content, type: part.fields.get('content-type') };
}
