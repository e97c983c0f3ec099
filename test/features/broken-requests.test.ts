import t from 'tap';
import { answerWith } from '../kit/backend.js';
import { envelope, postSoap } from '../kit/envelope.js';
import { useBackend, useGateway } from '../kit/use.js';

/** Messages that are refused after their first bytes went on: they are cut off at the backend. */

const REPLY = envelope('<PayResponse xmlns="urn:desk"/>');
const LONG = '<row><sum>10</sum></row>'.repeat(20_000);
/** More than the failures in a row that open a circuit breaker, or end a canary. */
const COUNT = 30;

const BROKEN: Readonly<Record<string, Buffer>> = {
  'an end tag of another element': message('</b>'),
  'bytes that are not UTF-8': message(Buffer.from([0xff])),
  'an entity that nothing declares': message('&other;'),
  'a DTD in the content': message('<!DOCTYPE a>'),
  'a second child of Envelope behind Body': Buffer.from(
    envelope(`<Pay xmlns="urn:desk">${LONG}</Pay>`).replace('</s:Envelope>', '<a/></s:Envelope>'),
  ),
  'an element that is too deep': message('<a>'.repeat(500)),
};

function message(behind: string | Buffer): Buffer {
  const [before = '', after = ''] = envelope('<Pay xmlns="urn:desk">@</Pay>').split('@');
  return Buffer.concat([before, LONG, behind, after].map((part) => Buffer.from(part)));
}

t.test('no caller takes a backend from others by messages that break off', async (t) => {
  for (const [name, broken] of Object.entries(BROKEN)) {
    const stable = await useBackend(t, answerWith(REPLY, 'text/xml'));
    const fresh = await useBackend(t, answerWith(REPLY, 'text/xml'));
    const gateway = await useGateway(
      t,
      `services:
  plain: { url: "${stable.url}/plain" }
  moved: { url: "${stable.url}/moved", canary: { url: "${fresh.url}/moved", share: 1 } }
limits: { http: { refusalsPerSecond: 0 } }
`,
    );
    for (const service of ['plain', 'moved']) {
      const url = `${gateway.url}/soap/${service}`;
      for (let count = 0; count < COUNT; count++) {
        const answer = await postSoap(url, broken);
        t.notMatch(await answer.text(), 'CIRCUIT_OPEN', name);
      }
      const sound = await postSoap(url, message(''));
      t.equal(sound.status, 200, `${service}: ${name}`);
      t.match(await sound.text(), 'PayResponse');
    }
    const metrics = await gateway.metrics();
    t.match(metrics, 'soapstone_canary_share{service="moved"} 1\n', name);
    await gateway.accessLine(2 * COUNT + 1);
    const cut = gateway.logLines().filter(({ outcome }) => outcome === 'refused');
    t.equal(cut.length, 2 * COUNT, 'all are refused, as what they are');
    t.equal(fresh.complete.length, 1, 'and none is complete at a backend');
  }
});
