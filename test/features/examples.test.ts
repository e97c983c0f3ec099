import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import t from 'tap';

import { startDemoBackend } from '../../config/demo/backend.js';
import { startTestGateway } from '../kit/gateway.js';
import { postJson } from '../kit/graphql-client.js';

/**
 * The examples beside the demonstration: each is started, and what its head says to ask is asked.
 */

const FOLDER = 'config/examples';

/** A request in the comments of an example, and the answer in the line after it. */
const REQUEST = /^# +curl -s \S+:4000(\S+)((?: -H '[^']+')+) -d '([^']+)'\n# +(.+)$/gm;

t.test('every example starts, and answers what its head says', async (t) => {
  const demo = await startDemoBackend('127.0.0.1', 0);
  t.teardown(() => demo.close());
  const names = readdirSync(FOLDER);
  t.equal(names.length, 13);
  for (const name of names) {
    const text = readFileSync(join(FOLDER, name), 'utf8');
    t.match(text, `soapstone start -c ${FOLDER}/${name}`);
    const yaml = text
      .replaceAll('../demo/', `${resolve('config/demo')}/`)
      .replaceAll('127.0.0.1:8081', new URL(demo.url).host)
      .replace(/^(?:listen|admin|demo): .*\n/gm, '');
    const gateway = await startTestGateway(yaml);
    const requests = [...text.matchAll(REQUEST)];
    t.ok(requests.length > 0, name);
    for (const [, path = '', fields = '', body = '', answer = ''] of requests) {
      const headers = [...fields.matchAll(/-H '([^:']+): ([^']+)'/g)].map(
        ([, key = '', value = '']) => [key, value],
      );
      const answered = await postJson(`${gateway.url}${path}`, body, Object.fromEntries(headers));
      const { data, errors = [] } = JSON.parse(await answered.text());
      const { data: expected, errors: expectedErrors = [] } = JSON.parse(answer);
      t.same(data, expected, `${name}: ${body}`);
      t.match(errors, expectedErrors, name);
      t.equal(errors.length, expectedErrors.length);
    }
    await gateway.close();
  }
});
