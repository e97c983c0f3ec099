import t from 'tap';
import { hashPassword } from '../../src/access/passwords/password-hash.js';
import { answerStatus, answerWith, type RecordingBackend } from '../kit/backend.js';
import { envelope } from '../kit/envelope.js';
import { ENDPOINTS, type EndpointAnswer, startReplyDesk } from '../kit/reply-desk.js';
import { until } from '../kit/until.js';

const XML = { 'content-type': 'text/xml' };

const EMPTY: Readonly<Record<string, RecordingBackend['answer']>> = {
  'an empty Body': answerWith(envelope('')),
  'an empty Body and a Header': answerWith(envelope('', '<t:Note xmlns:t="urn:n"/>')),
  'an empty Body with status 202': answerStatus(202, XML, envelope('')),
  'no content with status 200': answerStatus(200),
  'no content with status 202': answerStatus(202),
  'no content with status 204': answerStatus(204),
  'no content under a media type of XML': answerStatus(200, XML),
  'a line': answerStatus(200, XML, '\r\n'),
  'blanks under no media type': answerStatus(200, {}, ' \t\n'),
  'a byte order mark': answerStatus(200, XML, '\ufeff\n'),
  'a line in two chunks': (_message, response) => {
    response.writeHead(202, XML);
    response.write('\r');
    setImmediate(() => response.end('\n'));
  },
};

const isDone: Record<(typeof ENDPOINTS)[number], (answer: EndpointAnswer) => boolean> = {
  soap: ({ status, text }) => (status === 200 || status === 202) && !text.includes('Fault'),
  graphql: ({ text }) => JSON.parse(text).errors === undefined,
  rest: ({ status }) => status === 200,
  mcp: ({ text }) => JSON.parse(text).result.isError !== true,
};

t.test('a void operation that is answered without content is done at every endpoint', async (t) => {
  const desk = await startReplyDesk(t);
  for (const [name, answer] of Object.entries(EMPTY)) {
    desk.backend.answer = answer;
    for (const operation of ['Deactivate', 'Rename']) {
      for (const endpoint of ENDPOINTS) {
        const got = await desk.call(endpoint, operation);
        t.ok(
          isDone[endpoint](got),
          `${operation}, ${name}, ${endpoint}: ${got.status} ${got.text}`,
        );
      }
    }
  }
  desk.backend.answer = answerWith(envelope(''));
  t.match((await desk.call('graphql', 'Deactivate')).text, '"deactivate":true');
  t.match((await desk.call('graphql', 'Rename')).text, '"rename":null');
});

t.test('an operation whose output has required content is not done without it', async (t) => {
  const desk = await startReplyDesk(t);
  for (const [name, answer] of Object.entries(EMPTY)) {
    desk.backend.answer = answer;
    for (const endpoint of ENDPOINTS)
      t.notOk(isDone[endpoint](await desk.call(endpoint)), `${name}, ${endpoint}`);
  }
});

t.test('a void operation that fails without content is not done', async (t) => {
  const desk = await startReplyDesk(t);
  for (const status of [304, 400, 404, 500, 503]) {
    desk.backend.answer = answerStatus(status);
    for (const endpoint of ENDPOINTS)
      t.notOk(isDone[endpoint](await desk.call(endpoint, 'Deactivate')), `${status}, ${endpoint}`);
  }
});

const FAULT = envelope(
  '<s:Fault><faultcode>s:Client</faultcode><faultstring>No such badge</faultstring></s:Fault>',
);

t.test('a Fault is read in any status, of an operation with and without a result', async (t) => {
  const desk = await startReplyDesk(t);
  for (const status of [200, 202, 203, 300, 302, 307, 400, 403, 404, 422, 500, 502, 503]) {
    desk.backend.answer = answerStatus(status, XML, FAULT);
    for (const operation of ['GetItem', 'Deactivate']) {
      for (const endpoint of ENDPOINTS) {
        const got = await desk.call(endpoint, operation);
        t.match(got.text, 'No such badge', `${status}, ${operation}, ${endpoint}`);
        t.notOk(isDone[endpoint](got));
      }
    }
  }
});

t.test('a 401 to the credentials of the caller goes back with its challenge', async (t) => {
  const keys = '    forwardHeaders: [authorization]\n';
  const desk = await startReplyDesk(t, { keys });
  const own = { authorization: 'Basic bWU6bm8=' };
  const challenge = { 'www-authenticate': 'Basic realm="hr"' };
  for (const [name, more, body] of [
    ['no content', {}, ''],
    ['a page', { 'content-type': 'text/html' }, '<html>who are you</html>'],
    ['an envelope without a Fault', XML, envelope('<x/>')],
    ['half a Fault', XML, FAULT.slice(0, -30)],
  ] as const) {
    desk.backend.answer = answerStatus(401, { ...challenge, ...more }, body);
    for (const endpoint of ['soap', 'rest'] as const) {
      const got = await desk.call(endpoint, 'GetItem', own);
      t.equal(got.status, 401, `${name}, ${endpoint}`);
      t.equal(got.headers.get('www-authenticate'), 'Basic realm="hr"', `${name}, ${endpoint}`);
      t.notMatch(got.text, /who are you|<x/);
    }
    t.match((await desk.call('graphql', 'GetItem', own)).text, 'UPSTREAM_UNAUTHENTICATED');
    t.match((await desk.call('mcp', 'GetItem', own)).text, 'credentials of the caller');
  }
  desk.backend.answer = answerStatus(401, { ...challenge, ...XML }, FAULT);
  for (const endpoint of ENDPOINTS) {
    const got = await desk.call(endpoint, 'GetItem', own);
    t.match(got.text, 'No such badge', endpoint);
    if (endpoint === 'graphql' || endpoint === 'mcp') continue;
    t.equal(got.status, 401, endpoint);
    t.equal(got.headers.get('www-authenticate'), 'Basic realm="hr"', endpoint);
  }
  t.equal(
    (await desk.call('soap')).status,
    401,
    'a caller without credentials learns what is wanted',
  );
});

t.test('a 401 without a challenge to the credentials of the caller goes back as one', async (t) => {
  const desk = await startReplyDesk(t, { keys: '    forwardHeaders: [authorization]\n' });
  const own = { authorization: 'Basic bWU6bm8=' };
  for (const [body, type] of [
    ['', {}],
    [FAULT, XML],
  ] as const) {
    desk.backend.answer = answerStatus(401, type, body);
    for (const endpoint of ['soap', 'rest'] as const) {
      const got = await desk.call(endpoint, 'GetItem', own);
      t.equal(got.status, 401, endpoint);
      t.equal(got.headers.get('www-authenticate'), null, endpoint);
      t.notMatch(got.text, 'of the gateway', endpoint);
    }
    for (const endpoint of ['graphql', 'mcp'] as const)
      t.notMatch((await desk.call(endpoint, 'GetItem', own)).text, 'of the gateway', endpoint);
  }
});

t.test('the Fault in a 401 is read where the gateway has sent no credentials', async (t) => {
  const desk = await startReplyDesk(t);
  const challenge = { 'www-authenticate': 'Basic realm="hr"' };
  desk.backend.answer = answerStatus(401, { ...XML, ...challenge }, FAULT);
  for (const endpoint of ENDPOINTS)
    t.match((await desk.call(endpoint)).text, 'No such badge', endpoint);
  desk.backend.answer = answerStatus(401, { 'content-type': 'text/html', ...challenge }, '<html>');
  for (const endpoint of ['graphql', 'rest', 'mcp'] as const)
    t.match((await desk.call(endpoint)).text, 'went to it without any', endpoint);
  const { status, headers } = await desk.call('rest', 'GetItem', { authorization: 'Basic bWU6' });
  t.equal(status, 502, 'a challenge would ask for credentials that are never sent');
  t.equal(headers.get('www-authenticate'), null);
  await until(async () => /forwardHeaders/.test(String((await desk.lastLine())['detail'])));
});

t.test('a challenge for connections is none to a caller that has sent credentials', async (t) => {
  const desk = await startReplyDesk(t, { keys: '    forwardHeaders: [authorization]\n' });
  const own = { authorization: 'Basic bWU6bm8=' };
  desk.backend.answer = answerStatus(401, { 'www-authenticate': 'NTLM' });
  for (const endpoint of ['graphql', 'rest', 'mcp'] as const) {
    const got = await desk.call(endpoint, 'GetItem', own);
    t.match(got.text, 'belong to a connection', endpoint);
    t.equal(got.headers.get('www-authenticate'), null, endpoint);
    t.equal(got.status, endpoint === 'rest' ? 502 : 200, endpoint);
  }
  await until(async () => /NTLM/.test(String((await desk.lastLine())['detail'])));
});

t.test('a 401 to the credentials of the gateway is no matter of the caller', async (t) => {
  const keys = '    auth: { basic: { username: u, password: p } }\n';
  const desk = await startReplyDesk(t, { keys });
  desk.backend.answer = answerStatus(
    401,
    { 'www-authenticate': 'Basic realm="hr"', ...XML },
    FAULT,
  );
  for (const endpoint of ENDPOINTS) {
    const got = await desk.call(endpoint);
    t.not(got.status, 401, endpoint);
    t.equal(got.headers.get('www-authenticate'), null, endpoint);
    t.match(got.text, 'credentials of the gateway', endpoint);
  }
});

t.test(
  'a caller whose credentials are for the gateway gets no challenge of a backend',
  async (t) => {
    const password = await hashPassword('secret-of-erp');
    const more =
      `clients:\n  basic: { users: { erp: { password: "${password}", class: internal } } }\n` +
      '  classes: { internal: {} }\n';
    const desk = await startReplyDesk(t, { more });
    desk.backend.answer = answerStatus(401, { 'www-authenticate': 'Basic realm="hr"' });
    const authorization = `Basic ${Buffer.from('erp:secret-of-erp').toString('base64')}`;
    for (const endpoint of ENDPOINTS) {
      const got = await desk.call(endpoint, 'GetItem', { authorization });
      t.not(got.status, 401, endpoint);
      t.equal(got.headers.get('www-authenticate'), null, endpoint);
    }
    t.equal(desk.backend.complete.at(-1)?.headers['authorization'], undefined);
  },
);

t.test('a one-way operation is done whatever comes but a Fault', async (t) => {
  const desk = await startReplyDesk(t, {
    keys: '    operations: { Deactivate: { oneWay: true } }\n',
  });
  for (const status of [200, 202]) {
    for (const [type, body] of [
      ['text/xml', envelope('')],
      ['text/xml', envelope('<odd/>')],
      ...(status === 200
        ? []
        : ([
            ['text/xml', '<half'],
            ['text/html', '<html>thanks</html>'],
          ] as const)),
    ] as const) {
      desk.backend.answer = answerStatus(status, { 'content-type': type }, body);
      for (const endpoint of ENDPOINTS) {
        const got = await desk.call(endpoint, 'Deactivate');
        t.ok(isDone[endpoint](got), `${status}, ${body}, ${endpoint}: ${got.text}`);
        t.notMatch(got.text, /thanks|odd/);
      }
    }
    desk.backend.answer = answerStatus(status, XML, FAULT);
    for (const endpoint of ENDPOINTS)
      t.match(
        (await desk.call(endpoint, 'Deactivate')).text,
        'No such badge',
        `${status}, ${endpoint}`,
      );
  }
});

t.test('a one-way operation that is answered with 200 and no envelope is not done', async (t) => {
  const desk = await startReplyDesk(t, {
    keys: '    operations: { Deactivate: { oneWay: true } }\n',
  });
  for (const [type, body] of [
    ['text/xml', '<half'],
    ['text/html', '<html>log in</html>'],
  ] as const) {
    desk.backend.answer = answerStatus(200, { 'content-type': type }, body);
    for (const endpoint of ENDPOINTS)
      t.notOk(isDone[endpoint](await desk.call(endpoint, 'Deactivate')), `${body}, ${endpoint}`);
  }
});
