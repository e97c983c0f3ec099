import fc from 'fast-check';
import t from 'tap';
import type { VerificationRules } from '../../src/wss/header-verification.js';
import { HEADER_NODES_MAX, MessageVerifier } from '../../src/wss/message-verifier.js';
import { ALL, ELEMENTS_ONLY, type Interest, SKIP, type XmlHandler } from '../../src/xml/events.js';
import { Authority, type Identity, WITH_OPENSSL } from '../kit/certificates.js';
import { readXml, refusalOf } from '../kit/read-xml.js';
import {
  bodyOf,
  messageOf,
  securityOf,
  signatureOf,
  signedMessage,
  timestampOf,
  tokenOf,
} from '../kit/signed-message.js';
import { splitsOf } from '../kit/splits.js';
import { rulesTrusting } from './trusting-rules.js';

const LIMITS = { elements: 10_000_000, children: 10_000_000 };

const rulesOf = ({ cert }: Identity): VerificationRules => rulesTrusting(cert, 'ecdsa-sha256');

/** What a handler is told, with a given interest in the content of Body. */
class Told implements XmlHandler {
  log = '';
  readonly #interest: Interest;

  constructor(interest: Interest) {
    this.#interest = interest;
  }

  open(tag: { readonly local: string; readonly depth: number }): Interest {
    this.log += `<${tag.local}>`;
    return tag.depth < 3 ? ELEMENTS_ONLY : this.#interest;
  }

  close(): void {
    this.log += '</>';
  }

  text(chars: string): void {
    this.log += chars;
  }
}

/** The code of the refusal, or null for a message that is verified. */
function judge(
  pieces: readonly Uint8Array[],
  rules: VerificationRules,
  handler: XmlHandler = new Told(SKIP),
): string | null {
  const verifier = new MessageVerifier(handler, rules, Date.now());
  return (
    refusalOf(() => readXml(verifier, pieces, LIMITS)) ??
    (verifier.verified === null ? 'no Body' : null)
  );
}

const CONTENT = '<Pay xmlns="urn:desk"><sum>10</sum><note a="1">é &gt; x 😀</note></Pay>';

t.test(
  'a message is verified alike at every split, and its handler gets the same events',
  WITH_OPENSSL,
  async (t) => {
    const authority = new Authority(t.testdir());
    const client = authority.sign('erp');
    const rules = rulesOf(authority.ca);
    const { message } = signedMessage(client, CONTENT, { algorithm: 'ecdsa-sha256' });
    const altered = message.replace('>10<', '>12<');
    for (const [name, pieces] of splitsOf(Buffer.from(message)))
      if (judge(pieces, rules) !== null) t.fail(name);
    for (const [name, pieces] of splitsOf(Buffer.from(altered)))
      if (judge(pieces, rules) !== 'wsse:FailedCheck') t.fail(name);
    for (const interest of [SKIP, ELEMENTS_ONLY, ALL] as const) {
      const [alone, behind] = [new Told(interest), new Told(interest)];
      readXml(alone, message, LIMITS);
      t.equal(judge([Buffer.from(message)], rules, behind), null);
      t.equal(behind.log, alone.log);
    }
  },
);

t.test('a bit that flips anywhere in what is signed is found', WITH_OPENSSL, async (t) => {
  const authority = new Authority(t.testdir());
  const client = authority.sign('erp');
  const rules = rulesOf(authority.ca);
  const content = `<Run xmlns="urn:desk">${'<row><name>Ann</name><sum>12.50</sum></row>'.repeat(40)}</Run>`;
  const { message, body, timestamp } = signedMessage(client, content, {
    algorithm: 'ecdsa-sha256',
  });
  const bytes = Buffer.from(message);
  // The Envelope declares the prefix of Body as well: with another name the declaration of Body is
  // none that is signed.
  const spans = [body.slice(body.indexOf('>')), timestamp].map(
    (part) => [message.indexOf(part), part.length] as const,
  );
  const places = fc.sample(fc.tuple(fc.nat({ max: 1 }), fc.nat(), fc.nat({ max: 7 })), {
    numRuns: 2000,
    seed: 7,
  });
  let refused = 0;
  for (const [which, place, bit] of places) {
    const [start, length] = spans[which] ?? [0, 1];
    const copy = Buffer.from(bytes);
    const at = start + (place % length);
    copy[at] = (copy[at] ?? 0) ^ (1 << bit);
    if (judge([copy], rules) === null)
      t.fail(`byte ${at}, bit ${bit}: ${copy.toString('latin1', at - 20, at + 20)}`);
    else refused++;
  }
  t.equal(refused, 2000);
});

t.test('what canonical XML takes for the same is the same', WITH_OPENSSL, async (t) => {
  const authority = new Authority(t.testdir());
  const client = authority.sign('erp');
  const rules = rulesOf(authority.ca);
  const { message } = signedMessage(
    client,
    '<Pay xmlns="urn:desk" a="1" b="2"><sum>1&gt;0</sum><none></none></Pay>',
    {
      algorithm: 'ecdsa-sha256',
    },
  );
  for (const [from, to] of [
    ['<none></none>', '<none/>'],
    ['<none></none>', '<none ></none\n>'],
    ['a="1" b="2"', "b='2'  a='1'"],
    ['1&gt;0', '1>0'],
    ['1&gt;0', '<![CDATA[1>0]]>'],
    ['1&gt;0', '&#49;&#x3e;0'],
    ['<sum>', '<!-- between elements --><sum>'],
    ['<s:Envelope ', '<s:Envelope xmlns:unused="urn:u" '],
  ] as const) {
    t.ok(message.includes(from));
    t.equal(judge([Buffer.from(message.replace(from, to))], rules), null, to);
  }
});

t.test('digests of several elements run side by side', WITH_OPENSSL, async (t) => {
  const authority = new Authority(t.testdir());
  const client = authority.sign('erp');
  const rules = rulesOf(authority.ca);
  const WSU = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';
  const inner = (sum: string): string =>
    `<Pay xmlns="urn:desk" xmlns:u="${WSU}" u:Id="pay"><sum>${sum}</sum></Pay>`;
  const [body, timestamp] = [bodyOf(inner('10')), timestampOf(Date.now())];
  const parts = [
    { uri: '#body', text: body, digest: 'sha512' as const },
    { uri: '#pay', text: inner('10') },
    { uri: '#ts', text: timestamp },
  ];
  const send = (signed: string, sent = body): string | null =>
    judge([Buffer.from(messageOf(securityOf([signed, timestamp, tokenOf(client)]), sent))], rules);
  t.equal(
    send(signatureOf(client, parts, { algorithm: 'ecdsa-sha256' })),
    null,
    'the token may follow the signature',
  );
  t.equal(
    send(
      signatureOf(client, [parts[0]!, { uri: '#pay', text: inner('11') }, parts[2]!], {
        algorithm: 'ecdsa-sha256',
      }),
    ),
    'wsse:FailedCheck',
  );
});

t.test('a Header of too many elements is refused at the limit', WITH_OPENSSL, async (t) => {
  const authority = new Authority(t.testdir());
  const client = authority.sign('erp');
  const rules = rulesOf(authority.ca);
  const { message, token, timestamp, signature, body } = signedMessage(client, CONTENT, {
    algorithm: 'ecdsa-sha256',
  });
  t.equal(judge([Buffer.from(message)], rules), null);
  const counted = (children: number): string | null =>
    judge(
      [
        Buffer.from(
          messageOf(
            securityOf([token, timestamp, signature]),
            body,
            `<x:y xmlns:x="urn:x">${'<x:z/>'.repeat(children)}</x:y>`,
          ),
        ),
      ],
      rules,
    );
  let [low, high] = [0, HEADER_NODES_MAX];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (counted(middle) === null) low = middle;
    else high = middle;
  }
  t.equal(counted(low), null);
  t.equal(counted(low + 1), 'SOAP_HEADER_LIMIT');
  t.ok(low > HEADER_NODES_MAX - 100, `${low} elements beside the Security block`);
});
