import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import type { RecordedMessage } from '../kit/backend.js';
import { Authority, RSA_KEY } from '../kit/certificates.js';
import { useBackend, useGateway } from '../kit/use.js';
import { missing, PYTHON } from './programs.js';

const run = promisify(execFile);

const WSDL = `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" \
xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:tns="urn:desk" \
xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:desk">
<types><xs:schema targetNamespace="urn:desk" elementFormDefault="qualified">\
<xs:element name="Echo"><xs:complexType><xs:sequence><xs:element name="text" type="xs:string" \
maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element><xs:element name="EchoResponse">\
<xs:complexType><xs:sequence><xs:element name="text" type="xs:string"/></xs:sequence>\
</xs:complexType></xs:element></xs:schema></types>
<message name="In"><part name="p" element="tns:Echo"/></message><message name="Out">\
<part name="p" element="tns:EchoResponse"/></message>
<portType name="P"><operation name="Echo"><input message="tns:In"/><output message="tns:Out"/>\
</operation></portType>
<binding name="B" type="tns:P"><soap:binding transport="http://schemas.xmlsoap.org/soap/http" \
style="document"/><operation name="Echo"><soap:operation soapAction="urn:Echo"/><input>\
<soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation></binding>
<service name="S"><port name="P" binding="tns:B"><soap:address location="http://127.0.0.1:1/desk"/>\
</port></service></definitions>`;

const REPLY =
  '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>' +
  '<EchoResponse xmlns="urn:desk"><text>ok</text></EchoResponse></s:Body></s:Envelope>';

/** Calls Echo in one of the ways of zeep's wsse, and prints the reply or the code of the Fault. */
const CLIENT = `
import sys
from datetime import datetime, timedelta, timezone
import xmlsec, zeep
from zeep.wsse.signature import BinarySignature, Signature
from zeep.wsse.username import UsernameToken
from zeep.wsse.utils import WSU, get_security_header
wsdl, url, folder, way = sys.argv[1:5]
SHA256 = dict(signature_method=xmlsec.Transform.RSA_SHA256, digest_method=xmlsec.Transform.SHA256)
def signing(base):
    class Signing(base):
        def apply(self, envelope, headers):
            block = WSU.Timestamp()
            now = datetime.now(timezone.utc)
            for name, time in (("Created", now), ("Expires", now + timedelta(minutes=5))):
                block.append(getattr(WSU, name)(time.strftime("%Y-%m-%dT%H:%M:%SZ")))
            get_security_header(envelope).append(block)
            result = super().apply(envelope, headers)
            if way == "altered":
                for node in envelope.iter("{urn:desk}text"):
                    node.text = "other"
            return result
        def verify(self, envelope):
            return envelope
    return Signing
keys = (folder + "/c.key", folder + "/c.pem")
wsse = {
    "token": lambda: signing(BinarySignature)(*keys, **SHA256),
    "altered": lambda: signing(BinarySignature)(*keys, **SHA256),
    "issuerSerial": lambda: signing(Signature)(*keys, **SHA256),
    "sha1": lambda: signing(BinarySignature)(*keys),
    "none": lambda: None,
    "text": lambda: UsernameToken("erp", "secret"),
    "digest": lambda: UsernameToken("erp", "secret", use_digest=True),
    "wrong": lambda: UsernameToken("erp", "other", use_digest=True),
}[way]()
service = zeep.Client(wsdl, wsse=wsse).create_service("{urn:desk}B", url)
try:
    print(service.Echo(text=["hello <&> \\"x\\"", "b\\r\\n c \\u00e9\\U0001f600", ""]))
except zeep.exceptions.Fault as fault:
    print(fault.detail[0].get("code"))
`;

t.test(
  'signatures and UsernameTokens of zeep are verified',
  { skip: missing('zeep', 'xmlsec') },
  async (t) => {
    const folder = t.testdir();
    const authority = new Authority(folder);
    const client = authority.sign('erp', 30, '/O=Bank/OU=Clients/CN=erp', 'DNS:a', RSA_KEY);
    for (const [name, text] of [
      ['c.pem', client.cert],
      ['c.key', client.key],
      ['desk.wsdl', WSDL],
      ['authorities.pem', authority.ca.cert],
      ['client.py', CLIENT],
    ] as const) {
      writeFileSync(join(folder, name), text);
    }
    const backend = await useBackend(t, (_message: RecordedMessage, response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/xml' }).end(REPLY);
    });
    const service = (name: string, verify: string): string => `
  ${name}:
    url: ${backend.url}/desk
    wsdl: ${join(folder, 'desk.wsdl')}
    operations: { Echo: false }
    security: { verify: { ${verify} } }`;
    const pem = (name: string): string => `{ file: ${join(folder, name)} }`;
    const gateway = await useGateway(
      t,
      `services:${service(
        'signed',
        `signature: { authorities: ${pem('authorities.pem')}, known: \
${pem('c.pem')}, subjects: ["CN=erp"], required: [Body, Timestamp] }`,
      )}` + `${service('named', 'usernameToken: { users: { erp: { password: secret } } }')}`,
    );
    const call = async (path: string, way: string): Promise<string> => {
      const args = [
        join(folder, 'client.py'),
        join(folder, 'desk.wsdl'),
        `${gateway.url}/soap/${path}`,
        folder,
        way,
      ];
      return (await run(PYTHON, args)).stdout.trim();
    };
    for (const [path, way, expected] of [
      ['signed', 'token', 'ok'],
      ['signed', 'issuerSerial', 'ok'],
      ['signed', 'altered', 'wsse:FailedCheck'],
      ['signed', 'sha1', 'wsse:UnsupportedAlgorithm'],
      ['signed', 'none', 'wsse:InvalidSecurity'],
      ['named', 'text', 'ok'],
      ['named', 'digest', 'ok'],
      ['named', 'wrong', 'wsse:FailedAuthentication'],
      ['named', 'none', 'wsse:InvalidSecurity'],
    ] as const) {
      t.equal(await call(path, way), expected, `${path}: ${way}`);
    }
    t.equal(backend.complete.length, 4);
  },
);
