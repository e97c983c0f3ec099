import fc from 'fast-check';
import t, { type Test } from 'tap';
import { answerWith, type RecordedMessage, type RecordingBackend } from '../kit/backend.js';
import { compileText } from '../kit/configuration.js';
import { clientsOf, keyOf } from '../kit/crm.js';
import { envelope, MEDIA, SOAP, SOAP_12, WSA } from '../kit/envelope.js';
import { postGraphql } from '../kit/graphql-client.js';
import { useFolder, useService } from '../kit/use.js';

/** Rights hold for the operation that a backend may read in a message, by every endpoint. */

/** One operation of the WSDL. `element`: the child of Body, which others may share. */
interface Described {
  readonly name: string;
  readonly element: string;
  readonly soapAction: string;
  /** That the WSDL names; null for none. */
  readonly action: string | null;
}

const elementsOf = (operations: readonly Described[]): readonly string[] => [
  ...new Set(operations.flatMap(({ element, name }) => [element, `${name}Response`])),
];

const wsdlOf = (
  operations: readonly Described[],
): string => `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"
  xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:xs="http://www.w3.org/2001/XMLSchema"
  xmlns:wsam="http://www.w3.org/2007/05/addressing/metadata" xmlns:t="urn:desk" \
targetNamespace="urn:desk">
<types><xs:schema targetNamespace="urn:desk" elementFormDefault="qualified">
${elementsOf(operations)
  .map(
    (name) =>
      `<xs:element name="${name}"><xs:complexType><xs:sequence>\
<xs:element name="id" type="xs:string"/></xs:sequence></xs:complexType></xs:element>`,
  )
  .join('\n')}
</xs:schema></types>
${elementsOf(operations)
  .map((name) => `<message name="${name}"><part name="p" element="t:${name}"/></message>`)
  .join('\n')}
<portType name="Desk">
${operations
  .map(
    ({ name, element, action }) =>
      `<operation name="${name}"><input message="t:${element}"${
        action === null
          ? ''
          : ` \
wsam:Action="${action}"`
      }/><output message="t:${name}Response"/></operation>`,
  )
  .join('\n')}
</portType>
<binding name="B" type="t:Desk"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
${operations
  .map(
    ({ name, soapAction }) =>
      `<operation name="${name}"><soap:operation soapAction="${soapAction}"/><input>\
<soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation>`,
  )
  .join('\n')}
</binding>
<service name="S"><port name="P" binding="t:B"><soap:address location="http://desk.example/"/>\
</port></service>
</definitions>`;

/**
 * What backends read in a message that has this head and this body: the operations that one or the
 * other would run.
 */
function readBy(
  operations: readonly Described[],
  { headers, body }: RecordedMessage,
): ReadonlySet<string> {
  const text = body.toString();
  const element = /Body>\s*<(?:\w+:)?(\w+)/.exec(text)?.[1];
  const inType = /action="([^"]*)"/.exec(String(headers['content-type']))?.[1] ?? '';
  const soapAction = String(headers['soapaction'] ?? '').replaceAll('"', '') || inType;
  const action = /Action[^>]*>\s*([^<\s]*)\s*</.exec(text)?.[1] ?? '';
  const same = operations.filter((operation) => operation.element === element);
  const byAction = same.filter(
    (operation) => soapAction !== '' && operation.soapAction === soapAction,
  );
  const byAddressing = same.filter((operation) => action !== '' && operation.action === action);
  // What names an operation with another element: a backend that reads the action alone runs that.
  const isKnown = (said: string): boolean =>
    said === '' ||
    same.some((each) =>
      [each.soapAction, each.action, `urn:desk:Desk:${each.name}Request`].includes(said),
    );
  const others = operations.filter((operation) =>
    [soapAction, action].some(
      (said) => !isKnown(said) && [operation.soapAction, operation.action].includes(said),
    ),
  );
  // SOAPAction, then the element; and the same with WS-Addressing before both of them.
  const plain = byAction.length > 0 ? byAction : same;
  const areTold =
    byAddressing.length === 1 && plain.every(({ soapAction: own }) => own === plain[0]?.soapAction);
  return new Set(
    [...(areTold ? byAddressing : [...plain, ...byAddressing]), ...others].map(({ name }) => name),
  );
}

type Desk = Awaited<ReturnType<typeof startDesk>>;

/**
 * `classes`: what follows the names of classes; each is the class of the key
 * `key-of-<name>-0000000000`.
 */
async function startDesk(
  t: Test,
  operations: readonly Described[],
  classes: Readonly<Record<string, string>>,
  more = '',
  service = '',
) {
  const answer: RecordingBackend['answer'] = (message, response) => {
    const [first] = readBy(operations, message);
    const version = message.body.includes(SOAP_12) ? '1.2' : '1.1';
    const reply = `<${first}Response xmlns="urn:desk"><id>1</id></${first}Response>`;
    answerWith(envelope(reply, '', SOAP[version]), MEDIA[version])(message, response);
  };
  const folder = await useFolder(t, { 'desk.wsdl': wsdlOf(operations) });
  return useService(t, answer, (url) => `${configOf(url, classes, service)}${more}`, folder);
}

const configOf = (url: string, classes: Readonly<Record<string, string>>, service = ''): string =>
  `services: { desk: { wsdl: desk.wsdl, url: "${url}/desk", versions: ["1.1", "1.2"]${service} } }
${clientsOf(classes)}`;

interface Message {
  readonly element: string;
  readonly soapAction?: string | undefined;
  readonly action?: string | undefined;
  readonly version?: '1.1' | '1.2';
  readonly path?: string;
}

async function send(
  { gateway }: Desk,
  key: string,
  { element, soapAction, action, version = '1.1', path = '/soap/desk' }: Message,
): Promise<string> {
  const block = action === undefined ? '' : `<a:Action xmlns:a="${WSA}">${action}</a:Action>`;
  const inType = soapAction === undefined ? '' : `; action="${soapAction}"`;
  const response = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: {
      'x-api-key': keyOf(key),
      'content-type': version === '1.1' ? 'text/xml' : `application/soap+xml${inType}`,
      ...(version === '1.2' || soapAction === undefined ? {} : { soapaction: `"${soapAction}"` }),
    },
    body: envelope(`<${element} xmlns="urn:desk"><id>1</id></${element}>`, block, SOAP[version]),
  });
  const text = await response.text();
  return /code="([^"]+)"/.exec(text)?.[1] ?? String(response.status);
}

async function ask(
  { gateway }: Desk,
  key: string,
  query: string,
  accept = 'application/json',
): Promise<string> {
  const leave = new AbortController();
  const response = await postGraphql(
    gateway.url,
    { query },
    { 'x-api-key': keyOf(key), accept },
    leave.signal,
  );
  if (
    response.headers.get('content-type')?.startsWith('text/event-stream') === true &&
    response.status === 200
  ) {
    const { value = Buffer.alloc(0) } = (await response.body?.getReader().read()) ?? {};
    leave.abort();
    return /"code":"(\w+)"/.exec(Buffer.from(value).toString())?.[1] ?? '200';
  }
  const text = await response.text();
  return /"code":"(\w+)"/.exec(text)?.[1] ?? String(response.status);
}

const fieldOf = (name: string): string => name[0]?.toLowerCase() + name.slice(1);

/** Two operations that share an element and are told apart by their SOAPAction. */
const READ: Described = {
  name: 'GetItem',
  element: 'Request',
  soapAction: 'urn:read',
  action: null,
};
const WRITE: Described = {
  name: 'FindItem',
  element: 'Request',
  soapAction: 'urn:write',
  action: null,
};

const SUBSCRIPTIONS = `subscriptions:
  found: { on: { operation: desk.FindItem, fields: { id: request.id } } }
  noted: { callback: { operation: desk.FindItem, fields: { id: request.id } } }
  polled: { poll: { operation: desk.FindItem, everyMillis: 1000 } }
`;

t.test('a right to one of two operations with the same request is none to the other', async (t) => {
  const desk = await startDesk(
    t,
    [READ, WRITE],
    { reader: '{ allow: [desk.GetItem] }', all: '{}' },
    SUBSCRIPTIONS,
  );
  const { backend } = desk;
  const is = async (code: string, message: Partial<Message>): Promise<void> => {
    const before = backend.complete.length;
    t.equal(
      await send(desk, 'reader', { element: 'Request', ...message }),
      code,
      JSON.stringify(message),
    );
    const heard = backend.complete.slice(before);
    t.equal(heard.length, code === '200' ? 1 : 0);
    for (const each of heard) t.same([...readBy([READ, WRITE], each)], ['GetItem']);
  };
  for (const version of ['1.1', '1.2'] as const) {
    await is('200', { version, soapAction: 'urn:read' });
    await is('200', { version, soapAction: 'GetItem' });
    await is('200', { version, action: 'urn:read' });
    await is('200', { version, action: 'urn:desk:Desk:GetItemRequest' });
    await is('FORBIDDEN', { version, soapAction: 'urn:write' });
    await is('FORBIDDEN', { version, soapAction: 'FindItem' });
    await is('FORBIDDEN', { version, action: 'urn:write' });
    await is('FORBIDDEN', { version, action: 'urn:desk:Desk:FindItemRequest' });
    await is('FORBIDDEN', { version });
    await is('FORBIDDEN', { version, soapAction: '' });
    await is('FORBIDDEN', { version, soapAction: 'Request' });
    await is('ACTION_MISMATCH', { version, soapAction: 'urn:read', action: 'urn:write' });
    await is('ACTION_MISMATCH', { version, soapAction: 'urn:write', action: 'urn:read' });
  }
  const heard = backend.complete.length;
  t.equal(await ask(desk, 'reader', '{ getItem(id: "1") }'), '200');
  t.equal(await ask(desk, 'reader', '{ findItem(id: "1") }'), 'FORBIDDEN');
  t.equal(await ask(desk, 'reader', '{ getItem(id: "1") a: findItem(id: "1") }'), 'FORBIDDEN');
  for (const field of ['found { id }', 'noted { id }', 'polled(id: "1")']) {
    t.equal(
      await ask(desk, 'reader', `subscription { ${field} }`, 'text/event-stream'),
      'FORBIDDEN',
      field,
    );
  }
  const path = '/callback/desk';
  t.equal(
    await send(desk, 'reader', { path, element: 'Request', soapAction: 'urn:write' }),
    'FORBIDDEN',
  );
  t.equal(await send(desk, 'reader', { path, element: 'Request' }), 'FORBIDDEN');
  t.equal(
    await send(desk, 'reader', { path, element: 'Request', soapAction: 'urn:read' }),
    'UNKNOWN_OPERATION',
  );
  t.equal(await send(desk, 'all', { path, element: 'Request', soapAction: 'urn:write' }), '202');
  t.equal(backend.complete.length, heard + 1, 'of the rest the backend hears nothing');
  t.equal(
    await send(desk, 'all', { element: 'Request' }),
    '200',
    'which is for those who may call both',
  );
  for (const [headers, status] of [
    [{}, 401],
    [{ 'x-api-key': keyOf('reader') }, 200],
  ] as const) {
    t.equal(
      (await fetch(`${desk.gateway.url}/soap/desk?wsdl`, { headers })).status,
      status,
      'its WSDL',
    );
  }
  const lines = desk.gateway.logLines().filter(({ msg }) => msg === 'request');
  t.ok(lines.some(({ operation, code }) => operation === 'FindItem' && code === 'FORBIDDEN'));
  t.ok(
    lines.some(({ operation }) => operation === 'GetItem|FindItem'),
    'the log names what it may be',
  );
});

t.test(
  'without the check of addressing, and in monitor mode, a right stays what it is',
  async (t) => {
    for (const service of [', addressing: { check: false }', ', mode: monitor']) {
      const desk = await startDesk(
        t,
        [READ, WRITE],
        { reader: '{ deny: [desk.FindItem] }', all: '{}' },
        '',
        service,
      );
      const two = { element: 'Request', soapAction: 'urn:read', action: 'urn:write' };
      t.equal(await send(desk, 'reader', two), 'ACTION_MISMATCH', service);
      t.equal(
        await send(desk, 'reader', { element: 'Request', action: 'urn:write' }),
        'FORBIDDEN',
        service,
      );
      t.equal(await send(desk, 'all', two), '200', service);
      for (const second of ['', ' s:actor="urn:another"']) {
        const action = `urn:read</a:Action><a:Action xmlns:a="${WSA}"${second}>urn:write`;
        const repeated = await send(desk, 'reader', {
          element: 'Request',
          soapAction: 'urn:read',
          action,
        });
        t.ok(['ACTION_MISMATCH', 'SOAP_STRUCTURE'].includes(repeated), `${repeated}${service}`);
      }
      t.equal(
        await send(desk, 'reader', { element: 'Request', action: 'urn:read' }),
        '200',
        service,
      );
      t.equal(
        desk.backend.complete.at(-1)?.headers['soapaction'],
        '"urn:read"',
        'what the WSDL says goes with it',
      );
    }
  },
);

t.test('the dearest operation that a message may be is paid', async (t) => {
  const weights = ', operations: { GetItem: { weight: 1 }, FindItem: { weight: 400 } }';
  const desk = await startDesk(
    t,
    [READ, WRITE],
    { payer: '{ budget: { maximum: 1000, restoreRate: 1 } }' },
    '',
    weights,
  );
  for (let time = 0; time < 20; time++) {
    t.equal(await send(desk, 'payer', { element: 'Request', soapAction: 'urn:read' }), '200');
  }
  t.equal(await send(desk, 'payer', { element: 'Request' }), '200', '400');
  t.equal(await send(desk, 'payer', { element: 'Request', action: 'urn:write' }), '200', '800');
  t.equal(await send(desk, 'payer', { element: 'Request' }), 'RATE_LIMITED');
  t.equal(await send(desk, 'payer', { element: 'Request', soapAction: 'urn:read' }), '200');
});

t.test(
  'indistinguishable operations need a right to all of them; a class without one is warned about',
  async (t) => {
    const same = { ...WRITE, soapAction: READ.soapAction };
    const classes = {
      reader: '{ allow: [desk.GetItem] }',
      none: '{ deny: [desk.GetItem] }',
      all: '{ allow: [desk] }',
    };
    const desk = await startDesk(t, [READ, same], classes);
    for (const soapAction of ['urn:read', 'GetItem', 'FindItem', undefined]) {
      for (const key of ['reader', 'none']) {
        t.equal(await send(desk, key, { element: 'Request', soapAction }), 'FORBIDDEN');
      }
      t.equal(await send(desk, 'all', { element: 'Request', soapAction }), '200');
    }
    for (const key of ['reader', 'none']) {
      t.equal(await ask(desk, key, '{ getItem(id: "1") }'), 'FORBIDDEN');
      t.equal(await ask(desk, key, '{ findItem(id: "1") }'), 'FORBIDDEN');
    }
    t.equal(desk.backend.complete.length, 4);

    const warnings = await warningsOf(t, [READ, same], classes);
    t.same(warnings, [
      '9:23: Calls of `GetItem` look like calls of `FindItem`, which class `reader` may not ' +
        'call: it cannot call `GetItem` either.',
      '10:20: Calls of `FindItem` look like calls of `GetItem`, which class `none` may not ' +
        'call: it cannot call `FindItem` either.',
    ]);
    t.same(await warningsOf(t, [READ, WRITE], classes), [], 'actions tell them apart');
  },
);

async function warningsOf(
  t: Test,
  operations: readonly Described[],
  classes: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const files = { 'desk.wsdl': wsdlOf(operations) };
  const compiled = await compileText(t, configOf('http://127.0.0.1:9', classes), files);
  const told = compiled.warnings.filter(({ what }) => what.startsWith('Calls of '));
  return told.map(({ line, column, what }) => `${line}:${column}: ${what}`);
}

const NAMES = ['GetA', 'GetB', 'GetC', 'GetD'];

/** Operations of which several share an element, with actions of their own or in common. */
const operations = fc
  .array(
    fc.record({
      element: fc.constantFrom('One', 'Two'),
      soapAction: fc.constantFrom('', 'urn:same', 'own', 'own', 'urn:desk/GetB'),
      action: fc.constantFrom(null, null, 'own', 'urn:same'),
    }),
    { minLength: 2, maxLength: NAMES.length },
  )
  .map((drawn) =>
    drawn.map(({ element, soapAction, action }, index): Described => {
      const name = NAMES[index] ?? '';
      return {
        name,
        element,
        soapAction: soapAction === 'own' ? `urn:of:${name}` : soapAction,
        action: action === 'own' ? `urn:named:${name}` : action,
      };
    }),
  );

const rights = fc.record({
  kind: fc.constantFrom('allow', 'deny'),
  names: fc.subarray(NAMES, { minLength: 1, maxLength: 3 }),
});

t.test(
  'no class reaches an operation that it may not call, by whatever its messages say',
  async (t) => {
    let reached = 0;
    await fc.assert(
      fc.asyncProperty(
        operations,
        rights,
        fc.infiniteStream(fc.nat()),
        async (described, { kind, names }, draws) => {
          const own = described.map(({ name }) => name);
          const named = names.filter((name) => own.includes(name));
          const permitted = own.filter((name) => named.includes(name) === (kind === 'allow'));
          const pick = <T>(values: readonly T[]): T =>
            values[draws.next().value % values.length] as T;
          const subscriptions = own
            .map(
              (name) =>
                `  on${name}: { on: { operation: desk.${name}, fields: { id: request.id } } }\n`,
            )
            .join('');
          const list = named.map((name) => `desk.${name}`).join(', ');
          const desk = await startDesk(
            t,
            described,
            { some: `{ ${kind}: [${list}] }` },
            `subscriptions:\n${subscriptions}`,
          );
          const actions = [
            undefined,
            '',
            ...described.flatMap(({ name, element, soapAction, action }) => [
              soapAction,
              action ?? `urn:desk:Desk:${name}Request`,
              name,
              `urn:desk/${name}`,
              element,
            ]),
          ];
          for (let count = 0; count < 40; count++) {
            await send(desk, 'some', {
              element: pick(['One', 'Two']),
              soapAction: pick(actions),
              action: pick([undefined, undefined, ...actions]),
              version: pick(['1.1', '1.2'] as const),
            });
          }
          for (const { name, element, soapAction } of described) {
            const before = desk.backend.complete.length;
            const isOwn = soapAction === `urn:of:${name}`;
            const sent = await send(desk, 'some', { element, soapAction: soapAction || undefined });
            if (isOwn)
              t.equal(
                sent,
                permitted.includes(name) ? '200' : 'FORBIDDEN',
                'what can be told is permitted',
              );
            const asked = await ask(desk, 'some', `{ ${fieldOf(name)}(id: "1") }`);
            if (isOwn)
              t.equal(asked, permitted.includes(name) ? '200' : 'FORBIDDEN', 'by GraphQL, too');
            if (!permitted.includes(name)) {
              t.equal(asked, 'FORBIDDEN');
              const heard = await ask(
                desk,
                'some',
                `subscription { on${name} { id } }`,
                'text/event-stream',
              );
              t.equal(heard, 'FORBIDDEN', 'a subscription');
            }
            if (sent === '200') reached += desk.backend.complete.length - before;
          }
          for (const message of desk.backend.complete) {
            const wrong = [...readBy(described, message)].filter(
              (name) => !permitted.includes(name),
            );
            t.same(
              wrong,
              [],
              `${message.headers['soapaction']} ${message.headers['content-type']} ${message.body}`,
            );
          }
        },
      ),
      { numRuns: 8, endOnFailure: true },
    );
    t.ok(reached > 0, 'and some are reached');
  },
);
