import { readWsdl } from '../../src/wsdl/read.js';
import { schemaWith, wsdlWith } from '../wsdl/written.js';
import { median, print, table } from './kit.js';

/**
 * Reads schemas of one, two and four times the size: what is read must cost what it is long,
 * whatever its types have to do with each other. Processor time, the median of some runs; nothing
 * here passes or fails.
 */
const SIZES = [1250, 2500, 5000] as const;
const RUNS = 5;

const repeat = (count: number, write: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => write(at)).join('\n');

const extending = (base: string, content: string): string =>
  `<xs:complexContent><xs:extension base="t:${base}">${content}</xs:extension></xs:complexContent>`;

/** Each with as many complex types as asked for. */
const SHAPES: Readonly<Record<string, (count: number) => string>> = {
  'ten elements each, four derivations deep': (count) =>
    repeat(count, (at) => {
      const elements = repeat(10, (field) => {
        const type =
          field % 3 === 0
            ? `t:T${(at * 7 + field) % count}`
            : field % 3 === 1
              ? 'xs:string'
              : `t:S${at}`;
        return `<xs:element name="e${field}" type="${type}" minOccurs="0"/>`;
      });
      const content = extending(
        at % 4 === 0 ? 'Base' : `T${at - 1}`,
        `<xs:sequence>${elements}</xs:sequence>`,
      );
      return `<xs:complexType name="T${at}">${content}</xs:complexType>\
<xs:simpleType name="S${at}"><xs:restriction base="xs:string">
        <xs:enumeration value="A"/><xs:enumeration value="B"/></xs:restriction></xs:simpleType>`;
    }),
  'a substitution group of as many members, referred to by each': (count) =>
    '<xs:element name="Head" abstract="true" type="t:Base"/>' +
    `${repeat(
      count,
      (at) => `<xs:element name="M${at}" type="t:Base" substitutionGroup="t:Head"/>
        <xs:complexType name="T${at}"><xs:sequence><xs:element ref="t:Head" maxOccurs="unbounded"/>\
</xs:sequence></xs:complexType>`,
    )}`,
  'unions of two enumerations, groups and attribute groups': (count) =>
    repeat(
      count,
      (at) => `<xs:simpleType name="E${at}"><xs:restriction base="xs:token">\
<xs:enumeration value="e"/></xs:restriction></xs:simpleType>
        <xs:simpleType name="U${at}"><xs:union memberTypes="t:E${at} t:E${count - at - 1} \
xs:string"/></xs:simpleType>
        <xs:group name="G${at}"><xs:choice><xs:element name="u" type="t:U${at}"/>\
<xs:any namespace="##other"/></xs:choice></xs:group>
        <xs:attributeGroup name="A${at}"><xs:attribute name="u" type="t:U${at}"/><xs:anyAttribute/>\
</xs:attributeGroup>
        <xs:complexType name="T${at}"><xs:group ref="t:G${count - at - 1}"/>\
<xs:attributeGroup ref="t:A${at}"/></xs:complexType>`,
    ),
};

async function cpuMillis(wsdl: Buffer): Promise<number> {
  const before = process.cpuUsage();
  const fetch = async (url: string) => ({ url, contentType: 'text/xml', body: wsdl });
  await readWsdl('http://bench.invalid/a.wsdl', { fetch, root: null, hosts: [] });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const rows: string[][] = [];
for (const [shape, write] of Object.entries(SHAPES)) {
  for (const size of SIZES) {
    const types = schemaWith(`<xs:complexType name="Base"/>${write(size)}`);
    const wsdl = Buffer.from(wsdlWith({ types }));
    const runs: number[] = [];
    for (let run = 0; run < RUNS; run++) runs.push(await cpuMillis(wsdl));
    const millis = median(runs);
    rows.push([
      shape,
      String(size),
      String(Math.round(wsdl.length / 1024)),
      millis.toFixed(0),
      (millis / size).toFixed(3),
    ]);
  }
}
print(table(['schema', 'types', 'KiB', 'ms of CPU', 'ms per type'], rows));
