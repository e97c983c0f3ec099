import t from 'tap';
import { answerWith } from '../kit/backend.js';
import { envelope } from '../kit/envelope.js';
import { useFolder, useService } from '../kit/use.js';
import { element, wrapper, wsdlOf } from '../kit/wsdl.js';

const ROW =
  '<xs:element name="row" maxOccurs="unbounded"><xs:complexType><xs:sequence>' +
  `${element('key', 'xs:string')}${element('rate', 'xs:double')}</xs:sequence>` +
  '</xs:complexType></xs:element>';
const WSDL = wsdlOf(
  'urn:t',
  wrapper('GetRates') +
    wrapper('GetRatesResponse', ROW + element('rates', 'xs:float', 'maxOccurs="unbounded"')),
  ['GetRates'],
);

const row = (key: string, rate: string): string =>
  `<row><key>${key}</key><rate>${rate}</rate></row>`;

t.test('INF and NaN null one value, not the list or the object around it', async (t) => {
  const folder = await useFolder(t, { 'a.wsdl': WSDL });
  const reply =
    `<GetRatesResponse xmlns="urn:t">${row('a', '1.5')}${row('b', 'INF')}${row('c', '-INF')}` +
    '<rates>1</rates><rates>NaN</rates><rates>2</rates></GetRatesResponse>';
  const { ask } = await useService(
    t,
    answerWith(envelope(reply)),
    (url) => `services: { a: { wsdl: a.wsdl, url: "${url}/a" } }\n`,
    folder,
  );
  const { data, errors = [] } = await ask('{ getRates { row { key rate } rates } }');
  t.same(data, {
    getRates: {
      row: [
        { key: 'a', rate: 1.5 },
        { key: 'b', rate: null },
        { key: 'c', rate: null },
      ],
      rates: [1, null, 2],
    },
  });
  t.same(
    errors.map(({ path, extensions }) => [path, extensions['code']]),
    [
      [['getRates', 'row', 1, 'rate'], 'VALUE_NOT_REPRESENTABLE'],
      [['getRates', 'row', 2, 'rate'], 'VALUE_NOT_REPRESENTABLE'],
      [['getRates', 'rates', 1], 'VALUE_NOT_REPRESENTABLE'],
    ],
  );
});
