import { t } from 'tap';
import { answerWith } from '../kit/backend.js';
import { envelope } from '../kit/envelope.js';
import { post, sendRaw } from '../kit/raw-client.js';
import { useBackend, useGateway } from '../kit/use.js';

const SENTENCES: readonly (readonly [contentType: string, sentence: RegExp])[] = [
  ['text/xml; charset=utf-8; charset=utf-8', /^A parameter of the Content-Type comes twice\./],
  ['text/xml; charset=utf-8 XaS: rtt; u=y', /^The parameters of the Content-Type cannot be read\./],
  ['text/xml; charset=', /^The parameters of the Content-Type cannot be read\./],
  ['text/xml; charset=utf-8, text/xml', /^The Content-Type has two values, or a comma\./],
  ['application/xml', /^Send text\/xml; this service speaks SOAP 1\.1\./],
  ['text/xml; charset=koi8-r', /^The charset is not accepted\./],
];

t.test('A refused Content-Type is answered with what is wrong with it', async (t) => {
  const backend = await useBackend(t, answerWith(''));
  const gateway = await useGateway(t, `services: { s: { url: "${backend.url}/" } }\n`);
  const message = envelope('<t:GetIt xmlns:t="urn:t"/>');
  for (const [contentType, sentence] of SENTENCES) {
    const { status, body } = await sendRaw(gateway.url, post('/soap/s', contentType, message));
    t.equal(status, 415, contentType);
    t.match(body, sentence, contentType);
  }
});
