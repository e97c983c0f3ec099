import t from 'tap';

import { Destinations } from '../../src/compile/soap/destinations.js';
import { OperationTable } from '../../src/compile/soap/operations/operation-table.js';
import type {
  KnownOperation,
  SentActions,
} from '../../src/compile/soap/operations/request-group.js';
import { readSoapAction } from '../../src/soap/soap-action.js';
import type { ElementDeclaration, Operation } from '../../src/wsdl/model.js';
import { plainComplexType, plainElement } from '../../src/wsdl/plain.js';
import { modelWith } from '../graphql/models.js';

const element = (uri: string, local: string): ElementDeclaration =>
  plainElement({ uri, local }, plainComplexType(null, { kind: 'empty' }));

const operation = (
  name: string,
  about: Partial<Operation> & { readonly body?: ElementDeclaration | null } = {},
) => {
  const { body = element('urn:m', name), ...rest } = about;
  const made: Operation = {
    name,
    documentation: null,
    soapAction: '',
    addressingAction: `urn:m:Desk:${name}Request`,
    status: 'ok',
    reasons: [],
    input: { body, headers: [] },
    output: null,
    faults: [],
    ...rest,
  };
  return made;
};

const sent = (soapAction: string | null, more: Partial<SentActions> = {}): SentActions => ({
  http: [soapAction],
  addressing: null,
  isAddressed: false,
  isRewritten: true,
  ...more,
});

/** What a message with this child of Body and these actions may be, by name. */
function candidatesOf(
  table: OperationTable,
  body: ElementDeclaration | null,
  actions: SentActions,
) {
  const known = table.identify(body?.name ?? null, actions);
  return known === null || known === 'mismatch' ? known : known.candidates.map(({ name }) => name);
}

const permits = (table: OperationTable, body: ElementDeclaration | null, action: string): boolean =>
  Array.isArray(candidatesOf(table, body, sent(action)));

t.test('operations of every port are known, those of the chosen one first', (t) => {
  const chosen = operation('Ping', { soapAction: 'urn:one' });
  const other = operation('Ping', { soapAction: 'urn:two' });
  const table = new OperationTable([chosen], modelWith([chosen], [other, operation('Pong')]));
  const ping = table.find({ uri: 'urn:m', local: 'Ping' });
  t.equal(ping?.operation, chosen);
  for (const action of [
    'urn:one',
    'urn:two',
    'Ping',
    'urn:m#Ping',
    'urn:m/Ping',
    'urn:m:Ping',
    'urn:m:Desk:PingRequest',
  ]) {
    t.ok(permits(table, element('urn:m', 'Ping'), action), action);
  }
  for (const action of ['Pong', 'urn:m#Pong', 'ping', 'urn:m']) {
    t.notOk(permits(table, element('urn:m', 'Ping'), action), action);
  }
  t.equal(ping?.soapAction, null, 'what the WSDL says in two ways is not said for the caller');
  t.ok(table.find({ uri: 'urn:m', local: 'Pong' }));
  t.equal(table.find({ uri: '', local: 'Pong' }), null);
  t.equal(table.find(null), null, 'nothing is asked for by an empty Body');
  t.equal(table.isComplete, true);
  t.equal(table.mayBeEncoded, false);
  t.end();
});

t.test('operations that share the child of Body', (t) => {
  const shared = element('urn:m', 'Request');
  const operations = [
    operation('Read', { body: shared, soapAction: 'urn:read' }),
    operation('Write', { body: shared, soapAction: 'urn:write' }),
  ];
  const table = new OperationTable(operations, modelWith(operations));
  const known: KnownOperation | null = table.find(shared.name);
  t.equal(known?.operation.name, 'Read');
  t.equal(known?.soapAction, null, 'the caller says which of them');
  t.notOk(permits(table, shared, 'urn:delete'));
  const is = (names: unknown, actions: SentActions, what: string): void => {
    t.same(candidatesOf(table, shared, actions), names, what);
  };
  is(['Read', 'Write'], sent(null), 'without an action it may be either');
  is(['Read', 'Write'], sent('urn:m#Request'), 'the name of the element is that of both');
  is(['Write'], sent('urn:write'), 'SOAPAction');
  is(['Write'], sent('Write'), 'what stacks write instead');
  is(
    ['Write'],
    sent(null, { addressing: 'urn:m:Desk:WriteRequest' }),
    'wsa:Action, and SOAPAction goes with it',
  );
  is('mismatch', sent('urn:read', { addressing: 'urn:write' }), 'two actions');
  is('mismatch', { ...sent(null), http: ['urn:read', null, 'urn:write'] }, 'also in a package');
  const asWritten = { isRewritten: false } as const;
  is(['Write'], sent('urn:write', asWritten), 'the backend hears it as it is written');
  is(['Read', 'Write'], sent('Write', asWritten), 'which it may not know');
  is(
    ['Read', 'Write'],
    sent(null, { ...asWritten, addressing: 'urn:write', isAddressed: true }),
    'nor read',
  );
  t.end();
});

t.test('operations that no SOAPAction tells apart', (t) => {
  const shared = element('urn:m', 'Request');
  const same = { body: shared, soapAction: 'urn:x' };
  const operations = [
    operation('Read', same),
    operation('Write', same),
    operation('Note', { body: shared, soapAction: 'urn:note' }),
    operation('Named', { body: shared, addressingAction: 'urn:named', namesAction: true }),
  ];
  const table = new OperationTable(operations, modelWith(operations));
  const is = (names: unknown, actions: SentActions, what: string): void => {
    t.same(candidatesOf(table, shared, actions), names, what);
  };
  const all = ['Read', 'Write', 'Note', 'Named'];
  is(['Read', 'Write'], sent('urn:x'), 'the backend hears of both the same');
  is(['Read', 'Write'], sent('Write'), 'whichever is meant');
  is(
    ['Read', 'Write'],
    sent('urn:x', { addressing: 'urn:m:Desk:WriteRequest', isAddressed: true }),
    'by default',
  );
  is(['Note'], sent('urn:note'), 'another action');
  is(
    ['Named'],
    sent(null, { addressing: 'urn:named', isAddressed: true }),
    'a wsa:Action that the WSDL names',
  );
  is(all, sent(null, { addressing: 'urn:named' }), 'for another receiver');
  is(all, sent('urn:named'), 'a SOAPAction that the WSDL does not give');
  is(
    'mismatch',
    sent('urn:x', { addressing: 'urn:named', isAddressed: true }),
    'of two operations',
  );
  const takenFor = (index: number) => {
    const asked = operations[index];
    return asked === undefined ? null : table.called(asked)?.candidates.map(({ name }) => name);
  };
  t.same(takenFor(0), ['Read', 'Write']);
  t.same(takenFor(2), ['Note']);
  t.same(takenFor(3), all, 'called with an empty SOAPAction');
  t.end();
});

t.test('an action of another operation is none that stacks may write for this one', (t) => {
  const submit = operation('Submit', { body: element('urn:m', 'Cancel') });
  const cancel = operation('Cancel', {
    body: element('urn:m', 'CancelRequest'),
    soapAction: 'urn:m/Cancel',
  });
  const table = new OperationTable([submit, cancel], modelWith([submit, cancel]));
  t.equal(candidatesOf(table, element('urn:m', 'Cancel'), sent('urn:m/Cancel')), 'mismatch');
  t.same(candidatesOf(table, element('urn:m', 'Cancel'), sent('urn:m#Cancel')), ['Submit']);
  t.end();
});

t.test('an action that the configuration gives is sent whatever the WSDL says', (t) => {
  const written = operation('Ping', { soapAction: 'urn:wsdl' });
  const given = { ...written, soapAction: 'urn:given' };
  const table = new OperationTable([given], modelWith([written]), () => 'urn:given');
  const ping = element('urn:m', 'Ping');
  t.equal(table.find(ping.name)?.soapAction, 'urn:given');
  t.ok(permits(table, ping, 'urn:given') && permits(table, ping, 'urn:wsdl'));
  t.end();
});

t.test('an empty Body asks for the operation without one', (t) => {
  const operations = [operation('Ping', { body: null, soapAction: 'urn:ping' })];
  const table = new OperationTable(operations, modelWith(operations));
  t.equal(table.find(null)?.operation.name, 'Ping');
  t.ok(permits(table, null, 'urn:ping'));
  t.equal(table.isComplete, true);
  t.end();
});

t.test('what is not understood makes the table incomplete, and encodings possible', (t) => {
  const named = [operation('Ping', { status: 'disabled' })];
  t.match(new OperationTable(named, modelWith(named)), { isComplete: true, mayBeEncoded: true });
  const unnamed = [operation('Ping'), operation('Pong', { status: 'disabled', body: null })];
  const table = new OperationTable(unnamed, modelWith(unnamed));
  t.match(table, { isComplete: false, mayBeEncoded: true });
  t.equal(table.find(null), null, 'a body that could not be told is not an empty one');
  t.end();
});

t.test('a mapping written by hand knows what it maps and nothing else', (t) => {
  const table = new OperationTable(
    [operation('Ping', { soapAction: null, addressingAction: null })],
    null,
  );
  t.match(table, { isComplete: false, mayBeEncoded: true });
  t.ok(
    permits(table, element('urn:m', 'Ping'), 'urn:anything'),
    'no action given is no action known',
  );
  const given = new OperationTable(
    [operation('Ping', { soapAction: 'urn:do', addressingAction: null })],
    null,
  );
  t.equal(given.find({ uri: 'urn:m', local: 'Ping' })?.soapAction, 'urn:do');
  t.end();
});

t.test('destinations are compared as addresses', (t) => {
  const config = (over: object) => ({
    urls: ['http://Backend.example:80/base'],
    path: '/soap/a',
    addressing: {
      check: true,
      rewriteTo: true,
      destinations: ['urn:x', 'HTTPS://Desk.example:443/d'],
    },
    ...over,
  });
  // Only these keys are read.
  const destinations = new Destinations(config({}) as never, 'https://gate.example/', [
    'http://old.example/desk',
  ]);
  t.equal(destinations.backend, 'http://backend.example/base');
  for (const to of [
    'http://gate.example:80/soap/a',
    'https://GATE.example/soap/a',
    'http://host:81/soap/a',
    'https://host:81/soap/a',
  ]) {
    t.ok(destinations.isOwn(to, 'host:81'), to);
  }
  for (const to of [
    'https://gate.example/soap/A',
    'https://gate.example/soap/a/',
    'https://gate.example/soap/a?x',
    'https://gate.example:80/soap/a',
    'https://gate.example@evil.example/soap/a',
    'https://gate.example/soap/a#x',
    'ftp://gate.example/soap/a',
    '//gate.example/soap/a',
    '/soap/a',
    'http://host:81\\soap/a',
  ]) {
    t.notOk(destinations.isOwn(to, 'host:81'), to);
  }
  for (const to of [
    'urn:x',
    'https://desk.example/d',
    'http://backend.example/base',
    'http://old.example/desk',
  ]) {
    t.ok(destinations.permits(to), to);
  }
  for (const to of [
    'urn:X',
    'http://backend.example/',
    'http://backend.example/base/x',
    'http://desk.example:443/d',
  ]) {
    t.notOk(destinations.permits(to), to);
  }
  const several = new Destinations(
    config({ urls: ['http://a/', 'http://b'] }) as never,
    undefined,
    [],
  );
  t.equal(several.backend, 'http://a/');
  t.ok(several.permits('http://b/'));
  t.end();
});

t.test('a SOAPAction is one URI or none', (t) => {
  for (const [written, action] of [
    ['"urn:a"', 'urn:a'],
    [' urn:a ', 'urn:a'],
    ['""', null],
    ['', null],
    ['"None"', null],
    [null, null],
  ] as const) {
    t.equal(readSoapAction(written), action);
  }
  for (const broken of [
    '"',
    '"urn:a',
    'urn:a"',
    '"a" "b"',
    '"a", "b"',
    'a\\b',
    '"\u00e9"',
    'a\tb',
  ]) {
    t.throws(() => readSoapAction(broken), { code: 'HTTP_BAD_REQUEST' }, broken.slice(0, 20));
  }
  t.end();
});
