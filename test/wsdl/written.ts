import { Buffer } from 'node:buffer';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { Diagnostic } from '../../src/core/diagnostic.js';
import type { WsdlDocument } from '../../src/wsdl/document.js';
import type {
  ComplexType,
  Operation,
  Particle,
  SimpleType,
  WsdlModel,
} from '../../src/wsdl/model.js';
import { type ReadOptions, readWsdl } from '../../src/wsdl/read.js';
import { documentAddress, servedDocument } from '../../src/wsdl/serve.js';
import { diagnosticsOf } from '../kit/configuration.js';

export const FILES: ReadOptions = { fetch: null, root: null, hosts: [] };

const NAMESPACES = `xmlns="http://schemas.xmlsoap.org/wsdl/" \
xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
  xmlns:soap12="http://schemas.xmlsoap.org/wsdl/soap12/" xmlns:xs="http://www.w3.org/2001/XMLSchema"
  xmlns:http="http://schemas.xmlsoap.org/wsdl/http/" \
xmlns:mime="http://schemas.xmlsoap.org/wsdl/mime/"
  xmlns:soapenc="http://schemas.xmlsoap.org/soap/encoding/" xmlns:t="urn:t"`;

/**
 * A whole WSDL around what a test is about: by default one operation `Get` with the elements
 * `t:Get`, `t:GetResponse`.
 */
export function wsdlWith(parts: {
  readonly head?: string;
  readonly types?: string;
  readonly messages?: string;
  readonly portType?: string;
  readonly binding?: string;
  readonly service?: string;
}): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<definitions targetNamespace="urn:t" ${NAMESPACES}>${parts.head ?? ''}
<types>${parts.types ?? schemaWith('')}</types>
${parts.messages ?? '<message name="In"><part name="p" element="t:Get"/></message><message name="Out"><part name="p" element="t:GetResponse"/></message>'}
${parts.portType ?? '<portType name="P"><operation name="Get"><input message="t:In"/><output message="t:Out"/></operation></portType>'}
${parts.binding ?? '<binding name="B" type="t:P"><soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/><operation name="Get"><soap:operation soapAction="urn:get"/><input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation></binding>'}
${parts.service ?? '<service name="S"><port name="Soap" binding="t:B"><soap:address location="http://internal.example/get"/></port></service>'}
</definitions>`;
}

/** A schema of `urn:t` with the two default elements and what a test adds. */
export function schemaWith(content: string, attributes = 'elementFormDefault="qualified"'): string {
  return `<xs:schema targetNamespace="urn:t" ${attributes}>
<xs:element name="Get"><xs:complexType><xs:sequence><xs:element name="id" type="xs:int"/>\
</xs:sequence></xs:complexType></xs:element>
<xs:element name="GetResponse" type="xs:string"/>
${content}
</xs:schema>`;
}

/**
 * A WSDL with the operation `Echo`, or of another name, from `t:Echo` to `t:EchoResponse`, which
 * `types` declare.
 */
export const echoWsdl = (types: string, name = 'Echo'): string =>
  wsdlWith({
    types,
    messages:
      '<message name="In"><part name="p" element="t:Echo"/></message><message name="Out">' +
      '<part name="p" element="t:EchoResponse"/></message>',
    portType:
      `<portType name="P"><operation name="${name}"><input message="t:In"/>` +
      '<output message="t:Out"/></operation></portType>',
    binding:
      '<binding name="B" type="t:P"><soap:binding style="document" ' +
      `transport="http://schemas.xmlsoap.org/soap/http"/><operation name="${name}">` +
      '<soap:operation soapAction=""/><input><soap:body use="literal"/></input><output>' +
      '<soap:body use="literal"/></output></operation></binding>',
  });

/** A WSDL whose schema begins with these references to others. */
export const importing = (...references: readonly string[]): string =>
  wsdlWith({ types: schemaWith('').replace('<xs:element', `${references.join('\n')}<xs:element`) });

/** The model of a WSDL that names no other documents. */
export const modelOf = (wsdl: string): Promise<WsdlModel> =>
  readWsdl('http://h/a.wsdl', {
    ...FILES,
    fetch: async (url) => ({
      url,
      contentType: 'text/xml; charset=utf-8',
      body: Buffer.from(wsdl),
    }),
  });

/** A folder `wsdl` with these files, in one of the test, so that there is something outside. */
export function folderWith(test: Test, files: Readonly<Record<string, string | Buffer>>): string {
  const directory = join(test.testdir({}), 'wsdl');
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(directory, name, '..'), { recursive: true });
    writeFileSync(join(directory, name), content);
  }
  return directory;
}

/** The problems of a WSDL that must be refused. */
export async function problemsOf(
  location: string,
  options: ReadOptions = FILES,
): Promise<readonly Diagnostic[]> {
  const found = await diagnosticsOf(readWsdl(location, options));
  if (found.length === 0) throw new Error(`${location} was not refused`);
  return found;
}

/** The operations of all ports. */
export const operationsIn = ({ services }: WsdlModel): readonly Operation[] =>
  services.flatMap(({ ports }) => ports.flatMap(({ operations }) => operations));

export function operationOf(model: WsdlModel, name: string): Operation {
  const operation = operationsIn(model).find((candidate) => candidate.name === name);
  if (operation === undefined) throw new Error(`no operation ${name}`);
  return operation;
}

export function complexOf(model: WsdlModel, local: string, uri = 'urn:t'): ComplexType {
  const type = model.types.get(`{${uri}}${local}`) ?? model.elements.get(`{${uri}}${local}`)?.type;
  if (type?.kind !== 'complex') throw new Error(`${local} is no complex type`);
  return type;
}

export function simpleOf(model: WsdlModel, local: string): SimpleType {
  const type = model.types.get(`{urn:t}${local}`);
  if (type?.kind !== 'simple') throw new Error(`${local} is no simple type`);
  return type;
}

/** A content model in one line: `sequence(a:int, {urn:t}b:string[0..*], choice(c:T, any))`. */
export function printContent(type: ComplexType): string {
  if (type.content.kind === 'text') return `text ${type.content.type.builtIn}`;
  return type.content.kind === 'elements'
    ? printParticle(type.content.particle)
    : type.content.kind;
}

/** A particle in one line. */
export function printParticle(particle: Particle): string {
  const { min, max } = particle;
  const occurs = min === 1 && max === 1 ? '' : `[${min}..${max === Infinity ? '*' : max}]`;
  if (particle.kind === 'any') return `any${occurs}`;
  if (particle.kind !== 'one')
    return `${particle.kind}(${particle.particles.map(printParticle).join(', ')})${occurs}`;
  const { name, type, nillable } = particle.element;
  const typeName = type.name?.local ?? (type.kind === 'simple' ? type.builtIn : '~');
  return (
    `${name.uri === '' ? '' : `{${name.uri}}`}${name.local}:${typeName}` +
    `${nillable ? '?' : ''}${occurs}`
  );
}

/** The model of a schema's content beside that of `schemaWith`, and of other files. */
export async function readSchemaWith(
  test: Test,
  content: string,
  files: Readonly<Record<string, string | Record<string, string>>> = {},
): Promise<WsdlModel> {
  const folder = test.testdir({ 'a.wsdl': wsdlWith({ types: schemaWith(content) }), ...files });
  return readWsdl(join(folder, 'a.wsdl'), FILES);
}

/** The warnings of a model, one to a line. */
export const warningsOf = (model: WsdlModel): string =>
  model.warnings.map(({ what }) => what).join('\n');

/** The text of each document as the gateway serves it at `base`. */
export function servedTexts(documents: readonly WsdlDocument[], base: string): readonly string[] {
  return documents.map(({ index, kind }) => {
    const parts = servedDocument(documents, documentAddress(index, kind, ''), base)?.parts ?? [];
    return Buffer.concat(parts).toString();
  });
}
