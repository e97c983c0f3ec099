import { readFileSync } from 'node:fs';
import t from 'tap';
import { envelope } from '../kit/envelope.js';
import { replaceSection } from '../kit/reference/configuration.js';
import { AUTH, FAULT, printReplies, refusedReplies, reply, XML } from '../kit/reference/replies.js';
import { item, startReplyDesk } from '../kit/reply-desk.js';

t.test('the console has what was found in a refused reply', async (t) => {
  const desk = await startReplyDesk(t, { keys: AUTH });
  desk.backend.answer = reply(envelope(FAULT), XML, 401);
  await desk.call('soap');
  desk.backend.answer = reply(envelope(item().replace('urn:t', 'urn:old')));
  await desk.call('soap');
  await desk.gateway.accessLine(2);
  const state = await (await fetch(`${desk.gateway.adminUrl}/console/state`)).text();
  t.match(state, 'the reply has status 401, text/xml, SOAP 1.1');
  t.match(state, 'Fault Client: No such badge');
  t.match(state, 'found {urn:old}GetItemResponse; expected {urn:t}GetItemResponse; the reply has');
});

t.test('the manual has every refusal of a reply with its log line', async (t) => {
  const replies = await refusedReplies(t);
  for (const { label, line, text } of replies) {
    t.match(line['code'], /^UPSTREAM_/, `${label}: ${JSON.stringify(line)}`);
    t.notMatch(text, /badge|urn:old|text\/html|log in/, `${label}: callers get nothing of it`);
  }
  const page = readFileSync('config/manual/replies.md', 'utf8');
  t.equal(page, replaceSection(page, 'replies', printReplies(replies)), 'npm run generate');
});

t.test('texts of a backend are cut and escaped in the log line', async (t) => {
  const desk = await startReplyDesk(t);
  const long = `<t:${'x'.repeat(100)} xmlns:t="urn:${'y'.repeat(100)}"/>`;
  desk.backend.answer = reply(envelope(long));
  await desk.call('soap');
  const line = await desk.gateway.accessLine(1);
  t.equal(String(line['found']).length, 128);
  const fault = FAULT.replace('No such badge', `a"b\\${'z'.repeat(300)}`);
  desk.backend.answer = reply(envelope(fault), XML, 401);
  const guarded = await startReplyDesk(t, { keys: AUTH });
  guarded.backend.answer = desk.backend.answer;
  await guarded.call('soap');
  const refused = await guarded.gateway.accessLine(1);
  t.match(refused['reply'], { faultCode: 'Client', faultString: `a"b\\${'z'.repeat(124)}` });
});
