import { resolve } from 'node:path';
import { printSchema } from 'graphql';
import t, { type Test } from 'tap';
import type { Compiled } from '../../src/compile.js';
import { ConfigurationError } from '../../src/core/diagnostic.js';
import { answerBy } from '../kit/backend.js';
import { compileText } from '../kit/configuration.js';
import { envelope, operationIn, postSoap } from '../kit/envelope.js';
import { useGateway, useService } from '../kit/use.js';

/** Ports of one WSDL that calls each of its operations `service`. */
const WSDL = resolve('test/wsdl/fixtures/travel/travel.wsdl');
const AIR = `air: { wsdl: ${WSDL}, url: "http://127.0.0.1:1/air", ports: [AirSearchPort, AirBookPort] }`;
const HOTEL = `hotel: { wsdl: ${WSDL}, url: "http://127.0.0.1:1/hotel", port: HotelSearchPort }`;

const compiled = (t: Test, ...services: readonly string[]): Promise<Compiled> =>
  compileText(t, `services:\n${services.map((each) => `  ${each}\n`).join('')}`);

t.test('services of one WSDL share its model and its types', async (t) => {
  const { services, graph } = await compiled(t, AIR, HOTEL);
  t.equal(services[0]?.wsdl?.types, services[1]?.wsdl?.types, 'the WSDL is read once');
  const names = Object.keys(graph.schema.getTypeMap()).filter((name) => /Traveller/.test(name));
  t.same(names.sort(), ['Traveller', 'TravellerInput']);
  t.same(
    graph.warnings.map(({ what }) => what),
    [],
    'no name is taken',
  );
});

t.test('a service that shapes its types otherwise has its own', async (t) => {
  const { graph } = await compiled(t, AIR, HOTEL.replace(' }', ', naming: exact }'));
  const sdl = printSchema(graph.schema);
  t.match(sdl, /^type HotelTraveller \{\n {2}Name: String!/m);
  t.match(sdl, /^type Traveller \{\n {2}name: String!/m);
});

t.test('operations that share a name are called by their request elements', async (t) => {
  const { services, graph } = await compiled(t, AIR, HOTEL);
  t.same(
    services.map(({ operations }) => operations.map(({ name }) => name)),
    [['LowFareSearchReq', 'AirBookReq'], ['service']],
    'one port alone keeps the name of the WSDL',
  );
  t.same([...graph.fields.keys()].map((field) => field.split('.')[1]).sort(), [
    'airBook',
    'hotelSearch',
    'lowFareSearch',
  ]);
  t.same([...(services[0]?.requests.names ?? [])].sort(), [
    'AirBookReq',
    'LowFareSearchReq',
    'service',
  ]);
});

t.test('a mapping of one of several services is refused at its own place', async (t) => {
  const wrong = HOTEL.replace(
    ' }',
    ', operations: { service: { arguments: { Town: { name: town } } } } }',
  );
  const error = await compiled(t, AIR, wrong).catch((caught: unknown) => caught);
  t.ok(error instanceof ConfigurationError);
  t.match(String(error), /soapstone\.yaml:3:\d+: Service `hotel`: There is no `Town` to map/);
});

t.test('ports that are not there are named with their place', async (t) => {
  const error = await compiled(t, AIR.replace('AirBookPort', 'AirBuyPort')).catch(
    (caught: unknown) => caught,
  );
  t.match(
    String(error),
    /soapstone\.yaml:2:\d+: The WSDL of service `air` has no SOAP port `AirBuyPort`\. It has `AirSearchPort`/,
  );
  const both = await compiled(t, AIR.replace('ports:', 'port: AirBookPort, ports:')).catch(
    (caught: unknown) => caught,
  );
  t.match(String(both), 'has both `port` and `ports`');
});

t.test('fields of several ports are answered, and SOAP clients reach each', async (t) => {
  const replies: Readonly<Record<string, string>> = {
    LowFareSearchReq:
      '<LowFareSearchRsp xmlns="urn:travel:common"><Price>12.50</Price></LowFareSearchRsp>',
    AirBookReq:
      '<AirBookRsp xmlns="urn:travel:common"><Locator>ABC</Locator><Traveller Key="1">' +
      '<Name>Zoë</Name></Traveller></AirBookRsp>',
  };
  const hotels = '<HotelSearchRsp xmlns="urn:travel:common"><Hotel>Ritz</Hotel></HotelSearchRsp>';
  const answer = answerBy((text) => replies[operationIn(text)] ?? hotels);
  const at = (service: string, url: string) => service.replace(/"http:.*?"/, `"${url}"`);
  const yaml = (url: string): string => `services:\n  ${at(AIR, url)}\n  ${at(HOTEL, url)}\n`;
  const { ask, backend, gateway } = await useService(t, answer, yaml);
  t.same(await ask('{ lowFareSearch(from: "BRU") { price traveller { name } } }'), {
    data: { lowFareSearch: { price: '12.50', traveller: null } },
  });
  t.same(
    await ask(
      'mutation { airBook(traveller: { name: "Zoë" }) { locator traveller { key name } } }',
    ),
    {
      data: { airBook: { locator: 'ABC', traveller: { key: '1', name: 'Zoë' } } },
    },
  );
  t.same(await ask('{ hotelSearch(city: "Liège") { hotel } }'), {
    data: { hotelSearch: { hotel: ['Ritz'] } },
  });
  t.same(
    backend.complete.map(({ headers }) => headers['soapaction']),
    [
      '"http://localhost/air/AirSearch"',
      '"http://localhost/air/AirBook"',
      '"http://localhost/hotel/HotelSearch"',
    ],
  );
  const soap = await postSoap(
    `${gateway.url}/soap/air`,
    envelope(
      '<AirBookReq xmlns="urn:travel:common"><Traveller><Name>a</Name></Traveller></AirBookReq>',
    ),
    { soapaction: '"http://localhost/air/AirBook"' },
  );
  t.equal(soap.status, 200);
  t.match(await soap.text(), 'AirBookRsp');
  const lines = gateway.logLines().filter((line) => line['msg'] === 'request');
  t.match(lines.at(-1)?.['operation'] ?? (await gateway.accessLine(4))['operation'], 'AirBookReq');
});

t.test(
  'the WSDL of each service has the addresses of the services that have its ports',
  async (t) => {
    const gateway = await useGateway(
      t,
      `services:\n  ${AIR}\n  ${HOTEL.replace(' }', ', path: /stay }')}\n`,
    );
    const addresses = async (path: string): Promise<readonly string[]> => {
      const text = await (await fetch(`${gateway.url}${path}?wsdl`)).text();
      return [...text.matchAll(/port name="(\w+)".*?location="([^"]*)"/g)].map(
        ([, port, address]) => `${port} ${address?.replace(gateway.url, '')}`,
      );
    };
    const ports = ['AirSearchPort /soap/air', 'AirBookPort /soap/air'];
    t.match(await addresses('/soap/air'), [
      ...ports,
      'QuoteGetPort /soap/air',
      'HotelSearchPort /stay',
      'HotelSearchSecurePort /soap/air',
    ]);
    t.match(await addresses('/stay'), [
      ...ports,
      'QuoteGetPort /stay',
      'HotelSearchPort /stay',
      'HotelSearchSecurePort /stay',
    ]);
  },
);

t.test('the WSDL of a service has no port of a version that it does not speak', async (t) => {
  const hotel = HOTEL.replace('HotelSearchPort', 'HotelSearchPort12');
  const portsOf = async (more = ''): Promise<readonly string[]> => {
    const gateway = await useGateway(t, `services:\n  ${hotel.replace(' }', `${more} }`)}\n`);
    const text = await (await fetch(`${gateway.url}/soap/hotel?wsdl`)).text();
    t.equal(text.split('<port ').length, text.split('</port>').length, 'whole elements');
    return [...text.matchAll(/port name="(\w+)"/g)].map(([, port = '']) => port);
  };
  t.same(await portsOf(), ['QuoteGetPort', 'HotelSearchPort12']);
  const both = await portsOf(', versions: ["1.2", "1.1"]');
  t.ok(both.includes('HotelSearchPort'), 'a version that is spoken');
});
