import t from 'tap';
import { compileText } from '../kit/configuration.js';
import { wsdlWith } from '../wsdl/written.js';

const A = 'http://a.example/x';
const B = 'http://b.example/x';

type PortRow = readonly [name: string, version: '1.1' | '1.2', address: string, type?: string];

/** A WSDL with these ports, each with a binding of its own. */
function wsdlOf(ports: readonly PortRow[]): string {
  const types = [...new Set(ports.map(([, , , type = 'P']) => type))];
  const bindings = ports.map(([name, version, , type = 'P']) => {
    const soap = version === '1.1' ? 'soap' : 'soap12';
    return (
      `<binding name="B${name}" type="t:${type}"><${soap}:binding style="document" ` +
      'transport="http://schemas.xmlsoap.org/soap/http"/><operation name="Get">' +
      `<${soap}:operation soapAction="urn:get"/><input><${soap}:body use="literal"/></input>` +
      `<output><${soap}:body use="literal"/></output></operation></binding>`
    );
  });
  return wsdlWith({
    portType: types
      .map(
        (type) =>
          `<portType name="${type}"><operation name="Get"><input message="t:In"/>` +
          '<output message="t:Out"/></operation></portType>',
      )
      .join(''),
    binding: bindings.join(''),
    service: `<service name="S">${ports
      .map(([name, version, address]) => {
        const soap = version === '1.1' ? 'soap' : 'soap12';
        return `<port name="${name}" binding="t:B${name}"><${soap}:address location="${address}"/></port>`;
      })
      .join('')}</service>`,
  });
}

const CASES: readonly (readonly [
  title: string,
  ports: readonly PortRow[],
  keys: string,
  versions: readonly string[],
])[] = [
  ['1.1 alone', [['One', '1.1', A]], '', ['1.1']],
  ['1.2 alone', [['Two', '1.2', A]], '', ['1.2']],
  [
    'both at one address',
    [
      ['Two', '1.2', A],
      ['One', '1.1', A],
    ],
    '',
    ['1.1', '1.2'],
  ],
  [
    'both at two addresses',
    [
      ['One', '1.1', A],
      ['Two', '1.2', B],
    ],
    '',
    ['1.1'],
  ],
  [
    'both at one address, of two port types',
    [
      ['One', '1.1', A],
      ['Two', '1.2', A, 'Q'],
    ],
    '',
    ['1.1'],
  ],
  [
    'a port that is named',
    [
      ['One', '1.1', A],
      ['Two', '1.2', A],
    ],
    'port: Two',
    ['1.2'],
  ],
  [
    'ports that are named',
    [
      ['One', '1.1', A],
      ['Two', '1.2', A],
    ],
    'ports: [Two, One]',
    ['1.2', '1.1'],
  ],
  ['versions that are configured', [['Two', '1.2', A]], 'versions: ["1.1"]', ['1.1']],
];

t.test('The versions of a service are those of its bindings by default', async (t) => {
  for (const [title, ports, keys, versions] of CASES) {
    const { services } = await compileText(
      t,
      `services:\n  s:\n    wsdl: a.wsdl\n    url: ${A}\n    ${keys}\n`,
      { 'a.wsdl': wsdlOf(ports) },
    );
    const names = [...services.values()].flatMap(({ dialects }) =>
      dialects.map(({ name }) => name),
    );
    t.strictSame(names, versions, title);
  }
});

t.test('Without a WSDL the version is 1.1', async (t) => {
  const { services } = await compileText(t, `services: { s: { url: "${A}" } }`);
  t.strictSame(
    [...services.values()].map(({ dialects }) => dialects.map(({ name }) => name)),
    [['1.1']],
  );
});

const WARNED: readonly (readonly [keys: string, warning: string | null])[] = [
  ['', null],
  ['versions: ["1.2"]', null],
  ['versions: ["1.2", "2001-12"]', null],
  ['versions: ["1.1"]', '`versions` has 1.1, but the WSDL has bindings of SOAP 1.2 only.'],
  ['versions: ["1.2", "1.1"]', '`versions` has 1.1, but the WSDL has bindings of SOAP 1.2 only.'],
];

t.test('Versions that no binding has are a warning', async (t) => {
  for (const [keys, warning] of WARNED) {
    const { services } = await compileText(
      t,
      `services:\n  s:\n    wsdl: a.wsdl\n    url: ${A}\n    ${keys}\n`,
      { 'a.wsdl': wsdlOf([['Two', '1.2', A]]) },
    );
    const found = [...services.values()].flatMap(({ warnings }) =>
      warnings.map(({ what }) => what),
    );
    const ofVersions = found.filter((what) => what.includes('`versions`'));
    if (warning === null) t.strictSame(ofVersions, [], keys);
    else t.match(ofVersions, [warning], keys);
  }
});
