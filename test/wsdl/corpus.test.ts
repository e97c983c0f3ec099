import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { ConfigurationError, type Diagnostic } from '../../src/core/diagnostic.js';
import { AT_ONCE } from '../../src/core/time-slices.js';
import { copyWsdl } from '../../src/wsdl/copy.js';
import type { FetchDocument } from '../../src/wsdl/documents/document-source.js';
import { parseTree } from '../../src/wsdl/documents/parse.js';
import type { WsdlModel } from '../../src/wsdl/model.js';
import { readWsdl } from '../../src/wsdl/read.js';
import { reportRows } from '../../src/wsdl/report.js';
import { CORPUS, corpusModels, WITH_CORPUS, wsdlsIn } from './corpus-models.js';
import { FILES, operationsIn, problemsOf, servedTexts } from './written.js';

const GOLDEN = 'test/wsdl/fixtures/corpus.json';
const LAB = 'test/wsdl/fixtures/lab';

const hasPosition = ({ file, line, column }: Diagnostic): boolean =>
  file !== null && line !== null && column !== null;

t.test(
  'every WSDL of other projects is read, or refused with its place, in bounded time',
  WITH_CORPUS,
  async (t) => {
    const refused = new Set(wsdlsIn(CORPUS));
    t.ok(refused.size >= 41);
    const counts: Record<string, Counts> = {};
    const reports: OperationReport[] = [];
    for await (const { file, model } of corpusModels()) {
      refused.delete(file);
      counts[relative(CORPUS, file)] = countsOf(model);
      reports.push(...documentLiteral(model));
      for (const { status, location } of reportRows(model)) {
        t.ok(
          status === 'ok' || location?.includes(':'),
          'each operation that is not ok has a position',
        );
      }
      t.ok(model.warnings.every(hasPosition), `${file}: each warning has a position`);
      const copy = join(t.testdir({}), 'copy');
      const again = await readWsdl(join(copy, await copyWsdl(model, copy)), FILES);
      t.strictSame(plain(again), plain(model), `${file}: the copy has the same model`);
      for (const text of servedTexts(model.documents, 'http://gateway/soap/x')) {
        t.ok(
          AT_ONCE.finish(parseTree({ file, text }, { elements: 100_000 }, () => undefined)),
          'what is served is well-formed',
        );
      }
    }
    for (const file of refused) {
      const problems = await problemsOf(file, { ...FILES, root: CORPUS });
      counts[relative(CORPUS, file)] = { refused: problems[0]?.what ?? '' };
      t.ok(problems.every(hasPosition), `${file} is refused with its position`);
    }
    if (process.env['WRITE_GOLDEN'] === '1')
      writeFileSync(GOLDEN, `${JSON.stringify(counts, null, 2)}\n`);
    t.strictSame(
      counts,
      JSON.parse(readFileSync(GOLDEN, 'utf8')),
      'exactly these; WRITE_GOLDEN=1 writes them anew',
    );
    for (const [file, row] of Object.entries(counts))
      t.comment(`${file} ${Object.values(row).join(' ')}`);
    const ok = reports.filter(({ status }) => status === 'ok').length;
    t.comment(`document/literal: ${ok} of ${reports.length} are ok`);
    t.ok(ok / reports.length >= 0.95, 'the bar: 95 % of the operations of document/literal');
  },
);

/** Of each file: how many of what, or why it is refused. */
type Counts =
  | Readonly<Record<'services' | 'ports' | 'ok' | 'partial' | 'disabled', number>>
  | { readonly refused: string };

function countsOf(model: WsdlModel): Counts {
  const rows = reportRows(model);
  const count = (wanted: string): number => rows.filter(({ status }) => status === wanted).length;
  const { services } = model;
  const ports = services.reduce((sum, service) => sum + service.ports.length, 0);
  return {
    services: services.length,
    ports,
    ok: count('ok'),
    partial: count('partial'),
    disabled: count('disabled'),
  };
}

interface OperationReport {
  readonly status: string;
}

/** Not a client's to call, not SOAP, or described in a document that did not come with the WSDL. */
const NO_CALLS = /started by the server|not for SOAP|The port type \S+ is not defined/;
const ABSENT = /names a URL/;

/** The callable operations of document/literal, as far as their WSDL is complete. */
function documentLiteral(model: WsdlModel): readonly OperationReport[] {
  const isWhole = !model.warnings.some(({ what }) => ABSENT.test(what));
  return model.services
    .flatMap(({ ports }) => ports)
    .flatMap(({ operations }) => operations)
    .filter(
      ({ style, use, reasons }) =>
        style !== 'rpc' && use !== 'encoded' && !NO_CALLS.test(reasons[0]?.what ?? ''),
    )
    .filter(({ status }) => isWhole || status === 'ok');
}

/** What a model means without the places it was read from; the graph's cycles cut at names. */
function plain(model: WsdlModel): unknown {
  const seen = new Set<unknown>();
  const cut = (_key: string, value: unknown): unknown => {
    if (value instanceof Map) return [...value];
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    if ('kind' in value && ('derived' in value || value.kind === 'element')) {
      if (seen.has(value)) return 'name' in value ? { again: value.name } : null;
      seen.add(value);
    }
    if ('what' in value && 'line' in value) return { what: value.what, line: value.line };
    return value;
  };
  const { services, types, elements } = model;
  return JSON.parse(JSON.stringify({ services, types, elements }, cut));
}

t.test('the WSDLs of the lab: every operation of document/literal is whole', async (t) => {
  const php = await readWsdl(join(LAB, 'php.wsdl'), FILES);
  t.strictSame(
    php.services[0]?.ports.map(({ name, dialect, operations }) => [
      name,
      dialect,
      operations.length,
    ]),
    [
      ['OrderDeskSoap', '1.1', 13],
      ['OrderDeskSoap12', '1.2', 13],
    ],
  );
  t.ok(reportRows(php).every(({ status }) => status === 'ok'));
  t.strictSame(php.warnings, []);
  const notify = php.services[0]?.ports[0]?.operations.find(({ name }) => name === 'Notify');
  t.equal(notify?.output, null);
  const whoAmI = php.services[0]?.ports[0]?.operations.find(({ name }) => name === 'WhoAmI');
  t.match(whoAmI?.input.headers, [{ element: { name: { local: 'AuthToken' } } }]);
  for (const [file, dialect] of [
    ['spyne11.wsdl', '1.1'],
    ['spyne12.wsdl', '1.2'],
  ] as const) {
    const spyne = await readWsdl(join(LAB, file), FILES);
    t.ok(
      reportRows(spyne).every(({ status }) => status === 'ok'),
      file,
    );
    t.equal(spyne.services[0]?.ports[0]?.dialect, dialect);
    t.strictSame(
      spyne.services.map(({ name }) => name.local),
      ['OrderDesk', 'Auth'],
    );
  }
  const encoded = await readWsdl(join(LAB, 'php-rpc.wsdl'), FILES);
  const operations = operationsIn(encoded);
  t.ok(
    operations.length > 0 &&
      operations.every(({ status, use }) => status !== 'disabled' && use === 'encoded'),
  );
});

t.test('a WSDL damaged anywhere is read or refused, never more than that', async (t) => {
  const text = readFileSync(join(LAB, 'php.wsdl'), 'latin1');
  const schema = readFileSync(join(LAB, 'orders.xsd'), 'latin1');
  const damage = fc.record({
    at: fc.nat(),
    cut: fc.nat(40),
    put: fc.oneof(
      fc.constantFrom('<', '>', '"', '&', '', 'xs:', '__proto__', '-1', '&#0;', '<a>', ']]>'),
      fc.string(),
    ),
  });
  const damaged = (whole: string, { at, cut, put }: { at: number; cut: number; put: string }) => {
    const start = at % whole.length;
    return whole.slice(0, start) + put + whole.slice(start + cut);
  };
  await fc.assert(
    fc.asyncProperty(damage, damage, async (first, second) => {
      const fetch: FetchDocument = async (url) => {
        const body = url.endsWith('xsd') ? damaged(schema, second) : damaged(text, first);
        return {
          url,
          contentType: 'text/xml; charset=iso-8859-1',
          body: Buffer.from(body, 'latin1'),
        };
      };
      try {
        const model = await readWsdl('http://h/legacy?wsdl', { fetch, root: null, hosts: [] });
        return model.warnings.every(hasPosition);
      } catch (error) {
        return error instanceof ConfigurationError && error.diagnostics.length > 0;
      }
    }),
    { numRuns: 200 },
  );
  t.pass('200 damaged documents');
});
