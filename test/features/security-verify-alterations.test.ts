import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { SignedXml } from 'xml-crypto';
import { Alterations } from '../kit/alterations.js';
import { makeKeys, WITH_OPENSSL } from '../kit/certificates.js';
import { signedMessage } from '../kit/signed-message.js';
import {
  contentOf,
  include,
  MOVED,
  moved,
  PACKAGE_TYPE,
  type Part,
  packed,
} from '../kit/signed-package.js';
import { useVerifyingDesk } from '../kit/verifying-desk.js';

/** Altered packages of one run; `npm run fuzz` tries others. */
const ALTERED_COUNT = Number(process.env['ALTERED_COUNT'] ?? 150);

interface Package {
  readonly envelope: string;
  readonly parts: readonly Part[];
}

const FORGED = '<Pay xmlns="urn:desk"><sum>99</sum><scan>AAEC</scan></Pay>';

const BINARY = 'Content-Transfer-Encoding: binary';
const HEADS = [
  'Content-Transfer-Encoding: base64',
  'Content-Transfer-Encoding: 8bit',
  'X: y\r\nContent-Transfer-Encoding: binary',
];

/** Wraps a signed element, and puts a forged one in its place. */
function wrap({ envelope, parts }: Package, random: Alterations): Package {
  const local = random.of(['Body', 'Timestamp', 'BinarySecurityToken', 'scan']) ?? '';
  const found = new RegExp(`<((?:\\w+:)?${local})(?= |>).*?</\\1>`, 's').exec(envelope);
  if (found === null) return { envelope, parts };
  const [element, name = ''] = found;
  const tag = /^[^>]*>/.exec(element)?.[0] ?? '';
  const id = random.of(['', 'x', 'body', 'ts']) ?? '';
  const ownTag = random.below(2) === 0 ? tag : tag.replace(/:Id="[^"]*"/, id && `:Id="${id}"`);
  const content = random.of([
    FORGED,
    include('p'),
    '',
    element.slice(tag.length, element.lastIndexOf('</')),
  ]);
  const forged = `${ownTag}${content}</${name}>`;
  const wrapped =
    random.of([`<w xmlns="urn:w">${element}</w>`, element, `<!-- -->${element}`]) ?? '';
  const rest =
    envelope.slice(0, found.index) + forged + envelope.slice(found.index + element.length);
  const places = ['</s:Header>', '</wsse:Security>', '</s:Body>', '</s:Envelope>', '<s:Body'];
  const place = random.of(places.filter((one) => rest.includes(one))) ?? '';
  const at = place === '' ? -1 : rest.indexOf(place);
  return { envelope: at < 0 ? rest : rest.slice(0, at) + wrapped + rest.slice(at), parts };
}

/** Changes the parts of a package, or the references to them. */
function exchange({ envelope, parts }: Package, random: Alterations): Package {
  const [one, other] = [random.of(parts), random.of(parts)];
  if (one === undefined || other === undefined) return { envelope, parts };
  const [id, content, head = BINARY] = one;
  const changed = (part: Part): Package => ({
    envelope,
    parts: parts.map((each) => (each === one ? part : each)),
  });
  const hrefs = [...envelope.matchAll(/href="[^"]*"/g)].map(([href]) => href);
  switch (random.below(8)) {
    case 0: {
      const bytes = Buffer.from(content);
      const at = random.below(Math.max(1, bytes.length));
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
      return changed([id, bytes, head]);
    }
    case 1:
      return changed([other[0], content, head]);
    case 2:
      return changed([id, other[1], head]);
    case 3:
      return { envelope, parts: [...parts, random.below(2) === 0 ? one : [id, other[1]]] };
    case 4:
      return { envelope, parts: parts.filter((each) => each !== one) };
    case 5:
      return changed([encodeURIComponent(id), content, random.of(HEADS) ?? head]);
    case 6: {
      const [from = '', to = ''] = [random.of(hrefs), random.of(hrefs)];
      return { envelope: envelope.replace(from, to), parts };
    }
    default: {
      const href = random.of(hrefs) ?? '';
      const spelling = random.of([
        href.replace('cid:', 'CID:'),
        decodeURIComponent(href),
        `${href} `,
      ]);
      return { envelope: envelope.replace(href, spelling ?? href), parts };
    }
  }
}

function alter(from: Package, seed: number): Package {
  const random = new Alterations(seed);
  let result = from;
  for (let count = 1 + random.below(3); count > 0; count--) {
    const kind = random.below(3);
    if (kind === 0) result = { ...result, envelope: random.alter(result.envelope) };
    else result = kind === 1 ? wrap(result, random) : exchange(result, random);
  }
  return result;
}

/** The envelope with the base64 of parts in place of their Includes. */
const expanded = ({ envelope, parts }: Package): string =>
  envelope.replace(
    /<(\w+:)?Include\b[^>]*?href="(?:cid|CID):([^"]*?) ?"[^>]*\/>/g,
    (_, __, name: string) => {
      const found = parts.find(([id]) =>
        [id, decodeURIComponent(id)].includes(decodeURIComponent(name)),
      );
      return found?.[1].toString('base64') ?? '';
    },
  );

/** What xml-crypto takes for signed; nothing where it does not take it. */
function signedOf(text: string, publicCert: string): readonly string[] {
  const [signature = ''] = /<ds:Signature[ >].*?<\/ds:Signature>/s.exec(text) ?? [];
  const signed = new SignedXml({ publicCert, idMode: 'wssecurity' });
  try {
    signed.loadSignature(signature);
    return signed.checkSignature(text) ? signed.getSignedReferences() : [];
  } catch {
    return [];
  }
}

/** Start tags of elements in Envelope. */
function tagsInEnvelope(text: string): readonly string[] {
  const found: string[] = [];
  let depth = 0;
  for (const [tag, close, empty] of text.matchAll(/<(\/?)[\w:]+[^>]*?(\/?)>/g)) {
    if (close !== '') depth--;
    else {
      if (depth === 1) found.push(tag);
      if (empty === '') depth++;
    }
  }
  return found;
}

t.test(
  'altered packages pass only where what is signed is what the backend reads',
  WITH_OPENSSL,
  async (t) => {
    t.setTimeout(0);
    const { folder, identity } = makeKeys(t, '/O=Bank/OU=Clients/CN=erp');
    const verify =
      `signature:\n  authorities: { file: ${join(folder, 'ca.pem')} }\n` +
      '  subjects: ["OU=Clients"]\n  required: [Body, Timestamp]';
    const desk = await useVerifyingDesk(
      t,
      verify,
      'limits: { http: { refusalsPerSecond: 10000 } }\n',
    );
    const { message } = signedMessage(identity, contentOf(randomBytes(90)));
    const whole = MOVED.map((_, at) => moved(message, ...MOVED.slice(at))).map(
      ([envelope, parts]): Package => ({ envelope, parts }),
    );
    const bodies = signedOf(message, identity.cert).filter((text) => text.startsWith('<s:Body'));
    t.equal(bodies.length, 1, 'xml-crypto takes what is not altered');
    for (const { envelope, parts } of whole)
      t.equal(await desk.send(packed(envelope, parts), PACKAGE_TYPE), null);
    let passed = 0;
    let tried = 0;
    const property = fc.asyncProperty(fc.nat(), async (seed) => {
      const from = whole[seed % whole.length];
      if (from === undefined) return;
      const altered = alter(from, seed);
      const sent = packed(altered.envelope, altered.parts);
      if (sent.equals(packed(from.envelope, from.parts))) return;
      tried++;
      if ((await desk.send(sent, PACKAGE_TYPE)) !== null) return;
      passed++;
      const text = expanded(altered);
      const inEnvelope = tagsInEnvelope(text).filter((tag) => /^<(?:\w+:)?Body[ >]/.test(tag));
      const id = /\w+:Id="([^"]*)"/.exec(inEnvelope[0] ?? '')?.[1] ?? '';
      const isRight =
        signedOf(text, identity.cert).includes(bodies[0] ?? '') &&
        inEnvelope.length === 1 &&
        text.split(`Id="${id}"`).length === 2;
      if (!isRight)
        throw new Error(`passed: ${altered.envelope} ${altered.parts.map(([name]) => name)}`);
    });
    await fc.assert(property, { numRuns: ALTERED_COUNT, interruptAfterTimeLimit: 3_600_000 });
    t.comment(`${tried} tried, ${passed} passed, each with what was signed`);
    t.ok(passed < tried / 2, `${passed} of ${tried}`);
  },
);
