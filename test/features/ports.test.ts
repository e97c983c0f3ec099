import { resolve } from 'node:path';
import { printSchema } from 'graphql';
import t, { type Test } from 'tap';
import { ConfigurationError } from '../../src/base/diagnostic.js';
import { type Compiled, compile } from '../../src/compile.js';
import { loadConfig } from '../../src/config/load.js';
import { answerWith } from '../kit/backend.js';
import { postSoap } from '../kit/envelope.js';
import { askGraphql, TYPED } from '../kit/graphql-client.js';
import { useBackend, useGateway } from '../kit/use.js';

/** Ports of one WSDL that calls each of its operations `service`. */
const WSDL = resolve('test/wsdl/fixtures/travel/travel.wsdl');
const AIR = `air: { wsdl: ${WSDL}, url: "http://127.0.0.1:1/air", ports: [AirSearchPort, AirBookPort] }`;
const HOTEL = `hotel: { wsdl: ${WSDL}, url: "http://127.0.0.1:1/hotel", port: HotelSearchPort }`;

async function compiled(t: Test, ...services: readonly string[]): Promise<Compiled> {
  const directory = t.testdir({ 'a.yaml': `services:\n${services.map((each) => `  ${each}\n`).join('')}` });
  const made = await compile(await loadConfig(`${directory}/a.yaml`, {}));
  t.teardown(() => made.close());
  return made;
}

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

t.test('`names` keeps the names and the choice of queries of version 0.1 for one service', async (t) => {
  const of = async (air: string) => [...(await compiled(t, air, HOTEL)).graph.fields.keys()].sort();
  t.same(await of(AIR), ['Mutation.airBook', 'Query.hotelSearch', 'Query.lowFareSearch']);
  t.same(await of(AIR.replace(' }', ', names: "0.1" }')), [
    'Mutation.airBookReq',
    'Mutation.lowFareSearchReq',
    'Query.hotelSearch',
  ]);
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
  t.same([...(services[0]?.requests.names ?? [])].sort(), ['AirBookReq', 'LowFareSearchReq', 'service']);
});

t.test('a mapping of one of several services is refused at its own place', async (t) => {
  const wrong = HOTEL.replace(' }', ', operations: { service: { arguments: { Town: { name: town } } } } }');
  const error = await compiled(t, AIR, wrong).catch((caught: unknown) => caught);
  t.ok(error instanceof ConfigurationError);
  t.match(String(error), /a\.yaml:3:\d+: Service `hotel`: There is no `Town` to map/);
});

t.test('ports that are not there are named with their place', async (t) => {
  const error = await compiled(t, AIR.replace('AirBookPort', 'AirBuyPort')).catch((caught: unknown) => caught);
  t.match(
    String(error),
    /a\.yaml:2:\d+: The WSDL of service `air` has no SOAP port `AirBuyPort`\. It has `AirSearchPort`/,
  );
  const both = await compiled(t, AIR.replace('ports:', 'port: AirBookPort, ports:')).catch((caught: unknown) => caught);
  t.match(String(both), 'has both `port` and `ports`');
});

t.test('fields of several ports are answered, and SOAP clients reach each', async (t) => {
  const envelope = (content: string): string =>
    `<E:Envelope xmlns:E="http://schemas.xmlsoap.org/soap/envelope/" xmlns:c="urn:travel:common"><E:Body>${content}</E:Body></E:Envelope>`;
  const backend = await useBackend(t, (message, response) => {
    const body = message.body.toString();
    const reply = /LowFareSearchReq/.test(body)
      ? '<c:LowFareSearchRsp><c:Price>12.50</c:Price></c:LowFareSearchRsp>'
      : /AirBookReq/.test(body)
        ? '<c:AirBookRsp><c:Locator>ABC</c:Locator><c:Traveller Key="1"><c:Name>Zoë</c:Name></c:Traveller></c:AirBookRsp>'
        : '<c:HotelSearchRsp><c:Hotel>Ritz</c:Hotel></c:HotelSearchRsp>';
    answerWith(envelope(reply))(message, response);
  });
  const at = (service: string) => service.replace(/"http:.*?"/, `"${backend.url}"`);
  const gateway = await useGateway(t, `services:\n  ${at(AIR)}\n  ${at(HOTEL)}\n`);
  const ask = (query: string) => askGraphql<object>(gateway.url, query, {}, TYPED);
  t.same(await ask('{ lowFareSearch(from: "BRU") { price traveller { name } } }'), {
    data: { lowFareSearch: { price: '12.50', traveller: null } },
  });
  t.same(await ask('mutation { airBook(traveller: { name: "Zoë" }) { locator traveller { key name } } }'), {
    data: { airBook: { locator: 'ABC', traveller: { key: '1', name: 'Zoë' } } },
  });
  t.same(await ask('{ hotelSearch(city: "Liège") { hotel } }'), {
    data: { hotelSearch: { hotel: ['Ritz'] } },
  });
  t.same(
    backend.complete.map(({ headers }) => headers['soapaction']),
    ['"http://localhost/air/AirSearch"', '"http://localhost/air/AirBook"', '"http://localhost/hotel/HotelSearch"'],
  );
  const soap = await postSoap(
    `${gateway.url}/soap/air`,
    envelope('<c:AirBookReq><c:Traveller><c:Name>a</c:Name></c:Traveller></c:AirBookReq>'),
    { soapaction: '"http://localhost/air/AirBook"' },
  );
  t.equal(soap.status, 200);
  t.match(await soap.text(), 'AirBookRsp');
  const lines = gateway.logLines().filter((line) => line['msg'] === 'request');
  t.match(lines.at(-1)?.['operation'] ?? (await gateway.accessLine(4))['operation'], 'AirBookReq');
});

t.test('the WSDL of each service has the addresses of the services that have its ports', async (t) => {
  const gateway = await useGateway(
    t,
    `services:\n  ${AIR}\n  ${HOTEL.replace(' }', ', path: /stay }')}\n`,
    t.testdir({}),
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
    'HotelSearchPort12 /soap/air',
  ]);
  t.match(await addresses('/stay'), [
    ...ports,
    'QuoteGetPort /stay',
    'HotelSearchPort /stay',
    'HotelSearchPort12 /stay',
  ]);
});
