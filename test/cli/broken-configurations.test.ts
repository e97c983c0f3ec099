import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

import { check } from '../../src/cli/check.js';
import { ConfigurationError, printDiagnostic } from '../../src/core/diagnostic.js';

/**
 * Configurations with the mistakes that people make: what `check` reports of each, with the line,
 * the cause and the remedy, and nothing else.
 */

interface BrokenConfiguration {
  readonly mistake: string;
  readonly yaml: readonly string[];
  /** Line, column, and the text; FOLDER stands for the folder of the configuration. */
  readonly report: readonly string[];
}

const TABLE: readonly BrokenConfiguration[] = JSON.parse(
  readFileSync('test/cli/broken-configurations.json', 'utf8'),
);

/** Files beside a configuration. */
const BESIDE = {
  'page.wsdl': '<!doctype html><html><body>Login</body></html>',
  'empty.wsdl': '',
  'cut.wsdl': '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"><types>',
  'types.xsd': '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>',
  'next.wsdl': '<description xmlns="http://www.w3.org/ns/wsdl"/>',
  'nothing.wsdl': '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"/>',
  'bad.pem': 'no certificate',
};

const QUIET = { out: () => {}, error: () => {} };

async function reportOf(file: string): Promise<readonly string[]> {
  try {
    await check(file, QUIET);
    return [];
  } catch (caught) {
    if (!(caught instanceof ConfigurationError)) throw caught;
    return caught.diagnostics.map(printDiagnostic);
  }
}

t.test('at least fifty configurations are broken, each in its own way', (t) => {
  t.ok(TABLE.length >= 50, `${TABLE.length} configurations`);
  t.equal(new Set(TABLE.map(({ mistake }) => mistake)).size, TABLE.length);
  t.end();
});

t.test(
  'each mistake is reported with its line, its cause and what to do, and nothing else is',
  async (t) => {
    process.env['BROKEN_TIMEOUT'] = 'soon';
    t.teardown(() => {
      delete process.env['BROKEN_TIMEOUT'];
    });
    const folder = t.testdir();
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(BESIDE)) writeFileSync(join(folder, name), text);
    const file = join(folder, 'soapstone.yaml');
    for (const { mistake, yaml, report } of TABLE) {
      writeFileSync(file, yaml.map((line) => `${line}\n`).join(''));
      const found = (await reportOf(file)).map((line) =>
        line.replaceAll(`${file}:`, '').replaceAll(folder, 'FOLDER'),
      );
      t.same(found, report, mistake);
    }
  },
);
