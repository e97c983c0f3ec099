import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { readWsdl } from '../../../src/wsdl/read.js';
import { complexOf, FILES, folderWith, importing, printContent, schemaWith } from '../written.js';

const XS = 'xmlns:xs="http://www.w3.org/2001/XMLSchema"';
const TYPES =
  `<xs:schema ${XS} targetNamespace="urn:u"><xs:complexType name="A"><xs:sequence>` +
  '<xs:element name="id" type="xs:int"/></xs:sequence></xs:complexType></xs:schema>';

const wsdlFor = (location: string): string =>
  importing(`<xs:import namespace="urn:u" schemaLocation="${location}"/>`);

/** Trees as they lie on disks: the WSDL, the location that it names, the file that is meant. */
const TREES: Readonly<Record<string, readonly [wsdl: string, location: string, file: string]>> = {
  'a sibling folder': ['wsdl/a.wsdl', '../xsd/t.xsd', 'xsd/t.xsd'],
  'resources of Maven': [
    'main/resources/wsdl/a.wsdl',
    '../schema/t.xsd',
    'main/resources/schema/t.xsd',
  ],
  'a folder that services share': ['v1/orders/a.wsdl', '../../shared/v2/t.xsd', 'shared/v2/t.xsd'],
  'four levels up': ['a/b/c/d/a.wsdl', '../../../../t.xsd', 't.xsd'],
  'a way with dots and strokes': ['wsdl/a.wsdl', './.././xsd//t.xsd', 'xsd/t.xsd'],
  backslashes: ['wsdl/a.wsdl', '..\\xsd\\sub\\t.xsd', 'xsd/sub/t.xsd'],
  'a drive of Windows': ['wsdl/a.wsdl', 'C:\\work\\shop\\xsd\\t.xsd', 'xsd/t.xsd'],
  'a drive with strokes': ['wsdl/a.wsdl', 'D:/shop/xsd/t.xsd', 'xsd/t.xsd'],
  'a share': ['wsdl/a.wsdl', '\\\\server\\share\\xsd\\t.xsd', 'xsd/t.xsd'],
  'a file URL': ['wsdl/a.wsdl', 'file:///C:/work/shop/xsd/t.xsd', 'xsd/t.xsd'],
  'a file URL with one stroke': ['wsdl/a.wsdl', 'file:/home/dev/shop/xsd/t.xsd', 'xsd/t.xsd'],
  'a file URL without a path': ['wsdl/a.wsdl', 'file:t.xsd', 'wsdl/t.xsd'],
  'a class path': ['wsdl/a.wsdl', 'classpath:xsd/t.xsd', 'wsdl/xsd/t.xsd'],
  'a class path from its root': ['wsdl/a.wsdl', 'classpath*:/xsd/t.xsd', 'xsd/t.xsd'],
  'an entry of an archive': ['wsdl/a.wsdl', 'jar:file:/opt/shop.jar!/xsd/t.xsd', 'xsd/t.xsd'],
  'an absolute path': ['wsdl/a.wsdl', '/app/services/xsd/t.xsd', 'xsd/t.xsd'],
  'an escaped name': ['wsdl/a.wsdl', '../my%20types/t%20v1.xsd', 'my types/t v1.xsd'],
  'a name with spaces': ['wsdl/a.wsdl', '../my types/t v1.xsd', 'my types/t v1.xsd'],
  'a file whose own name is escaped': ['wsdl/a.wsdl', 't v1.xsd', 'wsdl/t%20v1.xsd'],
  'an umlaut': ['wsdl/a.wsdl', '../xsd/gr%C3%B6%C3%9Fe.xsd', 'xsd/größe.xsd'],
  'another case': ['wsdl/a.wsdl', 'Types.xsd', 'wsdl/types.xsd'],
  'another case of folders': ['wsdl/a.wsdl', '../XSD/V1/T.XSD', 'xsd/v1/t.xsd'],
  'a tree that was put into one folder': ['wsdl/a.wsdl', '../common/types/t.xsd', 'wsdl/t.xsd'],
  'a folder that is gone': ['wsdl/a.wsdl', 'xsd/t.xsd', 'wsdl/t.xsd'],
  'a URL': ['wsdl/a.wsdl', 'http://host.example/shop/xsd/t.xsd', 'wsdl/xsd/t.xsd'],
  'a URL that names the file': ['wsdl/a.wsdl', 'http://h.example/S.svc?xsd=t.xsd', 'wsdl/t.xsd'],
  'a URL that numbers it': ['wsdl/a.wsdl', 'http://h.example/S.svc?xsd=xsd0', 'wsdl/xsd0.xsd'],
  'a query': ['wsdl/a.wsdl', 't.xsd?v=2', 'wsdl/t.xsd'],
  'a query that names the file': ['wsdl/a.wsdl', 'a.wsdl?xsd=t.xsd', 'wsdl/t.xsd'],
  'a file with a query in its name': ['wsdl/a.wsdl', 'S.svc?xsd=xsd0', 'wsdl/S.svc?xsd=xsd0'],
  'a fragment': ['wsdl/a.wsdl', 't.xsd#types', 'wsdl/t.xsd'],
  'a folder of schemas beside': ['wsdl/a.wsdl', 't.xsd', 'schemas/t.xsd'],
  'a folder of schemas within': ['w/a.wsdl', 'http://h.example/t.xsd', 'w/schemas/t.xsd'],
  'a URL, and a folder beside': ['wsdl/a.wsdl', 'http://h.example/shop/t.xsd', 'xsd/t.xsd'],
  'a schema that is called .xml': ['wsdl/a.wsdl', '../types/t.xml', 'types/t.xml'],
  'a file with a query in its name, beside': ['w/a.wsdl', '../x/S.svc?xsd=0', 'x/S.svc?xsd=0'],
  'white space': ['wsdl/a.wsdl', '\n  t.xsd\n', 'wsdl/t.xsd'],
};

t.test('the files of a tree are read that its WSDL names, however it does', async (t) => {
  for (const [name, [wsdl, location, file]] of Object.entries(TREES)) {
    const folder = folderWith(t, { [wsdl]: wsdlFor(location), [file]: TYPES });
    const model = await readWsdl(join(folder, wsdl), { ...FILES, nearby: true });
    t.ok(model.types.has('{urn:u}A'), `${name}: ${JSON.stringify(model.warnings)}`);
    t.equal(printContent(complexOf(model, 'A', 'urn:u')), 'sequence(id:int)', name);
  }
});

t.test('includes in a circle over folders in another case are read once each', async (t) => {
  const part = (location: string, name: string): string =>
    `<xs:schema ${XS} targetNamespace="urn:u"><xs:include schemaLocation="${location}"/>` +
    `<xs:simpleType name="${name}"><xs:restriction base="xs:int"/></xs:simpleType></xs:schema>`;
  const folder = folderWith(t, {
    'wsdl/a.wsdl': wsdlFor('../Xsd/One.xsd'),
    'xsd/one.xsd': part('../XSD/two.xsd', 'One'),
    'xsd/two.xsd': part('ONE.xsd', 'Two'),
  });
  const model = await readWsdl(join(folder, 'wsdl/a.wsdl'), { ...FILES, nearby: true });
  t.equal(model.documents.length, 3);
  t.ok(model.types.has('{urn:u}One') && model.types.has('{urn:u}Two'));
});

t.test('a file of another namespace, or out of the tree, is not taken for a name', async (t) => {
  const other = TYPES.replace('urn:u', 'urn:other');
  const cases: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'of another namespace': { 'w/wsdl/a.wsdl': wsdlFor('Types.xsd'), 'w/wsdl/types.xsd': other },
    'of another namespace, beside': {
      'w/wsdl/a.wsdl': wsdlFor('../gone/t.xsd'),
      'w/wsdl/t.xsd': other,
    },
    'in a hidden folder': { 'w/wsdl/a.wsdl': wsdlFor('../.Git/t.xsd'), 'w/.git/t.xsd': TYPES },
    'no schema by its name': { 'w/wsdl/a.wsdl': wsdlFor('../KEYS/t.pem'), 'w/keys/t.pem': TYPES },
    'of one name in two folders': {
      'w/wsdl/a.wsdl': wsdlFor('t.xsd'),
      'w/one/t.xsd': TYPES,
      'w/two/t.xsd': TYPES,
    },
    'in a hidden folder beside': { 'w/wsdl/a.wsdl': wsdlFor('t.xsd'), 'w/.git/t.xsd': TYPES },
    'no schema by its content': {
      'w/wsdl/a.wsdl': wsdlFor('../x/t.xsd'),
      'w/x/t.xsd': '<secret/>',
    },
    'a link out of the tree': { 'w/wsdl/a.wsdl': wsdlFor('Link.xsd') },
    'a link in a folder beside': { 'w/wsdl/a.wsdl': wsdlFor('../XSD/t.xsd'), 'w/xsd/x.xsd': other },
  };
  for (const [name, files] of Object.entries(cases)) {
    const folder = folderWith(t, { ...files, 'outside/t.xsd': TYPES });
    const out = join(folder, 'outside/t.xsd');
    if (name === 'a link out of the tree') symlinkSync(out, join(folder, 'w/wsdl/link.xsd'));
    if (name === 'a link in a folder beside') symlinkSync(out, join(folder, 'w/xsd/t.xsd'));
    const main = join(folder, 'w/wsdl/a.wsdl');
    const model = await readWsdl(main, { ...FILES, nearby: true });
    t.notOk(model.types.has('{urn:u}A'), name);
    t.ok(model.warnings.length > 0, name);
  }
});

t.test('references that lead nowhere are looked for a bounded number of times', async (t) => {
  const references = Array.from(
    { length: 1000 },
    (_, index) => `<xs:import namespace="urn:x${index}" schemaLocation="Gone${index}.xsd"/>`,
  );
  const folder = folderWith(t, { 'w/a.wsdl': importing(...references), 'w/b.txt': schemaWith('') });
  const model = await readWsdl(join(folder, 'w/a.wsdl'), { ...FILES, nearby: true });
  t.equal(model.documents.length, 1);
});
