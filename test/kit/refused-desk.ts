import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { answerWith, type RecordingBackend } from './backend.js';
import type { TestGateway } from './gateway.js';
import { useBackend, useGateway } from './use.js';

export const SOAP_11 = 'http://schemas.xmlsoap.org/soap/envelope/';

/**
 * A WSDL with one operation that everybody may call, one for some, and an element that has a type
 * of its own.
 */
export const WSDL = `<?xml version="1.0"?>
<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" \
xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
  xmlns:t="urn:desk" xmlns:xs="http://www.w3.org/2001/XMLSchema" name="Desk" \
targetNamespace="urn:desk">
<types><xs:schema targetNamespace="urn:desk" elementFormDefault="qualified">
<xs:element name="GetOrder"><xs:complexType><xs:sequence>
  <xs:element name="id" type="xs:int"/><xs:element name="note" type="xs:string" minOccurs="0"/>
</xs:sequence></xs:complexType></xs:element>
<xs:element name="GetOrderResponse"><xs:complexType><xs:sequence>
  <xs:element name="total" type="xs:string"/></xs:sequence></xs:complexType></xs:element>
<xs:element name="Payroll"><xs:complexType><xs:sequence/></xs:complexType></xs:element>
<xs:element name="PayrollResponse"><xs:complexType><xs:sequence/></xs:complexType></xs:element>
</xs:schema></types>
<message name="GetOrderIn"><part name="p" element="t:GetOrder"/></message>
<message name="GetOrderOut"><part name="p" element="t:GetOrderResponse"/></message>
<message name="PayrollIn"><part name="p" element="t:Payroll"/></message>
<message name="PayrollOut"><part name="p" element="t:PayrollResponse"/></message>
<portType name="Desk">
<operation name="GetOrder"><input message="t:GetOrderIn"/><output message="t:GetOrderOut"/>\
</operation>
<operation name="Payroll"><input message="t:PayrollIn"/><output message="t:PayrollOut"/></operation>
</portType>
<binding name="Desk" type="t:Desk"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/>
<operation name="GetOrder"><s:operation soapAction="urn:desk/get"/><input><s:body use="literal"/>\
</input><output><s:body use="literal"/></output></operation>
<operation name="Payroll"><s:operation soapAction="urn:desk/payroll"/><input>\
<s:body use="literal"/></input><output><s:body use="literal"/></output></operation>
</binding>
<service name="Desk"><port name="Desk" binding="t:Desk"><s:address location="http://127.0.0.1:1/"/>\
</port></service>
</definitions>`;

/** An envelope of SOAP 1.1. */
export const envelopeOf = (body: string, header = ''): string =>
  `<s:Envelope xmlns:s="${SOAP_11}">\n${header}<s:Body>\n${body}\n</s:Body></s:Envelope>`;

const VALIDATED = '    validate: { requests: enforce }\n';

export interface RefusedDesk {
  readonly backend: RecordingBackend;
  readonly gateway: TestGateway;
  /** Its address of SOAP. */
  readonly url: string;
}

/**
 * Starts a backend and a gateway that refuses what breaks the WSDL. `more`: keys of the file, of
 * the service.
 */
export async function startRefusedDesk(
  t: Test,
  more = '',
  ofService = VALIDATED,
): Promise<RefusedDesk> {
  const home = await mkdtemp(join(tmpdir(), 'soapstone-refused-'));
  await writeFile(join(home, 'desk.wsdl'), WSDL);
  const reply = envelopeOf(
    '<GetOrderResponse xmlns="urn:desk"><total>7</total></GetOrderResponse>',
  );
  const backend = await useBackend(t, answerWith(reply));
  const service = `services:
  desk:
    wsdl: desk.wsdl
    url: ${backend.url}/
${ofService}`;
  const gateway = await useGateway(t, `${service}${more}`, home);
  t.teardown(() => rm(home, { recursive: true }));
  return { backend, gateway, url: `${gateway.url}/soap/desk` };
}
