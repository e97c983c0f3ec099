import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import t, { type Test } from 'tap';

import { DIALECTS, type DialectName } from '../../src/soap/dialect.js';
import { answerWith, type RecordingBackend } from '../kit/backend.js';
import { envelope } from '../kit/envelope.js';
import type { TestGateway } from '../kit/gateway.js';
import { post, type RawReply, sendRaw } from '../kit/raw-client.js';
import { useBackend, useGateway } from '../kit/use.js';

const CORPUS = '../shared/corpora/soap';

/** A message of another project, with the result of two independent parsers and the W3C schemas. */
interface Sample {
  readonly file: string;
  readonly soap?: '1.1' | '1.2';
  readonly structure: 'accept' | 'reject';
}

/** Where the contract decides otherwise than the schemas. */
const BY_CONTRACT: ReadonlyMap<string, string> = new Map([
  ['1.1 additional-element-after-body.xml', 'SOAP_STRUCTURE'],
  ['1.2 headers.xml', 'MUST_UNDERSTAND'],
  ['1.1 invalidEmail2.xml', 'SOAP_MULTI_BODY'],
]);

/** What the gateway refuses beyond the structure, unless it is switched off. */
const ADDRESSING: ReadonlySet<string> = new Set([
  'wsa:OnlyAnonymousAddressSupported',
  'WSA_DESTINATION',
]);

async function start(
  t: Test,
  lines: string,
): Promise<{ backend: RecordingBackend; gateway: TestGateway }> {
  const backend = await useBackend(t, answerWith(envelope('')));
  const gateway = await useGateway(
    t,
    'limits: { overload: { eventLoopMillis: 0 } }\nservices:\n  all:\n' +
      `    url: ${backend.url}/\n    versions: ["1.1", "1.2"]\n${lines}`,
  );
  return { backend, gateway };
}

const codeIn = ({ body }: RawReply): string => /code="([^"]*)"/.exec(body)?.[1] ?? '';

t.test(
  'the messages of others pass and are refused as the schemas say, in the right dialect',
  existsSync(CORPUS) ? {} : { skip: `${CORPUS} is not here: it is not part of the repository` },
  async (t) => {
    const samples: readonly Sample[] = JSON.parse(readFileSync(join(CORPUS, 'index.json'), 'utf8'));
    t.equal(samples.length, 149);
    const lenient = await start(t, '    addressing: { check: false }\n');
    const strict = await start(t, '');
    const differing: string[] = [];
    let addressed = 0;
    for (const { file, soap, structure } of samples) {
      const bytes = readFileSync(join(CORPUS, file));
      const dialect: DialectName = soap ?? (bytes.includes('soap-envelope') ? '1.2' : '1.1');
      const request = post('/soap/all', DIALECTS[dialect].mediaType, bytes);
      const name = `${dialect} ${basename(file)}`;
      lenient.backend.complete.length = 0;
      const reply = await sendRaw(lenient.gateway.url, request);
      const arrived = lenient.backend.complete;
      const expected = BY_CONTRACT.get(name) ?? structure;
      if (expected === 'accept') {
        t.equal(reply.status, 200, `${name}: accepted`);
        t.ok(arrived[0]?.body.equals(bytes) || isForGateway(bytes), `${name}: byte for byte`);
      } else {
        t.equal(arrived.length, 0, `${name}: refused`);
        t.ok(reply.status === 500 || reply.status === 400, `${name}: with a Fault`);
        t.match(reply.body, `"${DIALECTS[dialect].envelopeUri}"`, `${name}: in its dialect`);
        if (expected !== 'reject') differing.push(`${name}: ${codeIn(reply)}`);
      }
      const again = await sendRaw(strict.gateway.url, request);
      if (again.status === reply.status) continue;
      t.ok(ADDRESSING.has(codeIn(again)), `${name}: refused for its addresses alone`);
      addressed++;
    }
    t.same(
      differing.sort(),
      [...BY_CONTRACT].map(([name, code]) => `${name}: ${code}`).sort(),
      'what differs does so by contract',
    );
    t.ok(addressed > 0, 'some of them are addressed to others');
  },
);

/** Blocks for `next` are taken out. */
const isForGateway = (bytes: Buffer): boolean =>
  /(?:role|actor)\/next/.test(bytes.toString('latin1'));
