import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import t from 'tap';

import { startDemoBackend } from '../../config/demo/backend.js';
import { compile } from '../../src/compile.js';
import { loadConfig } from '../../src/config/load.js';
import { diagnosticsOf } from '../kit/configuration.js';
import { startTestGateway } from '../kit/gateway.js';

/**
 * The examples beside the demonstration: each stands alone, is started, and what its head says to
 * ask is asked.
 */

const FOLDER = 'config/examples';
const NAMES = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'));

/** Capabilities that have an example of their own. */
const NAMED = [
  ...['rest', 'mcp', 'ws-security', 'pages', 'idempotency', 'rate', 'downloads', 'uploads'],
  ...['validate', 'tolerate', 'values', 'oauth', 'without-wsdl', 'clients', 'caching', 'links'],
  ...['federation', 'masking', 'monitor', 'replicas', 'subscriptions', 'two-addresses'],
  ...['all-operations', 'selected-operations', 'canary', 'shadow', 'bridge', 'record'],
  ...['telemetry', 'inspect', 'bound-tokens', 'decrypt'],
];

/** A request in the comments of an example, and the answer in the line after it. */
const REQUEST = /^# +(curl -s .+)\n# +(.+)$/gm;

t.test('each capability has an example', (t) => {
  t.same([...NAMES].sort(), NAMED.map((name) => `${name}.yaml`).sort());
  t.end();
});

t.test('every example alone in a folder passes `check`, without variables', async (t) => {
  for (const name of NAMES) {
    const folder = t.testdir();
    cpSync(join(FOLDER, name), join(folder, name));
    const use = async (): Promise<void> => {
      const compiled = await compile(await loadConfig(join(folder, name), {}));
      await compiled.close();
    };
    t.same(await diagnosticsOf(use()), [], name);
  }
});

/** The request of a `curl` command, for a gateway at another address. */
function requestOf(command: string, url: string): Request {
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );
  const valuesOf = (...options: string[]): string[] =>
    words.flatMap((word, at) => (options.includes(words[at - 1] ?? '') ? [word] : []));
  const [address = ''] = words.filter((word) => word.startsWith('http://127.0.0.1:4000'));
  const headers = valuesOf('-H').map((line): [string, string] => {
    const [name = '', value = ''] = line.split(': ');
    return [name, value];
  });
  const [data = null] = [
    ...valuesOf('-d'),
    ...valuesOf('--data-binary').map((file) => readFileSync(file.slice(1), 'utf8')),
  ];
  const parts = valuesOf('-F');
  const body = parts.length > 0 ? formOf(parts) : data;
  return new Request(address.replace('http://127.0.0.1:4000', url), {
    method: body === null ? 'GET' : 'POST',
    headers,
    body,
  });
}

function formOf(parts: readonly string[]): FormData {
  const form = new FormData();
  for (const part of parts) {
    const name = part.slice(0, part.indexOf('='));
    const value = part.slice(name.length + 1);
    if (value.startsWith('@')) {
      form.set(name, new Blob([readFileSync(value.slice(1))]), basename(value));
    } else {
      form.set(name, value);
    }
  }
  return form;
}

t.test('every example starts, and answers what its head says', async (t) => {
  const demo = await startDemoBackend('127.0.0.1', 0);
  t.teardown(() => demo.close());
  for (const name of NAMES) {
    const text = readFileSync(join(FOLDER, name), 'utf8');
    t.match(text, `soapstone start -c ${FOLDER}/${name}`);
    const gateway = await startTestGateway(
      text
        .replaceAll('127.0.0.1:8081', new URL(demo.url).host)
        .replace(/^(?:listen|admin|demo): .*\n/gm, ''),
    );
    const requests = [...text.matchAll(REQUEST)];
    t.ok(requests.length > 0, name);
    for (const [, command = '', answer = ''] of requests) {
      const answered = await (await fetch(requestOf(command, gateway.url))).text();
      if (!answer.startsWith('{') || !answer.endsWith('}')) {
        t.match(answered, answer, `${name}: ${command}`);
        continue;
      }
      const { extensions, ...given } = JSON.parse(answered);
      const expected = JSON.parse(answer.replaceAll('...', ''));
      t.match(given, expected, `${name}: ${command}`);
      t.equal(given.errors?.length, expected.errors?.length, `${name}: ${command}`);
    }
    await gateway.close();
  }
});
