import { join } from 'node:path';
import t from 'tap';
import { importWsdl } from '../../src/cli/import/import.js';
import { recordedTerminal } from '../kit/command.js';
import { askGraphql } from '../kit/graphql-client.js';
import { useFolder, useGateway } from '../kit/use.js';
import { element, wrapper, wsdlOf } from '../kit/wsdl.js';

/** What a schema does not show by default is said: types below its depth, the order of choices. */

const CHAIN = Array.from({ length: 12 }, (_, at) => {
  const next = at === 11 ? '' : element('next', `t:T${at + 2}`, 'minOccurs="0"');
  return `<xs:complexType name="T${at + 1}"><xs:sequence>${element('id', 'xs:int')}${next}\
</xs:sequence></xs:complexType>`;
});

const DEEP = wsdlOf(
  'urn:deep',
  CHAIN.join('') + wrapper('Get', '') + wrapper('GetResponse', element('top', 't:T1')),
  ['Get'],
);

/** Reads the id of a type of the chain. */
const query = (type: number): string =>
  `{ get ${'{ next '.repeat(type - 1)}{ id }${' }'.repeat(type - 1)} }`;

t.test('import says how many types are deeper than a query may be, and the key', async (t) => {
  const folder = await useFolder(t, { 'deep.wsdl': DEEP });
  const { printed, ...terminal } = recordedTerminal();
  const options = { name: null, ports: [], force: false, json: false };
  const directory = join(folder, 'out');
  t.equal(await importWsdl(join(folder, 'deep.wsdl'), { ...options, directory }, terminal), 0);
  const text = printed.lines.join('\n').replaceAll(/\s+/g, ' ');
  t.match(text, /3 of 12 types are deeper than a query may be \(`limits\.graphql\.depth`: 10\)/);
  t.match(text, 'limits: { graphql: { depth: 13 } }');
  const yaml = (more: string): string =>
    `services: { deep: { wsdl: deep.wsdl, url: "http://127.0.0.1:1/" } }\n${more}`;
  const usual = await useGateway(t, yaml(''), folder);
  const codeOf = async (url: string, type: number): Promise<unknown> =>
    (await askGraphql(url, query(type))).errors?.[0]?.extensions.code;
  t.not(await codeOf(usual.url, 9), 'QUERY_TOO_DEEP');
  t.match(await codeOf(usual.url, 10), /DEPTH|DEEP|LIMIT/);
  const deep = await useGateway(t, yaml('limits: { graphql: { depth: 13 } }\n'), folder);
  t.not(await codeOf(deep.url, 12), await codeOf(usual.url, 10));
});

t.test(
  'the description of a type says that the order of a repeated choice is not shown',
  async (t) => {
    const choice = `<xs:complexType name="Mixed"><xs:choice maxOccurs="unbounded">\
${element('a', 'xs:int')}${element('b', 'xs:string')}</xs:choice></xs:complexType>`;
    const once = choice.replace('maxOccurs="unbounded"', '').replace('Mixed', 'Once');
    const folder = await useFolder(t, {
      'a.wsdl': wsdlOf(
        'urn:a',
        choice +
          once +
          wrapper('Get', '') +
          wrapper('GetResponse', element('m', 't:Mixed') + element('o', 't:Once')),
        ['Get'],
      ),
    });
    const describe = async (more: string): Promise<unknown> => {
      const gateway = await useGateway(
        t,
        `services: { a: { wsdl: a.wsdl, url: "http://127.0.0.1:1/"${more} } }\n`,
        folder,
      );
      const { data } = await askGraphql(
        gateway.url,
        '{ m: __type(name: "Mixed") { description } o: __type(name: "Once") { description } }',
      );
      return data;
    };
    t.match(await describe(''), {
      m: { description: /the order of its elements among each other is not shown/ },
      o: { description: null },
    });
    t.match(await describe(', schema: { choices: union }'), { m: { description: null } });
  },
);
