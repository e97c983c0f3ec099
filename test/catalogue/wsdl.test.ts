import { resolve } from 'node:path';
import t from 'tap';

import { answerWith } from '../kit/backend.js';
import { RawClient, sendRaw } from '../kit/raw-client.js';
import { useBackend, useGateway } from '../kit/use.js';
import { expectAnswer } from './expect.js';
import { Rows } from './rows.js';

const rows = new Rows('wsdl');
const DEMO = resolve('config/demo/legacy.wsdl');

/** Queries by case, for the service that shows its WSDL and for those that do not. */
const PROBES: Readonly<Record<string, readonly (readonly [service: string, query: string])[]>> = {
  'the WSDL of a service that shows it': [
    ['shown', '?wsdl'],
    ['shown', '?WSDL'],
    ['shown', '?xsd=1'],
  ],
  'a service that hides its WSDL': [
    ['hidden', '?wsdl'],
    ['hidden', '?xsd=1'],
  ],
  'a service without a WSDL': [
    ['bare', '?wsdl'],
    ['bare', '?xsd=1'],
  ],
  'a number that no document has': [
    ['shown', '?xsd=99'],
    ['shown', '?wsdl=1'],
    ['shown', '?xsd=00'],
    ['shown', '?xsd=4294967296'],
  ],
  'a path instead of a number': [
    ['shown', '?xsd=../../../etc/passwd'],
    ['shown', '?xsd=..%2f..%2fetc%2fpasswd'],
    ['shown', '?xsd=..\\..\\secret'],
    ['shown', '?xsd=%00'],
    ['shown', '?wsdl=legacy.wsdl'],
    ['shown', '?xsd=http://169.254.169.254/latest'],
    ['shown', '?xsd=file:///etc/passwd'],
    ['hidden', '?xsd=../a'],
    ['bare', '?xsd=../a'],
  ],
};

t.test('S27: probing for documents', async (t) => {
  const backend = await useBackend(t, answerWith('<definitions location="http://inside/"/>'));
  const gateway = await useGateway(
    t,
    `services:\n  shown: { url: "${backend.url}", wsdl: ${DEMO} }\n` +
      `  hidden: { url: "${backend.url}", wsdl: ${DEMO}, serveWsdl: false }\n` +
      `  bare: { url: "${backend.url}" }\n`,
  );
  for (const [name, probes] of Object.entries(PROBES)) {
    const answer = rows.answer('S27', name);
    for (const [service, query] of probes) {
      const request = Buffer.from(
        `GET /soap/${service}${query} HTTP/1.1\r\nHost: gateway.example\r\n\r\n`,
      );
      const bytewise = await RawClient.connect(gateway.url);
      const reply = bytewise.reply();
      for (const byte of request) await bytewise.send(Uint8Array.of(byte));
      for (const [way, got] of [
        ['whole', await sendRaw(gateway.url, request)],
        ['byte by byte', await reply],
      ] as const) {
        expectAnswer(t, got, answer, '1.1', `${name}: ${service}${query}, ${way}`);
        t.notMatch(got.body, /inside|127\.0\.0\.1|localhost/, 'nothing of the inside');
      }
      bytewise.close();
    }
  }
  rows.answer('S27', 'the addresses of its ports');
  const { body } = await sendRaw(
    gateway.url,
    'GET /soap/shown?wsdl HTTP/1.1\r\nHost: gateway.example\r\n\r\n',
  );
  const addresses = [...body.matchAll(/:address\s+location="([^"]*)"/g)].map(
    ([, address]) => address,
  );
  t.ok(addresses.length >= 2);
  t.same(
    new Set(addresses),
    new Set(['http://gateway.example/soap/shown']),
    'every address is the gateway',
  );
  t.equal(backend.begun, 0, 'no probe reaches the backend');
});

t.test('the part is complete', async (t) => rows.assertComplete(t));
