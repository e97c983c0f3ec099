import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { check } from '../../src/cli/check.js';
import { type LoadedConfig, loadConfig } from '../../src/config/load.js';
import { INCLUDED_FILES_MAX } from '../../src/config/process/include-keys.js';
import { printDiagnostic } from '../../src/core/diagnostic.js';
import { glob, matchesName } from '../../src/core/files/glob.js';
import {
  emptySnapshot,
  type Inputs,
  LIVE_INPUTS,
  recordInputs,
  replayInputs,
} from '../../src/core/files/inputs.js';
import { diagnosticsOf } from '../kit/configuration.js';

/** A configuration in several files. */

const service = (name: string, more = ''): string =>
  `services:\n  ${name}: { url: http://a/${more} }\n`;

/** Writes the files and loads the first of them. */
async function load(
  test: Test,
  files: Readonly<Record<string, string>>,
  inputs?: Inputs,
): Promise<LoadedConfig> {
  return loadConfig(await write(test, files), { PATTERN: 'services/*.yaml' }, {}, inputs);
}

async function write(test: Test, files: Readonly<Record<string, string>>): Promise<string> {
  const directory = test.testdir({ services: {} });
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  return join(directory, 'soapstone.yaml');
}

/** The problems of the files, as `file:line:column: what remedy`. */
const problems = async (
  test: Test,
  files: Readonly<Record<string, string>>,
): Promise<readonly string[]> =>
  (await diagnosticsOf(load(test, files))).map((each) =>
    printDiagnostic(each).replaceAll(`${test.testdirName}/`, ''),
  );

t.test('services of included files stand beside those of the first file', async (t) => {
  const { config } = await load(t, {
    'soapstone.yaml': `include: ["services/*.yaml"]\nlog: { level: warn }\n${service('a')}`,
    'services/b.yaml': `${service('b')}limits: { xml: { depth: 40 } }\n`,
    'services/c.yaml': `${service('c')}limits: { http: { drainMillis: 5s } }\n`,
    'services/.hidden.yaml': service('d'),
    'services/notes.txt': 'not: [yaml',
    'services/empty.yaml': '# nothing yet\n',
  });
  t.same(Object.keys(config.services), ['a', 'b', 'c']);
  t.match(config, {
    log: { level: 'warn' },
    limits: { xml: { depth: 40 }, http: { drainMillis: 5000 } },
  });
});

t.test(
  'every service may stand in an included file, and patterns may come from the environment',
  async (t) => {
    const { config } = await load(t, {
      'soapstone.yaml': `include: ["\${PATTERN}"]\n`,
      'services/a.yaml': service('a'),
    });
    t.same(Object.keys(config.services), ['a']);
  },
);

t.test('a file is included once, and the first one never', async (t) => {
  const { config } = await load(t, {
    'soapstone.yaml': `include: ["*.yaml", b.yaml, "?.yaml"]\n${service('a')}`,
    'b.yaml': service('b'),
  });
  t.same(Object.keys(config.services), ['a', 'b']);
});

t.test('paths in a file are relative to it', async (t) => {
  const loaded = await load(t, {
    'soapstone.yaml': 'include: ["services/*.yaml"]\n',
    'services/a.yaml':
      'services: { a: { url: http://a/, headers: { x-key: { file: key.txt } } } }\n',
    'services/key.txt': 'secret\n',
  });
  t.match(loaded.config.services['a']?.headers, { 'x-key': 'secret' });
  t.equal(
    loaded.fileAt(['services', 'a', 'headers', 'x-key']),
    join(t.testdirName, 'services/key.txt'),
  );
  const { location } = loaded.locate(['services', 'a', 'wsdl'], 'a.wsdl');
  t.equal(location, join(t.testdirName, 'services/a.wsdl'));
});

t.test('problems name the file and the line', async (t) => {
  t.same(
    await problems(t, {
      'soapstone.yaml': `include: ["services/*.yaml"]\n${service('a')}limitz: {}\n`,
      'services/b.yaml':
        '# b\nservices:\n  b:\n    mode: loud\n    url: http://b/\n' +
        '    types: { file: none.graphql }\n',
      'services/c.yaml': 'services:\n  c: { url: http://c/, path: /soap/a }\n',
    }),
    [
      'soapstone.yaml:4:1: Unknown key `limitz`. Did you mean `limits`?',
      'services/b.yaml:4:11: `services.b.mode` must be one of `enforce`, `monitor`.',
      'services/b.yaml:6:12: The file none.graphql cannot be read (ENOENT). ' +
        'Paths are relative to the configuration file.',
      'services/c.yaml:2:30: `services.c.path` is the same path as `services.a.path`. ' +
        'Give each its own path.',
    ],
  );
});

t.test('a key that two files have is a problem that names both places', async (t) => {
  t.same(
    await problems(t, {
      'soapstone.yaml': `include: ["services/*.yaml"]\nlisten: 127.0.0.1:0\n${service('a')}`,
      'services/b.yaml': `${service('b')}listen: 127.0.0.1:1\ninclude: [x.yaml]\n`,
      'services/c.yaml': `\n${service('a', 'c')}  b: { url: http://b/ }\n`,
      'services/d.yaml': '- a list\n',
    }),
    [
      'services/b.yaml:3:1: `listen` stands in two files, first in soapstone.yaml:2. ' +
        'Keep one of them, or rename one.',
      'services/b.yaml:4:1: `include` stands in an included file. ' +
        'Name these files in the first file.',
      'services/c.yaml:3:3: `services.a` stands in two files, first in soapstone.yaml:4. ' +
        'Keep one of them, or rename one.',
      'services/c.yaml:4:3: `services.b` stands in two files, first in services/b.yaml:2. ' +
        'Keep one of them, or rename one.',
      'services/d.yaml:1:1: The included file is not a map of keys. Begin it with `services:`.',
    ],
  );
});

t.test('files that cannot be read are problems where they are named', async (t) => {
  t.same(
    await problems(t, {
      'soapstone.yaml':
        'include:\n  - none.yaml\n  - "none/*.yaml"\n  - services\n' +
        `  - b.yaml\n${service('a')}`,
      'b.yaml': 'a: [',
    }),
    [
      'soapstone.yaml:3:5: No file matches none/*.yaml. Check the name; ' +
        'where there may be none, write { files: "none/*.yaml", optional: true }.',
      'soapstone.yaml:2:5: The included file none.yaml cannot be read (ENOENT).',
      'soapstone.yaml:4:5: The included file services cannot be read (EISDIR).',
      'b.yaml:1:4: A brace or bracket that opens here is not closed. Close it with `}` or `]`.',
    ],
  );
  t.same(await problems(t, { 'soapstone.yaml': `include: x\n${service('a')}` }), [
    'soapstone.yaml:1:10: `include` must be a list. ' +
      'Write it as in `include: ["services/*.yaml"]`.',
  ]);
});

t.test(`${INCLUDED_FILES_MAX} files are included, and not one more`, async (t) => {
  const pattern = join(t.testdirName, 'services/*.yaml');
  const first = { 'soapstone.yaml': `include: ["services/*.yaml"]\n${service('a')}` };
  const inputsWith = (count: number): Inputs => ({
    ...LIVE_INPUTS,
    glob: async (path) => {
      t.equal(path, pattern);
      return Array.from({ length: count }, (_, index) => `/${index}.yaml`);
    },
    readFile: async (path) =>
      path.endsWith('soapstone.yaml') ? LIVE_INPUTS.readFile(path) : Buffer.from('# none'),
  });
  t.ok(await load(t, first, inputsWith(INCLUDED_FILES_MAX)));
  const error = await load(t, first, inputsWith(INCLUDED_FILES_MAX + 1)).catch(
    (thrown: unknown) => thrown,
  );
  t.match(error, {
    diagnostics: [
      { line: 1, column: 11, what: `More than ${INCLUDED_FILES_MAX} files are included.` },
    ],
  });
});

t.test('another process loads the same from a snapshot', async (t) => {
  const files = {
    'soapstone.yaml': 'include: ["services/*.yaml"]\n',
    'services/a.yaml': service('a'),
  };
  const snapshot = emptySnapshot();
  await load(t, files, recordInputs(snapshot));
  const { config } = await load(
    t,
    { ...files, 'services/b.yaml': service('b') },
    replayInputs(snapshot),
  );
  t.same(Object.keys(config.services), ['a']);
});

t.test(
  '`check` finds the WSDLs of included files, also of a configuration with other problems',
  async (t) => {
    const file = await write(t, {
      'soapstone.yaml': 'include: ["services/*.yaml"]\n',
      'services/a.yaml': 'services: { a: { wsdl: a.wsdl, url: http://a/ } }\nlimitz: {}\n',
      'services/a.wsdl': '<definitions',
    });
    const error = await check(file, { out: () => {}, error: () => {} }).catch(
      (thrown: unknown) => thrown,
    );
    t.match(error, {
      diagnostics: [
        { file: join(t.testdirName, 'services/a.yaml'), line: 2, what: /limitz/ },
        { file: join(t.testdirName, 'services/a.wsdl'), line: 1 },
      ],
    });
  },
);

t.test('a pattern matches names and no more', async (t) => {
  const directory = t.testdir({
    a: { 'x.yaml': '', 'y.yml': '' },
    b: { 'x.yaml': '', c: { 'z.yaml': '' } },
  });
  await mkdir(join(directory, '..data'));
  await writeFile(join(directory, '..data/x.yaml'), '');
  const matches = async (pattern: string) =>
    (await glob(join(directory, pattern))).map((path) => path.slice(directory.length + 1));
  t.same(await matches('*/x.yaml'), ['a/x.yaml', 'b/x.yaml']);
  t.same(await matches('b/*'), ['b/x.yaml'], 'no folders');
  t.same(await matches('*/*.y*l'), ['a/x.yaml', 'a/y.yml', 'b/x.yaml']);
  t.same(await matches('none/*'), []);
  const rows: readonly (readonly [string, string, boolean])[] = [
    ['abc', 'a*c', true],
    ['abc', 'a?c', true],
    ['ac', 'a?c', false],
    ['abcbc', '*bc', true],
    ['abc', '**', true],
    ['.a', '*', false],
    ['.a', '.*', true],
    ['a.b', 'a.b', true],
    ['aXb', 'a.b', false],
  ];
  for (const [name, pattern, isMatch] of rows)
    t.equal(matchesName(name, pattern), isMatch, `${name} ${pattern}`);
});

t.test(
  'files that may be absent are named as optional; a file that is empty is an error',
  async (t) => {
    const { config } = await load(t, {
      'soapstone.yaml':
        'include: [{ files: "none/*.yaml", optional: true }, { files: none.yaml, optional: ' +
        'true }, { files: b.yaml }]\n',
      'b.yaml': service('b'),
    });
    t.same(Object.keys(config.services), ['b']);
    t.same(
      await problems(t, {
        'soapstone.yaml': `include: [b.yaml]\n${service('a')}`,
        'b.yaml': ' \n',
      }),
      ['b.yaml:1:1: The included file is empty. Remove it, or write a comment into it.'],
    );
    t.match(
      await problems(t, {
        'soapstone.yaml': `include: [{ file: b.yaml }]\n${service('a')}`,
        'b.yaml': '#',
      }),
      [/files/],
    );
  },
);
