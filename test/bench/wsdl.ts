import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { compile } from '../../src/compile.js';
import { loadConfig } from '../../src/config/load.js';
import { readWsdl } from '../../src/wsdl/read.js';
import { schemaWith, wsdlWith } from '../wsdl/written.js';
import { fileOf, isProgram, isQuick, mib, print, table } from './kit.js';

/**
 * What the start of one large WSDL takes: processor time, for what else the machine does must not
 * count.
 */
interface StartFigures {
  readonly types: number;
  readonly operations: number;
  readonly fields: number;
  readonly wsdlBytes: number;
  readonly readMillis: number;
  readonly startMillis: number;
  readonly heapBytes: number;
  readonly rssBytes: number;
}

const SIZES = [
  { types: 1250, operations: 750 },
  { types: 2500, operations: 1500 },
  { types: 5000, operations: 3000 },
] as const;

/**
 * Prints what it takes to read large WSDLs and to build their schemas, whole and with one operation
 * selected.
 */
export async function benchWsdl(quick: boolean): Promise<void> {
  const rows: string[][] = [];
  for (const { types, operations } of quick ? SIZES.slice(0, 1) : SIZES) {
    for (const selected of ['all', 'one']) {
      const figures = inProcess(types, operations, selected);
      rows.push([
        `${types}`,
        `${operations}`,
        selected,
        mib(figures.wsdlBytes),
        figures.readMillis.toFixed(0),
        figures.startMillis.toFixed(0),
        mib(figures.heapBytes),
        mib(figures.rssBytes),
      ]);
    }
  }
  print(
    '\nStart with a large WSDL: processor time of reading it, and of the whole start ' +
      '(read again, schema)\n\n',
  );
  const heads = [
    'types',
    'operations',
    'selected',
    'WSDL MiB',
    'read ms',
    'start ms',
    'heap MiB',
    'peak RSS MiB',
  ];
  print(table(heads, rows));
}

/** Each size in a process of its own, so that none inherits the memory of another. */
function inProcess(types: number, operations: number, selected: string): StartFigures {
  const child = [fileOf('wsdl.js'), '--json', String(types), String(operations), selected];
  return JSON.parse(
    execFileSync(process.execPath, ['--expose-gc', ...child], { encoding: 'utf8' }),
  );
}

function cpuMillis(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function measure(types: number, operations: number, selected: string): Promise<StartFigures> {
  const directory = await mkdtemp(join(tmpdir(), 'soapstone-wsdl-'));
  try {
    const text = largeWsdl(types, operations);
    await writeFile(join(directory, 'a.wsdl'), text);
    const one = selected === 'one' ? '\n    operations: { Op1: { field: Query.op1 } }' : '';
    const config = join(directory, 'soapstone.yaml');
    await writeFile(
      config,
      `services:\n  a:\n    wsdl: a.wsdl\n    url: http://127.0.0.1:9/${one}\n`,
    );
    const begin = cpuMillis();
    await readWsdl(join(directory, 'a.wsdl'), { fetch: null, root: null, hosts: [] });
    const between = cpuMillis();
    const compiled = await compile(await loadConfig(config, {}));
    const end = cpuMillis();
    globalThis.gc?.();
    const fields = compiled.graph.fields.size;
    const heapBytes = process.memoryUsage().heapUsed;
    await compiled.close();
    return {
      types,
      operations,
      fields,
      wsdlBytes: Buffer.byteLength(text),
      readMillis: between - begin,
      startMillis: end - between,
      heapBytes,
      rssBytes: process.resourceUsage().maxRSS * 1024,
    };
  } finally {
    await rm(directory, { recursive: true });
  }
}

/**
 * Types of seven elements that refer to each other in circles, operations with a type of their own
 * each way.
 */
export function largeWsdl(types: number, operations: number): string {
  const numbered = (count: number) => Array.from({ length: count }, (_, at) => at);
  const fields = ['string', 'int', 'decimal', 'dateTime', 'boolean', 'long'].map(
    (type, at) => `<xs:element name="f${at}" type="xs:${type}" minOccurs="0"/>`,
  );
  const declared = numbered(types).map(
    (at) =>
      `<xs:complexType name="T${at}"><xs:sequence>${fields.join('')}` +
      `<xs:element name="a" type="t:T${(at * 7 + 1) % types}" minOccurs="0"/>` +
      '</xs:sequence></xs:complexType>',
  );
  const elements = numbered(operations).map(
    (at) =>
      `<xs:element name="I${at}" type="t:T${at}"/>` +
      `<xs:element name="O${at}" type="t:T${(at + 1) % types}"/>`,
  );
  const each = (print: (at: number) => string): string =>
    numbered(operations).map(print).join('\n');
  const body = '<soap:body use="literal"/>';
  return wsdlWith({
    types: schemaWith([...declared, ...elements].join('\n')),
    messages: each(
      (at) =>
        `<message name="I${at}"><part name="p" element="t:I${at}"/></message>` +
        `<message name="O${at}"><part name="p" element="t:O${at}"/></message>`,
    ),
    portType:
      `<portType name="P">${each(
        (at) => `<operation name="Op${at}"><input message="t:I${at}"/>\
<output message="t:O${at}"/></operation>`,
      )}` + '</portType>',
    binding:
      '<binding name="B" type="t:P"><soap:binding style="document" ' +
      'transport="http://schemas.xmlsoap.org/soap/http"/>' +
      `${each(
        (at) => `<operation name="Op${at}"><soap:operation soapAction=""/>\
<input>${body}</input><output>${body}</output></operation>`,
      )}` +
      '</binding>',
  });
}

if (isProgram(import.meta.url)) {
  const [flag, types, operations, selected = 'all'] = process.argv.slice(2);
  if (flag === '--json')
    print(`${JSON.stringify(await measure(Number(types), Number(operations), selected))}\n`);
  else await benchWsdl(isQuick());
}
