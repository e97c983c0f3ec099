import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { answerWith, type RecordedMessage } from '../kit/backend.js';
import { envelope, MEDIA, postSoap, SOAP, textIn, type Version, WSA } from '../kit/envelope.js';
import type { TestGateway } from '../kit/gateway.js';
import { postGraphql } from '../kit/graphql-client.js';
import { useBackend, useFolder, useGateway } from '../kit/use.js';
import { element, wrapper, wsdlOf } from '../kit/wsdl.js';

/**
 * A gateway that keeps and joins calls answers as one that does neither. Its backend says what it
 * has received, and with which credentials: a reply to another caller's call differs in it.
 */

const WSSE = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';

const ANSWER =
  element('seen', 'xs:string') + element('secret', 'xs:string') + element('serial', 'xs:int');
const WSDL = wsdlOf(
  'urn:echo',
  `${wrapper('Ask', element('question', 'xs:string'))}\
${wrapper('AskResponse', element('answer', 't:Answer'))}
${wrapper('Hint', element('text', 'xs:string'))}
<xs:complexType name="Answer"><xs:sequence>${ANSWER}</xs:sequence></xs:complexType>`,
  ['Ask'],
  {
    messages: '<message name="HintIn"><part name="h" element="t:Hint"/></message>',
    input: '<soap:header message="t:HintIn" part="h" use="literal"/>',
  },
);

/** The configuration of one service. */
interface ServiceChoice {
  readonly path: string;
  readonly make: 'none' | 'beside' | 'replace';
  readonly user: string | null;
  readonly forwardsTenant: boolean;
  readonly forwarded: boolean;
  readonly checksAddressing: boolean;
  readonly scope: 'client' | 'shared';
  readonly cacheMillis: number;
  readonly isRead: boolean;
}

/** One call of one caller. */
interface CallChoice {
  readonly service: 'live' | 'test';
  readonly protocol: 'soap' | 'graphql' | 'get';
  readonly client: 'one' | 'two' | null;
  readonly question: string;
  readonly version: Version;
  readonly tenant: string | null;
  readonly authorization: string | null;
  readonly language: string | null;
  readonly address: string;
  readonly hint: string | null;
  /** SOAP callers only. */
  readonly block: keyof typeof BLOCKS;
  readonly query: string;
}

const BLOCKS = {
  none: '',
  toBackend: `<w:To xmlns:w="${WSA}">http://127.0.0.1:1/</w:To>`,
  toMust: `<w:To xmlns:w="${WSA}" s:mustUnderstand="1">http://127.0.0.1:1/</w:To>`,
  toOther: `<w:To xmlns:w="${WSA}" s:actor="urn:other" s:role="urn:other">urn:a</w:To>`,
  toAnother: `<w:To xmlns:w="${WSA}" s:actor="urn:other" s:role="urn:other">urn:b</w:To>`,
  twoTo: `<w:To xmlns:w="${WSA}">urn:a</w:To><w:To xmlns:w="${WSA}">urn:b</w:To>`,
  twoOtherTo: `<w:To xmlns:w="${WSA}">urn:c</w:To><w:To xmlns:w="${WSA}">urn:d</w:To>`,
  replyHere: `<w:ReplyTo xmlns:w="${WSA}"><w:Address>${WSA}/anonymous</w:Address></w:ReplyTo>`,
  replyNowhere: `<w:ReplyTo xmlns:w="${WSA}"><w:Address>${WSA}/none</w:Address></w:ReplyTo>`,
  replyThere: `<w:ReplyTo xmlns:w="${WSA}"><w:Address>urn:there</w:Address></w:ReplyTo>`,
  replyElsewhere: `<w:ReplyTo xmlns:w="${WSA}"><w:Address>urn:elsewhere</w:Address></w:ReplyTo>`,
  replyMarked: `<w:ReplyTo xmlns:w="${WSA}"><w:Address q="1">${WSA}/anonymous</w:Address></w:ReplyTo>`,
  ownUser:
    `<o:Security xmlns:o="${WSSE}"><o:UsernameToken><o:Username>ann</o:Username>` +
    '</o:UsernameToken></o:Security>',
} as const;

const serviceYaml = (name: string, url: string, choice: ServiceChoice, keeps: boolean): string => {
  const {
    path,
    make,
    user,
    forwardsTenant,
    forwarded,
    checksAddressing,
    scope,
    cacheMillis,
    isRead,
  } = choice;
  const read = keeps && isRead ? `, read: { cacheMillis: ${cacheMillis}, scope: ${scope} }` : '';
  return [
    `  ${name}:`,
    '    wsdl: echo.wsdl',
    `    url: ${url}/${path}`,
    '    versions: ["1.1", "1.2"]',
    `    forwarded: ${forwarded}`,
    `    addressing: { check: ${checksAddressing} }`,
    ...(forwardsTenant ? ['    forwardHeaders: [x-tenant]'] : []),
    ...(user === null ? [] : [`    auth: { basic: { username: ${user}, password: secret } }`]),
    ...(make === 'none'
      ? []
      : [
          '    security: { make: { usernameToken: { username: gate, password: pw }, replace: ' +
            `${make === 'replace'} } }`,
        ]),
    `    operations: { Ask: { field: Query.${name}${read} } }`,
    '',
  ].join('\n');
};

interface Choices {
  readonly live: ServiceChoice;
  readonly test: ServiceChoice;
  readonly mask: 'one' | 'two' | null;
}

const yamlOf = (url: string, { live, test, mask }: Choices, keeps: boolean): string =>
  `${[
    'clients:',
    '  trustedProxies: [127.0.0.1]',
    '  apiKeys: { clients: { one: { class: one, keys: [key-of-client-one-1] }, two: { class: two, keys: [key-of-client-two-2] } } }',
    '  address: { class: any }',
    '  classes: { one: {}, two: {}, any: {} }',
    'services:',
  ].join('\n')}\n` +
  `${[serviceYaml('live', url, live, keeps), serviceYaml('test', url, test, keeps)]
    .map((text) =>
      mask === null
        ? text
        : `${text}    schema: { types: { Answer: { fields: { secret: { mask: { ${mask}: last4 } } } } } }\n`,
    )
    .join('')}`;

/** `fetch` sends Accept-Language: *, which means the same as none. */
const fieldOf = ({ headers }: RecordedMessage, name: string): string =>
  String(headers[name] ?? '*');

/**
 * What the backend has received, as one word: no two calls that differ in what may change an answer
 * have the same.
 */
function seenIn(message: RecordedMessage): string {
  const text = message.body.toString();
  const version = text.includes(SOAP['1.2']) ? '1.2' : '1.1';
  const header = /<[\w:]*Header\b[^>]*>([\s\S]*)<\/[\w:]*Header>/.exec(text)?.[1] ?? '';
  const blocks = [
    ...header.matchAll(/<(?:\w+:)?(To|Address|Username|Action|text)\b([^>]*)>([^<]*)</g),
  ].map(
    ([, name, attributes = '', value]) =>
      `${name}:${value}${attributes.includes('urn:other') ? '!' : ''}` +
      `${attributes.includes('mustUnderstand="1"') ? '*' : ''}` +
      `${attributes.includes('q="1"') ? '?' : ''}`,
  );
  const fields = ['authorization', 'x-tenant', 'accept-language'].map((name) =>
    fieldOf(message, name),
  );
  const from = `from=${fieldOf(message, 'x-forwarded-for').split(',')[0]}`;
  return [message.target, version, ...fields, from, blocks.join('+')].join(' ; ');
}

let serial = 0;

function answer(message: RecordedMessage, response: ServerResponse): void {
  const question = textIn(message.body, 'question');
  const version: Version = message.body.includes(SOAP['1.2']) ? '1.2' : '1.1';
  const seen = `${question} ; ${seenIn(message)}`.replaceAll('&', '&amp;');
  const content =
    `<AskResponse xmlns="urn:echo"><answer><seen>${seen}</seen><secret>s-${question}</secret>` +
    `<serial>${++serial}</serial></answer></AskResponse>`;
  // Calls that come together are under way together.
  setTimeout(
    () => answerWith(envelope(content, '', SOAP[version]), MEDIA[version])(message, response),
    5,
  );
}

/** The answer without the serial of the call, which is `serial`. */
interface Answered {
  readonly said: string;
  readonly serial: number;
}

async function call(gateway: TestGateway, choice: CallChoice): Promise<Answered> {
  const {
    service,
    protocol,
    client,
    question,
    version,
    tenant,
    authorization,
    language,
    address,
    hint,
  } = choice;
  const headers: Record<string, string> = { 'x-forwarded-for': address };
  if (client !== null)
    headers['x-api-key'] = client === 'one' ? 'key-of-client-one-1' : 'key-of-client-two-2';
  if (tenant !== null) headers['x-tenant'] = tenant;
  if (authorization !== null) headers['authorization'] = authorization;
  if (language !== null) headers['accept-language'] = language;
  if (protocol === 'soap') {
    const block =
      BLOCKS[choice.block] +
      (hint === null ? '' : `<Hint xmlns="urn:echo"><text>${hint}</text></Hint>`);
    const asked = `<Ask xmlns="urn:echo"><question>${question}</question></Ask>`;
    const message = envelope(asked, block, SOAP[version]);
    const address = `${gateway.url}/soap/${service}${choice.query}`;
    const text = await (await postSoap(address, message, { ...headers, soapaction: '""' })).text();
    const said = /<seen>([^<]*)<\/seen><secret>([^<]*)</.exec(text)?.slice(1).join(' ') ?? '';
    const refused = /code="(\w+)"/.exec(text)?.[1] ?? '';
    return {
      said: said === '' ? `refused ${refused}` : said,
      serial: Number(/<serial>(\d+)/.exec(text)?.[1] ?? 0),
    };
  }
  const given = hint === null ? '' : `, headers: { hint: { text: "${hint}" } }`;
  const query = `{ ${service}(question: "${question}"${given}) { seen secret serial } }`;
  const json = { ...headers, 'content-type': 'application/json' };
  const response =
    protocol === 'get'
      ? fetch(`${gateway.url}/graphql?query=${encodeURIComponent(query)}`, { headers: json })
      : postGraphql(gateway.url, { query }, headers);
  const { data, errors = [] } = Object(await (await response).json());
  const found = data?.[service] ?? null;
  const said =
    found === null ? `refused ${errors[0]?.extensions?.code}` : `${found.seen} ${found.secret}`;
  return { said, serial: found?.serial ?? 0 };
}

const CHOICE: fc.Arbitrary<ServiceChoice> = fc.record({
  path: fc.constantFrom('east', 'west'),
  make: fc.constantFrom('none', 'beside', 'replace'),
  user: fc.constantFrom(null, null, 'erp', 'crm'),
  forwardsTenant: fc.boolean(),
  forwarded: fc.boolean(),
  checksAddressing: fc.boolean(),
  scope: fc.constantFrom('client', 'shared', 'shared'),
  cacheMillis: fc.constantFrom(0, 60_000, 60_000),
  isRead: fc.constantFrom(true, true, true, false),
});

const CHOICES: fc.Arbitrary<Choices> = fc.record({
  live: CHOICE,
  test: CHOICE,
  mask: fc.constantFrom(null, 'one', 'two'),
});

/** Most choices are the usual ones: else hardly two calls would be alike. */
const seldom = <T>(usual: T, ...others: T[]): fc.Arbitrary<T> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );

const CALL: fc.Arbitrary<CallChoice> = fc.record({
  service: fc.constantFrom('live', 'test'),
  protocol: fc.constantFrom('soap', 'graphql', 'get'),
  client: seldom<CallChoice['client']>(null, 'one', 'two'),
  question: seldom('a', 'b'),
  version: seldom<Version>('1.1', '1.2'),
  tenant: seldom<string | null>(null, 't1', 't2'),
  authorization: seldom<string | null>(null, 'Basic b25lOm9uZQ==', 'Bearer t'),
  language: seldom<string | null>(null, 'de', 'fr'),
  address: seldom('10.0.0.1', '10.0.0.2'),
  hint: seldom<string | null>(null, 'h1', 'h2'),
  block: fc.oneof(
    { weight: 2, arbitrary: fc.constant<CallChoice['block']>('none') },
    { weight: 1, arbitrary: fc.constantFrom(...(Object.keys(BLOCKS) as CallChoice['block'][])) },
  ),
  query: seldom('', '?tenant=9'),
});

/** One part of a service changes, or all of both. */
const CHANGE: fc.Arbitrary<(choices: Choices) => Choices> = fc.oneof(
  fc.tuple(fc.constantFrom('live' as const, 'test' as const), CHOICE).map(
    ([name, choice]) =>
      (before: Choices): Choices => ({ ...before, [name]: choice }),
  ),
  fc.tuple(fc.constantFrom('live' as const, 'test' as const), fc.constantFrom('east', 'west')).map(
    ([name, path]) =>
      (before: Choices): Choices => ({ ...before, [name]: { ...before[name], path } }),
  ),
  CHOICES.map((choices) => () => choices),
);

type Step =
  | { readonly calls: readonly CallChoice[] }
  | { readonly change: (choices: Choices) => Choices };

const STEP: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(CALL, { minLength: 1, maxLength: 8 }).map((calls) => ({ calls })),
  },
  { weight: 1, arbitrary: CHANGE.map((change) => ({ change })) },
);

async function startPair(t: Test, first: Choices) {
  const backend = await useBackend(t, answer);
  const directory = await useFolder(t, { 'echo.wsdl': WSDL });
  const start = (keeps: boolean) => useGateway(t, yamlOf(backend.url, first, keeps), directory);
  const [keeping, plain] = [await start(true), await start(false)];
  return {
    backend,
    keeping,
    plain,
    async change(choices: Choices) {
      await keeping.reload(() => yamlOf(backend.url, choices, true));
      await plain.reload(() => yamlOf(backend.url, choices, false));
    },
  };
}

const USUAL: ServiceChoice = {
  path: 'east',
  make: 'none',
  user: null,
  forwardsTenant: false,
  forwarded: false,
  checksAddressing: true,
  scope: 'shared',
  cacheMillis: 60_000,
  isRead: true,
};

t.test('a reply that is kept or shared belongs to every call that gets it', async (t) => {
  const pair = await startPair(t, { live: USUAL, test: USUAL, mask: null });
  let run = 0;
  let shared = 0;
  await fc.assert(
    fc.asyncProperty(
      CHOICES,
      fc.array(STEP, { minLength: 2, maxLength: 8 }),
      async (first, steps) => {
        const label = `r${++run}`;
        let choices = first;
        await pair.change(choices);
        /** Where only one client may have a reply: which one has it. */
        const owners = new Map<number, string>();
        for (const step of steps) {
          if ('change' in step) {
            choices = step.change(choices);
            await pair.change(choices);
            continue;
          }
          const calls = step.calls.map((each) => ({
            ...each,
            question: `${label}-${each.question}`,
          }));
          const before = pair.backend.complete.length;
          const kept = await Promise.all(calls.map((each) => call(pair.keeping, each)));
          shared +=
            kept.filter(({ serial }) => serial > 0).length -
            (pair.backend.complete.length - before);
          const made = await Promise.all(calls.map((each) => call(pair.plain, each)));
          for (const [at, each] of calls.entries()) {
            const [{ said, serial: of } = { said: '', serial: 0 }, own] = [kept[at], made[at]];
            // A call for all clients does not say where it comes from.
            const isForAll = choices[each.service].scope === 'shared';
            if (
              said !== own?.said &&
              !(isForAll && said === own?.said.replace(/from=\S*/, 'from=*'))
            )
              throw new Error(
                `${JSON.stringify(each)} got ${said}, and would be told ${own?.said}`,
              );
            const service = choices[each.service];
            if (of === 0 || !service.isRead || service.scope === 'shared') continue;
            const client = each.client ?? each.address;
            if ((owners.get(of) ?? client) !== client)
              throw new Error(`${client} got the reply of ${owners.get(of)}`);
            owners.set(of, client);
          }
        }
      },
    ),
    { numRuns: 12, endOnFailure: true },
  );
  t.ok(shared > 10, `replies are shared all the same: ${shared}`);
});

const ASKED: CallChoice = {
  service: 'live',
  protocol: 'soap',
  client: null,
  question: 'a',
  version: '1.1',
  tenant: null,
  authorization: null,
  language: null,
  address: '10.0.0.1',
  hint: null,
  block: 'none',
  query: '',
};

for (const checksAddressing of [true, false]) {
  t.test(
    `header blocks that are passed on tell calls apart (addressing.check: ${checksAddressing})`,
    async (t) => {
      const choice = { ...USUAL, checksAddressing };
      const { keeping, plain } = await startPair(t, { live: choice, test: choice, mask: null });
      for (const version of ['1.1', '1.2'] as const) {
        for (const block of Object.keys(BLOCKS) as CallChoice['block'][]) {
          const asked = { ...ASKED, version, block };
          const { said } = await call(plain, asked);
          t.equal((await call(keeping, asked)).said, said, `${version} ${block}`);
        }
      }
    },
  );
}

t.test(
  'credentials of the gateway tell calls apart, and whether they go into a call',
  async (t) => {
    const make = { ...USUAL, make: 'beside' } as const;
    const { keeping, plain, backend } = await startPair(t, {
      live: make,
      test: { ...make, user: 'erp' },
      mask: null,
    });
    for (const service of ['live', 'test'] as const) {
      for (const protocol of ['graphql', 'soap', 'get', 'soap'] as const) {
        const asked = { ...ASKED, service, protocol };
        t.equal(
          (await call(keeping, asked)).said,
          (await call(plain, asked)).said,
          `${service} ${protocol}`,
        );
      }
    }
    t.equal(backend.complete.length, 8 + 4, 'those that are alike are one');
  },
);
