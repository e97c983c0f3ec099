import { coerceInputValue, type FieldNode, isInputType, Kind, parse } from 'graphql';

import { treatWhiteSpace } from '../../src/codec/plan/lexical.js';
import { encodeRequest } from '../../src/codec/write/encode.js';
import { InputError } from '../../src/codec/write/input-error.js';
import type { Compiled } from '../../src/compile.js';
import { planReply } from '../../src/graphql/schema/output/reply-plan.js';
import { DIALECTS } from '../../src/soap/dialect.js';
import { decodeReply } from '../codec/plans.js';
import type { Random } from '../codec/random-values.js';
import { compileAlone } from '../kit/configuration.js';

/** A place for a string in the arguments of the echo operation, and where it is in the answer. */
interface Place {
  readonly name: string;
  readonly put: (text: string) => unknown;
  readonly path: readonly (string | number)[];
  /** XML Schema says what of its white space counts. */
  readonly isTreated: boolean;
}

const at = (name: string, isTreated = true): Place => ({
  name,
  put: (text) => ({ [name]: text }),
  path: [name],
  isTreated,
});

const PLACES: readonly Place[] = [
  at('text', false),
  { name: 'a list', put: (text) => ({ texts: ['a', text] }), path: ['texts', 1], isTreated: false },
  {
    name: 'an attribute',
    put: (mark) => ({ marked: { value: 'a', mark } }),
    path: ['marked', 'mark'],
    isTreated: false,
  },
  {
    name: 'simple content',
    put: (value) => ({ marked: { value } }),
    path: ['marked', 'value'],
    isTreated: false,
  },
  {
    name: 'a derived type',
    put: (sku) => ({ part: { engine: { sku, power: 1 } } }),
    path: ['part', 'sku'],
    isTreated: false,
  },
  {
    name: 'constructor',
    put: (text) => ({ proto: { constructor: text } }),
    path: ['proto', 'constructor'],
    isTreated: false,
  },
  ...['token', 'colour', 'number', 'big', 'integer', 'decimal', 'double', 'flag'].map((name) =>
    at(name),
  ),
  ...['date', 'dateTime', 'duration', 'base64', 'hex', 'uri', 'name'].map((name) => at(name)),
];

const SELECTION =
  '{echo(values:{}){text texts marked{value mark} part{sku} proto{constructor} token colour ' +
  'number big integer decimal double flag date dateTime duration base64 hex uri name}}';

export interface Injection {
  strings: number;
  sent: number;
  refused: number;
  /** By place. */
  readonly equal: Map<string, number>;
  readonly failures: string[];
}

export const startInjection = (): Promise<Compiled> =>
  compileAlone(
    `services:\n  bridge:\n    wsdl: ${process.cwd()}/test/catalogue/fixtures/bridge.wsdl\n` +
      '    url: http://127.0.0.1:1/\n    operations: { Echo: { field: Query.echo } }\n',
  );

/**
 * Sends so many random strings through every place over the bridge and back: arguments as GraphQL
 * takes them, the envelope as it is written, read again as the answer of a backend that echoes.
 */
export function checkInjection({ graph }: Compiled, count: number, random: Random): Injection {
  const bound = graph.fields.get('Query.echo');
  const type = graph.schema.getType('ValuesInput');
  if (bound === undefined || !('requestPlan' in bound) || !isInputType(type))
    throw new Error('no echo');
  const plan = planReply(bound.reply, [fieldOf(SELECTION)], {
    fragments: new Map(),
    variables: {},
  });
  const found: Injection = { strings: 0, sent: 0, refused: 0, equal: new Map(), failures: [] };

  const envelopeOf = (values: unknown): string | null => {
    let isWrong = false;
    const coerced = coerceInputValue(values, type, () => {
      isWrong = true;
    });
    if (isWrong) return null;
    try {
      const given = { arguments: { values: coerced }, headers: {} };
      return encodeRequest(bound.requestPlan, DIALECTS['1.1'], given).toString();
    } catch (caught) {
      if (caught instanceof InputError) return null;
      throw caught;
    }
  };
  const elements = new Map(
    PLACES.map((place) => [
      place,
      countTags(envelopeOf(place.put(HARMLESS.get(place.name) ?? 'a')) ?? ''),
    ]),
  );

  for (; found.strings < count && found.failures.length < 5; found.strings++) {
    const text = randomText(random);
    for (const place of PLACES) {
      const envelope = envelopeOf(place.put(text));
      if (envelope === null) {
        found.refused++;
        continue;
      }
      found.sent++;
      const problem = problemOf(place, text, envelope, elements.get(place) ?? 0);
      if (problem === null) found.equal.set(place.name, (found.equal.get(place.name) ?? 0) + 1);
      else found.failures.push(`${place.name} ${JSON.stringify(text)}: ${problem}`);
    }
  }
  return found;

  function problemOf(
    place: Place,
    text: string,
    envelope: string,
    expected: number,
  ): string | null {
    // An empty text may leave its element without content, but not away.
    if (countTags(envelope) !== expected) return `${countTags(envelope)} elements, not ${expected}`;
    const { value, errors } = decodeReply(plan, echoed(envelope));
    const [error] = errors;
    if (error !== undefined) return `${error.code} ${error.rule}`;
    const back = place.path.reduce<unknown>((inner, step) => Object(inner)[step], value);
    const collapsed = place.isTreated ? treatWhiteSpace(text, 'collapse') : text;
    const wanted = place.name === 'base64' ? collapsed.replaceAll(' ', '') : collapsed;
    return String(back) === wanted ? null : `came back as ${JSON.stringify(back)}`;
  }
}

/**
 * What a backend would answer that gives back what it was given: the element in its Body, under the
 * name of a reply.
 */
function echoed(envelope: string): string {
  const [, declarations = ''] = /:Envelope ([^>]*)>/.exec(envelope) ?? [];
  const body = envelope.slice(envelope.indexOf(':Body>') + 6, envelope.lastIndexOf('</'));
  return body
    .slice(0, body.lastIndexOf('</'))
    .replace(/^<(\w+:)Echo/, `<$1EchoResponse ${declarations}`)
    .replace(/<\/(\w+:)Echo>$/, '</$1EchoResponse>');
}

/** What passes where not every text does. */
const HARMLESS: ReadonlyMap<string, string> = new Map([
  ['colour', 'RED'],
  ['big', '1'],
  ['integer', '1'],
  ['decimal', '1'],
  ['date', '2015-03-26'],
  ['dateTime', '2015-03-26T09:30:00Z'],
  ['duration', 'P1D'],
  ['base64', 'AAAA'],
  ['hex', 'AA'],
]);

/**
 * In well-formed XML a `<` begins a tag wherever it stands, but for comments and CDATA, which are
 * not written here.
 */
const countTags = (xml: string): number => xml.match(/<[^/?]/g)?.length ?? 0;

function fieldOf(query: string): FieldNode {
  const [definition] = parse(query).definitions;
  const selection =
    definition?.kind === Kind.OPERATION_DEFINITION
      ? definition.selectionSet.selections[0]
      : undefined;
  if (selection?.kind !== Kind.FIELD) throw new Error('no field');
  return selection;
}

const PIECES = [
  '<',
  '>',
  '&',
  '"',
  "'",
  ']]>',
  '<!--',
  '-->',
  '<![CDATA[',
  '<?x',
  '?>',
  '</',
  '/>',
  '&amp;',
  '&#x0;',
  '&#13;',
  '&lt;',
  '%00',
  '\\u0000',
  '<admin>1</admin>',
  '</text>',
  '<!DOCTYPE a>',
  '<!ENTITY b "c">',
  'xmlns:a="urn:a"',
  'xsi:type="x"',
  `\${a}`,
  '{{a}}',
  '{urn:x}',
  ':',
  '=',
  ' ',
  '  ',
  '\t',
  '\n',
  '\r',
  '\r\n',
  '\u0085',
  '\u2028',
  '\ufeff',
  '\ufffd',
  '\ufffe',
  '\u0000',
  '\u0001',
  '\u007f',
  '\u0080',
  '\ud800',
  '\udc00',
  '\u{1f600}',
  '\u{1ffff}',
  'a',
  'Z',
  '0',
  '1',
  '9',
  '-',
  '+',
  '.',
  'e',
  'E',
  'INF',
  'NaN',
  'true',
  'false',
  'RED',
  'P1D',
  'T',
  '2015-03-26',
  '09:30:00',
  'Z',
  '+01:00',
  'AAAA',
  '==',
  'http://a/',
  'é',
  'e\u0301',
  '__proto__',
  '\u560a',
] as const;

function randomText(random: Random): string {
  return random
    .some(0, random.of([1, 2, 3, 6, 12]), () =>
      random.chance(0.8) ? random.of(PIECES) : String.fromCharCode(random.upTo(0x10000)),
    )
    .join('');
}
