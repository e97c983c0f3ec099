import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { printSchema, validateSchema } from 'graphql';
import t from 'tap';
import { ConfigurationError, printDiagnostic } from '../../src/core/diagnostic.js';
import { buildSchema } from '../../src/graphql/schema/schema.js';
import type { Operation, WsdlModel } from '../../src/wsdl/model.js';
import { readWsdl } from '../../src/wsdl/read.js';
import { CORPUS, WITH_CORPUS, wsdlsIn } from '../wsdl/corpus-models.js';
import { FILES } from '../wsdl/written.js';
import { costWithinDefaults, queriesOfTypes } from './reachable.js';

/**
 * The schema of every WSDL of the corpus, as it prints. `UPDATE_GOLDEN=1` writes the files anew:
 * read what changed before it is kept.
 */
const GOLDEN = 'test/graphql/golden';
const UPDATE = process.env['UPDATE_GOLDEN'] === '1';

const goldenOf = (file: string): string =>
  join(
    GOLDEN,
    `${relative(CORPUS, file)
      .replace(/\.wsdl$/, '')
      .replaceAll(/[/\\]/g, '.')}.graphql`,
  );

/** The operations of the port that a configuration without a choice gets. */
function operationsOf({ services }: WsdlModel): readonly Operation[] {
  const ports = services.flatMap((service) => service.ports);
  return (
    ports.find(({ operations }) => operations.some(({ status }) => status !== 'disabled'))
      ?.operations ?? []
  );
}

interface Printed {
  readonly text: string;
  /**
   * Object types that fields lead to, and those that no query within the default limits can reach.
   */
  readonly types: number;
  readonly unreachable: readonly string[];
}

async function print(file: string): Promise<Printed> {
  let model: WsdlModel;
  try {
    model = await readWsdl(file, { ...FILES, root: dirname(dirname(file)) });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const lines = error.diagnostics.map((problem) =>
      printDiagnostic(problem).replaceAll(dirname(dirname(file)), '...'),
    );
    return {
      text: `# It cannot be read:\n${lines.map((line) => `# ${line}\n`).join('')}`,
      types: 0,
      unreachable: [],
    };
  }
  const name = model.services[0]?.name.local ?? 'service';
  const [knownTypes, elements] = [[...model.types.values()], [...model.elements.values()]];
  const built = buildSchema([
    {
      name,
      operations: operationsOf(model),
      mapping: new Map(),
      naming: 'camel',
      knownTypes,
      elements,
    },
  ]);
  const { schema, warnings } = built;
  const problems = validateSchema(schema).map(({ message }) => message);
  if (problems.length > 0) throw new Error(`${file}: ${problems.join(' ')}`);
  const said = warnings.map(({ what }) => `# ${what.replaceAll(/\s+/g, ' ')}\n`).join('');
  const ports = model.services.flatMap((service) =>
    service.ports.map(({ operations }) => operations),
  );
  let types = 0;
  const unreachable: string[] = [];
  for (const operations of ports) {
    const ofPort = buildSchema([
      { name, operations, mapping: new Map(), naming: 'camel', knownTypes, elements },
    ]);
    for (const [type, query] of queriesOfTypes(ofPort.schema)) {
      types++;
      try {
        costWithinDefaults(ofPort, query);
      } catch (caught) {
        unreachable.push(`${type}: ${String(caught)}`);
      }
    }
  }
  return {
    text: `${said}${said === '' ? '' : '\n'}${printSchema(schema)}\n`,
    types,
    unreachable,
  };
}

t.test(
  'the schema of each WSDL of other projects is the one that was looked at, and queries ' +
    'reach each of its types',
  WITH_CORPUS,
  async (t) => {
    const files = wsdlsIn(CORPUS);
    t.ok(files.length >= 41);
    let reached = 0;
    if (UPDATE) mkdirSync(GOLDEN, { recursive: true });
    for (const file of files) {
      const { text: printed, types, unreachable } = await print(file);
      reached += types - unreachable.length;
      t.same(unreachable, [], `${file}: a query within the default limits reaches each type`);
      const golden = goldenOf(file);
      if (UPDATE) writeFileSync(golden, printed);
      t.equal(printed, existsSync(golden) ? readFileSync(golden, 'utf8') : '', golden);
    }
    t.ok(reached > 60, `${reached} types are reached`);
    const kept = new Set(files.map(goldenOf));
    t.same(
      readdirSync(GOLDEN).filter((name) => !kept.has(join(GOLDEN, name))),
      [],
      'no golden file is left over',
    );
  },
);
