import { gzipSync } from 'node:zlib';
import t from 'tap';
import type { Deviation } from '../../src/core/tolerance.js';
import { answerStatus, type RecordingBackend } from '../kit/backend.js';
import { runCommand } from '../kit/command.js';
import { envelope } from '../kit/envelope.js';
import { postJson } from '../kit/graphql-client.js';
import { ENDPOINTS, item, REPLY_WSDL, startReplyDesk } from '../kit/reply-desk.js';
import { useFolder, useService } from '../kit/use.js';

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';
const GOOD = `${DECLARATION}${envelope(item())}`;
const FAULT = envelope(
  '<s:Fault><faultcode>s:Client</faultcode><faultstring>No such badge</faultstring></s:Fault>',
);

const reply =
  (
    body: string | Buffer,
    type: string | null = 'text/xml; charset=utf-8',
    status = 200,
  ): RecordingBackend['answer'] =>
  (_message, response) => {
    response.writeHead(status, type === null ? {} : { 'content-type': type }).end(body);
  };

/** Inputs of each deviation, with the name of the item that comes of them. */
const INPUTS: Readonly<
  Record<
    Exclude<Deviation, 'missing' | 'empty-body'>,
    readonly (readonly [string, RecordingBackend['answer'], string?])[]
  >
> = {
  wrapper: [
    ['another namespace', reply(envelope(item().replaceAll('urn:t', 'urn:old')))],
    [
      'another default namespace',
      reply(
        envelope(
          '<GetItemResponse xmlns="urn:old"><name>nail</name><count>7</count></GetItemResponse>',
        ),
      ),
    ],
    [
      'no namespace',
      reply(envelope('<GetItemResponse><name>nail</name><count>7</count></GetItemResponse>')),
    ],
    [
      'a wrapper of another namespace, children of none',
      reply(
        envelope(
          '<o:GetItemResponse xmlns:o="urn:old"><name>nail</name>' +
            '<count>7</count></o:GetItemResponse>',
        ),
      ),
    ],
    [
      'a prefix of the Envelope',
      reply(
        '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:o="urn:old">' +
          '<s:Body><o:GetItemResponse><o:name>nail</o:name><o:count>7</o:count>' +
          '</o:GetItemResponse></s:Body></s:Envelope>',
      ),
    ],
  ],
  'wrapper-name': [
    ['another name', reply(envelope(item().replaceAll('GetItemResponse', 'getItemReturn')))],
  ],
  'media-type': [
    ['text/html', reply(GOOD, 'text/html; charset=utf-8')],
    ['text/plain', reply(GOOD, 'text/plain')],
    ['none', reply(GOOD, null)],
    ['bytes', reply(GOOD, 'application/octet-stream')],
    ['XOP without a package', reply(GOOD, 'application/xop+xml; charset=utf-8; type="text/xml"')],
    ['a media type that is none', reply(GOOD, 'text/xml; charset=utf-8; charset=utf-8')],
  ],
  'leading-space': [
    ['a line', reply(`\r\n${GOOD}`)],
    ['many lines', reply(`${'\n '.repeat(40)}${GOOD}`)],
    ['before the byte order mark', reply(`\n\ufeff${GOOD}`)],
    ['behind it', reply(`\ufeff\n${GOOD}`)],
    [
      'in UTF-16',
      reply(Buffer.from(`\ufeff\n${GOOD.replace('UTF-8', 'UTF-16')}`, 'utf16le'), 'text/xml'),
    ],
  ],
  'declared-encoding': [
    ['UTF-16 of a writer to strings', reply(GOOD.replace('UTF-8', 'utf-16'), 'text/xml')],
    ['the same with a charset', reply(GOOD.replace('UTF-8', 'utf-16'))],
    [
      'Latin-1 before UTF-8',
      reply(GOOD.replace('"UTF-8"', "'ISO-8859-1' standalone='yes'").replace('nail', 'n\u00e4il')),
      'n\u00e4il',
    ],
    [
      'UTF-8 before Latin-1',
      reply(Buffer.from(GOOD.replace('nail', 'n\u00e4il'), 'latin1'), 'text/xml; charset=latin1'),
      'n\u00e4il',
    ],
    ['UTF-8 before UTF-16', reply(Buffer.from(`\ufeff${GOOD}`, 'utf16le'), 'text/xml')],
  ],
  'trailing-bytes': [
    ['a NUL', reply(`${GOOD}\0`)],
    ['a buffer that is filled up', reply(`${GOOD}\r\n${'\0'.repeat(5000)}\n`)],
    [
      'in UTF-16',
      reply(Buffer.from(`\ufeff${GOOD.replace('UTF-8', 'UTF-16')}\0\0`, 'utf16le'), 'text/xml'),
    ],
  ],
  'control-characters': [
    ['by themselves', reply(envelope(item('na\x01il'))), 'na\ufffdil'],
    ['by reference', reply(envelope(item('na&#x1;il'))), 'na\ufffdil'],
    ['by decimal reference', reply(envelope(item('na&#11;il'))), 'na\ufffdil'],
    ['NUL', reply(envelope(item('na\0il'))), 'na\ufffdil'],
    ['in CDATA', reply(envelope(item('<![CDATA[na\x02il]]>'))), 'na\ufffdil'],
    ['U+FFFF', reply(envelope(item('na\uffffil'))), 'na\ufffdil'],
    [
      'in Latin-1',
      reply(
        Buffer.from(
          '<?xml version="1.0" encoding="ISO-8859-1"?>' +
            `${envelope(item('\xe4\x01\x1fil<![CDATA[\x01]]>'))}`,
          'latin1',
        ),
        'text/xml',
      ),
      'ä\ufffd\ufffdil\ufffd',
    ],
    [
      'in UTF-16',
      reply(Buffer.from(`\ufeff${envelope(item('na\x01&#2;il'))}`, 'utf16le'), 'text/xml'),
      'na\ufffd\ufffdil',
    ],
    [
      'what only looks like it',
      reply(envelope(item('<![CDATA[&#1;]]>&amp;#1;\x03'))),
      '&#1;&#1;\ufffd',
    ],
  ],
  'undeclared-prefix': [
    [
      'of the Envelope, whose namespace has another prefix',
      reply(GOOD.replace('xmlns:s=', 'xmlns:SOAP-ENV=').replaceAll(/(<\/?)s:/g, '$1soapenv:')),
    ],
    ['of the Envelope, with no declaration', reply(GOOD.replace(/ xmlns:s="[^"]*"/, ''))],
    ['of an attribute', reply(GOOD.replace('<s:Body>', '<s:Body SOAP-ENC:encodingStyle="urn:x">'))],
    ['xsi', reply(GOOD.replace('<t:name', '<t:name xsi:type="xsd:string"'))],
    [
      'of the wrapper, with the namespace as default',
      reply(GOOD.replace('xmlns:t=', 'xmlns=').replaceAll(/(<\/?)t:(name|count)/g, '$1$2')),
    ],
    [
      'of a header block, beside what only looks like a tag',
      reply(
        GOOD.replace('nail', '<!-- <z:a> --><![CDATA[<y:b>]]>').replace(
          '<s:Body>',
          '<s:Header><x:c a=\'">\' b="/>" x:d=""/></s:Header><s:Body>',
        ),
      ),
      '<y:b>',
    ],
    [
      'in UTF-16',
      reply(
        Buffer.from(
          `\ufeff${GOOD.replace('UTF-8', 'UTF-16').replace(/ xmlns:s="[^"]*"/, '')}`,
          'utf16le',
        ),
        'text/xml',
      ),
    ],
  ],
  'unqualified-header': [
    [
      'a block of a hand-written service',
      reply(GOOD.replace('<s:Body>', '<s:Header><token>a</token></s:Header><s:Body>')),
    ],
    [
      'a block that must be understood',
      reply(
        GOOD.replace(
          '<s:Body>',
          '<s:Header><a><b/></a><token s:mustUnderstand="1">a</token></s:Header><s:Body>',
        ),
      ),
    ],
  ],
};

const valueIn = (text: string): string => JSON.stringify(text).slice(1, -1);

t.test('a deviation that is named passes at every endpoint, is counted and logged', async (t) => {
  for (const [name, inputs] of Object.entries(INPUTS)) {
    const desk = await startReplyDesk(t, {
      keys: `    tolerate: [${name}]\n    validate: { replies: enforce }\n`,
    });
    for (const [label, answer, value = 'nail'] of inputs) {
      desk.backend.answer = answer;
      for (const endpoint of ENDPOINTS) {
        const got = await desk.call(endpoint);
        const about = `${name}, ${label}, ${endpoint}: ${got.text}`;
        t.equal(got.status, 200, about);
        if (endpoint === 'soap') t.notMatch(got.text, /Fault/, about);
        else if (endpoint !== 'mcp') t.ok(got.text.includes(`"name":"${valueIn(value)}"`), about);
        else
          t.ok(
            got.text.includes(valueIn(value).replaceAll('\\', '\\\\')) || got.text.includes(value),
            about,
          );
      }
    }
    const line = await desk.gateway.accessLine(1);
    t.same(line['tolerated'], [name]);
    t.equal(line['tolerate'], undefined);
    t.match(
      await desk.gateway.metrics(),
      `soapstone_tolerated_total{service="hr",operation="GetItem",deviation="${name}"} ` +
        `${inputs.length * 4}`,
    );
  }
});

t.test('a deviation that is not named is refused, and its log line has the name', async (t) => {
  const desk = await startReplyDesk(t);
  let count = 0;
  for (const [name, inputs] of Object.entries(INPUTS)) {
    for (const [label, answer] of inputs) {
      desk.backend.answer = answer;
      for (const endpoint of ENDPOINTS) {
        const got = await desk.call(endpoint);
        t.match(
          got.text,
          /UPSTREAM_|valid answer|own contract|"isError":true/,
          `${name}, ${label}, ${endpoint}`,
        );
        const line = await desk.gateway.accessLine(++count);
        t.same(line['tolerate'], [name], `${name}, ${label}, ${endpoint}: ${JSON.stringify(line)}`);
        t.equal(line['tolerated'], undefined);
      }
    }
  }
});

t.test('SOAP callers get the reply repaired', async (t) => {
  const desk = await startReplyDesk(t, {
    keys: `    tolerate: [${Object.keys(INPUTS).join(', ')}]\n`,
  });
  const soapOf = async (answer: RecordingBackend['answer']) => {
    desk.backend.answer = answer;
    return desk.call('soap');
  };
  t.equal((await soapOf(reply(`\r\n${GOOD}\0\0`))).text, GOOD);
  const typed = await soapOf(reply(GOOD, 'text/html; charset=utf-8'));
  t.equal(typed.headers.get('content-type'), 'text/xml; charset=utf-8');
  t.match((await soapOf(reply(envelope(item('a\x01&#2;b'))))).text, 'a\ufffd\ufffdb');
  const prefixed = await soapOf(reply(envelope(item().replaceAll('urn:t', 'urn:old'))));
  t.equal(
    prefixed.text,
    envelope(
      '<t:GetItemResponse xmlns:t="urn:t" xmlns="urn:t"><t:name>nail</t:name>' +
        '<t:count>7</t:count></t:GetItemResponse>',
    ),
  );
  const undeclared = GOOD.replace('xmlns:s=', 'xmlns:e=').replaceAll(/(<\/?)s:/g, '$1soapenv:');
  t.equal(
    (await soapOf(reply(undeclared))).text,
    undeclared.replace(/(<soapenv:Envelope xmlns:e=("[^"]*"))>/, '$1 xmlns:soapenv=$2>'),
  );
  const twice = item()
    .replace('xmlns:t="urn:t"', `xmlns:t="urn:old" xmlns:u='urn:old'`)
    .replaceAll('t:name', 'u:name');
  t.match(
    (await soapOf(reply(envelope(twice)))).text,
    '<t:GetItemResponse xmlns:t="urn:t" xmlns="urn:t" xmlns:u="urn:t"><u:name>',
  );
  const bare = await soapOf(
    reply(envelope('<GetItemResponse a="b"><name>nail</name></GetItemResponse>')),
  );
  t.equal(
    bare.text,
    envelope('<GetItemResponse xmlns="urn:t" a="b"><name>nail</name></GetItemResponse>'),
  );
  const wide = Buffer.from(
    `\ufeff${envelope('<GetItemResponse><name>ä</name></GetItemResponse>')}`,
    'utf16le',
  );
  desk.backend.answer = reply(wide, 'text/xml; charset=utf-16');
  const sent = await desk.send(envelope('<t:GetItem xmlns:t="urn:t"><t:id>7</t:id></t:GetItem>'));
  t.match(
    Buffer.from(await sent.arrayBuffer()).toString('utf16le'),
    '<GetItemResponse xmlns="urn:t"><name>ä</name>',
  );
});

t.test('deviations of bytes and of the media type are tolerated of Faults', async (t) => {
  const desk = await startReplyDesk(t, {
    keys:
      '    tolerate: [media-type, leading-space, trailing-bytes, control-characters, ' +
      'undeclared-prefix]\n',
  });
  for (const answer of [
    reply(FAULT, 'text/html', 500),
    reply(`\n${DECLARATION}${FAULT}`, 'text/xml', 500),
    reply(`${FAULT}\0`, 'text/xml', 200),
    reply(FAULT.replace('badge', 'badge\x01'), 'text/xml', 500),
    reply(FAULT.replaceAll('s:Fault>', 'soap:Fault>'), 'text/xml', 500),
    reply(FAULT.replace('xmlns:s=', 'xmlns:SOAP-ENV='), 'text/xml', 500),
  ]) {
    desk.backend.answer = answer;
    for (const endpoint of ENDPOINTS)
      t.match((await desk.call(endpoint)).text, 'No such badge', endpoint);
  }
});

t.test('what no name is about is refused whatever is tolerated', async (t) => {
  const names = [...Object.keys(INPUTS), 'missing', 'empty-body'];
  const desk = await startReplyDesk(t, { keys: `    tolerate: [${names.join(', ')}]\n` });
  const other = '<t:RenameResponse xmlns:t="urn:t"/>';
  for (const [label, answer, code] of [
    ['the output of another operation', reply(envelope(other)), 'UPSTREAM_DESYNC'],
    [
      'a page',
      reply('<html><body>busy</body></html>', 'text/html', 200),
      'UPSTREAM_INVALID_RESPONSE',
    ],
    [
      'a page of an overloaded server',
      reply('<html><br></html>', 'text/html', 503),
      'UPSTREAM_OVERLOADED',
    ],
    [
      'a DTD',
      reply(`<!DOCTYPE a [<!ENTITY x "y">]>${envelope(item())}`),
      'UPSTREAM_INVALID_RESPONSE',
    ],
    ['an entity', reply(envelope(item('&x;'))), 'UPSTREAM_INVALID_RESPONSE'],
    [
      'a control character in a name',
      reply(envelope(item()).replace('<t:name', '<t:na\x01me')),
      'UPSTREAM_INVALID_RESPONSE',
    ],
    ['a second document', reply(`${GOOD}\0${GOOD}`), 'UPSTREAM_INVALID_RESPONSE'],
    ['text behind NUL', reply(`${GOOD}\0x`), 'UPSTREAM_INVALID_RESPONSE'],
    ['text before the declaration', reply(`x${GOOD}`), 'UPSTREAM_INVALID_RESPONSE'],
    [
      'bytes that are not UTF-8',
      reply(Buffer.from(envelope(item('\xff')), 'latin1')),
      'UPSTREAM_INVALID_RESPONSE',
    ],
    [
      'a result with the status of a failure',
      reply(GOOD, 'text/xml', 500),
      'UPSTREAM_INVALID_RESPONSE',
    ],
  ] as const) {
    desk.backend.answer = answer;
    for (const endpoint of ['soap', 'graphql', 'rest'] as const)
      t.match((await desk.call(endpoint)).text, code, `${label}, ${endpoint}`);
  }
});

t.test('the output of another operation in another namespace is never tolerated', async (t) => {
  const other = '<o:RenameResponse xmlns:o="urn:old"/>';
  const answer = reply(envelope(other));
  const desk = await startReplyDesk(t, { keys: '    tolerate: [wrapper, wrapper-name]\n', answer });
  for (const endpoint of ENDPOINTS)
    t.match((await desk.call(endpoint)).text, /UPSTREAM_DESYNC|not belong/, endpoint);
  const strict = await startReplyDesk(t, { answer });
  t.match((await strict.call('soap')).text, 'UPSTREAM_SCHEMA_INVALID');
  t.equal((await strict.gateway.accessLine(1))['tolerate'], undefined, 'no name lets it pass');
});

t.test('a service in rpc style at the same address changes nothing for a wrapper', async (t) => {
  const rpc = REPLY_WSDL.replaceAll('urn:t', 'urn:rpc')
    .replace('<soap:binding ', '<soap:binding style="rpc" ')
    .replaceAll(/<part name="p" element="t:[^"]*"\/>/g, '<part name="p" type="xs:string"/>');
  const folder = await useFolder(t, { 'hr.wsdl': REPLY_WSDL, 'rpc.wsdl': rpc });
  const old = reply(envelope(item().replaceAll('urn:t', 'urn:old')));
  const yaml = (url: string): string =>
    `services:\n  hr:\n    wsdl: hr.wsdl\n    url: ${url}/h\n    tolerate: [wrapper]\n` +
    `  rpc:\n    wsdl: rpc.wsdl\n    url: ${url}/rpc\n`;
  const { gateway } = await useService(t, old, yaml, folder);
  const got = await postJson(`${gateway.url}/graphql`, { query: '{ getItem(id: 7) { name } }' });
  t.match(await got.text(), '"name":"nail"');
});

t.test('a tolerated reply is the same at every split, and compressed', async (t) => {
  const desk = await startReplyDesk(t, {
    keys: `    tolerate: [${Object.keys(INPUTS).join(', ')}]\n`,
  });
  const text =
    `\n ${DECLARATION}${envelope('<o:Got xmlns:o="urn:old"><name>n\x01&#x2;\uffff<![CDATA[\x03]]></name><count>7</count></o:Got>')}\0\n` +
    '\0';
  const bytes = Buffer.from(text);
  const name = 'n\ufffd\ufffd\ufffd\ufffd';
  const expectItem = async (about: string): Promise<void> => {
    const got = await desk.call('graphql');
    t.same(JSON.parse(got.text).data, { getItem: { name, count: 7 } }, about);
  };
  for (let at = 1; at < bytes.length; at += 7) {
    desk.backend.answer = (_message, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.write(bytes.subarray(0, at));
      setImmediate(() => response.end(bytes.subarray(at)));
    };
    await expectItem(`split at ${at}`);
  }
  desk.backend.answer = answerStatus(
    200,
    { 'content-type': 'text/plain', 'content-encoding': 'gzip' },
    gzipSync(bytes) as unknown as string,
  );
  await expectItem('gzip');
});

t.test(
  'a required element that is missing is null, without an error, and nullable in the schema',
  async (t) => {
    const short = envelope(
      '<t:GetItemResponse xmlns:t="urn:t"><t:count>7</t:count></t:GetItemResponse>',
    );
    for (const keys of [
      '    tolerate: [missing]\n',
      '    operations: { GetItem: { tolerate: [missing] } }\n',
      '    tolerate: [missing]\n    validate: { replies: enforce }\n',
    ]) {
      const desk = await startReplyDesk(t, { keys, answer: reply(short) });
      const got = await desk.call('graphql');
      t.same(JSON.parse(got.text).data, { getItem: { name: null, count: 7 } }, keys);
      t.equal(JSON.parse(got.text).errors, undefined, keys);
      t.equal((await desk.call('soap')).text, short, keys);
      t.same((await desk.gateway.accessLine(1))['tolerated'], ['missing'], keys);
      t.same((await desk.gateway.accessLine(2))['tolerated'], ['missing'], keys);
      t.match(
        await desk.gateway.metrics(),
        'soapstone_tolerated_total{service="hr",operation="GetItem",deviation="missing"} 2',
      );
    }
    const strict = await startReplyDesk(t, { answer: reply(short) });
    t.match((await strict.call('graphql')).text, 'UPSTREAM_SCHEMA_INVALID');
    t.same((await strict.gateway.accessLine(1))['tolerate'], ['missing']);
  },
);

t.test('an empty Body where a result is declared is null', async (t) => {
  const desk = await startReplyDesk(t, {
    keys: '    tolerate: [empty-body]\n',
    answer: reply(envelope('')),
  });
  const got = await desk.call('graphql');
  t.same(JSON.parse(got.text).data, { getItem: null });
  t.equal(JSON.parse(got.text).errors, undefined);
  t.equal((await desk.call('soap')).text, envelope(''));
  t.equal((await desk.call('rest')).text, 'null');
  t.notMatch((await desk.call('mcp')).text, 'isError":true');
  t.same((await desk.gateway.accessLine(1))['tolerated'], ['empty-body']);
  const strict = await startReplyDesk(t, { answer: reply(envelope('')) });
  for (const [index, endpoint] of ENDPOINTS.entries()) {
    await strict.call(endpoint);
    t.same((await strict.gateway.accessLine(index + 1))['tolerate'], ['empty-body'], endpoint);
  }
});

t.test('monitor mode lists the names that a backend needs, and changes nothing', async (t) => {
  const desk = await startReplyDesk(t, { keys: '    mode: monitor\n' });
  const text =
    `\n${DECLARATION}${envelope('<o:Got xmlns:o="urn:old"><name>n\x01</name></o:Got>')}\0`.replace(
      '<s:Body>',
      '<s:Header><token/></s:Header><s:Body SOAP-ENC:encodingStyle="urn:x">',
    );
  desk.backend.answer = reply(text, 'text/html');
  const got = await desk.call('soap');
  t.equal(got.text, text);
  t.equal(got.headers.get('content-type'), 'text/html');
  const line = await desk.gateway.accessLine(1);
  const found = Object.keys(INPUTS).filter((name) => name !== 'declared-encoding');
  t.same(line['tolerate'], found);
  t.match(
    await desk.gateway.metrics(),
    'soapstone_tolerable_total{service="hr",operation="GetItem",deviation="wrapper"} 1',
  );
  const suggested = await runCommand('suggest', desk.gateway.adminUrl);
  t.equal(suggested.code, 0);
  const names = found.sort().join(', ');
  t.equal(
    suggested.out,
    `services:\n  hr:\n    operations:\n      GetItem:\n        tolerate: [${names}]`,
  );
  const explained = await runCommand('rules', 'UPSTREAM_SCHEMA_INVALID');
  t.match(explained.out, /wrapper +the child of Body has another namespace/);
});

t.test('a repair of what is signed is an error of the configuration', async (t) => {
  const verified = (names: string): Promise<unknown> =>
    startReplyDesk(t, {
      keys:
        `    tolerate: [${names}]\n    security: { verifyReplies: { timestamp: ` +
        '{ required: true } } }\n',
    });
  for (const name of ['wrapper', 'control-characters', 'undeclared-prefix'])
    await t.rejects(verified(name), {
      message: new RegExp(`\`${name}\`, which changes bytes that`),
    });
  await verified('media-type, leading-space, trailing-bytes, wrapper-name');
});
