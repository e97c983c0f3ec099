import { DIALECT_NAMES, DIALECTS, type DialectName } from '../../src/soap/dialect.js';

/**
 * The rules of the envelope as cases, each in every dialect it speaks of: what is sent and what must come of it. Read by
 * the tests of the validator, of the gate and of the whole path.
 */
export interface EnvelopeCase {
  readonly name: string;
  readonly dialect: DialectName;
  readonly message: string;
  /** What becomes of it on its way; the message itself unless blocks for the gateway are taken out. */
  readonly forwarded: string;
  /** Null: accepted. Else the code of the refusal. */
  readonly refusal: string | null;
}

interface Template {
  readonly name: string;
  readonly dialects?: readonly DialectName[];
  /** `E` stands for the envelope prefix; `{env}`, `{enc}`, `{next}` and `{target}` for what the dialect calls them. */
  readonly message: string;
  readonly forwarded?: string;
  readonly refusal: string | null;
}

const OPEN = '<E:Envelope xmlns:E="{env}" xmlns:c="{enc}">';
const CALL = '<m:Ping xmlns:m="urn:m"><a>1</a></m:Ping>';
const BODY = `<E:Body>${CALL}</E:Body>`;
const CLOSE = '</E:Envelope>';
const header = (content: string): string => `${OPEN}<E:Header>${content}</E:Header>${BODY}${CLOSE}`;
const block = (attributes: string): string => header(`<h:B xmlns:h="urn:h" ${attributes}/>`);
const fault = (code: string): string =>
  `${OPEN}<E:Body><E:Fault><faultcode>${code}</faultcode><faultstring>no</faultstring></E:Fault></E:Body>${CLOSE}`;
const OLD: readonly DialectName[] = ['2001-12', '1.1'];

const TEMPLATES: readonly Template[] = [
  // Structure rule 1: XML, and one Envelope root in the right namespace.
  { name: 'Envelope with Body', message: `${OPEN}${BODY}${CLOSE}`, refusal: null },
  {
    name: 'XML declaration and white space around',
    message: `<?xml version="1.0"?>\n${OPEN}\n ${BODY} ${CLOSE}\n`,
    refusal: null,
  },
  { name: 'cut off inside', message: `${OPEN}<E:Body><m:Ping xmlns:m="urn:m">`, refusal: 'XML_NOT_WELLFORMED' },
  { name: 'wrong end tag', message: `${OPEN}<E:Body></E:Bodi>${CLOSE}`, refusal: 'XML_NOT_WELLFORMED' },
  { name: 'two roots', message: `${OPEN}${BODY}${CLOSE}${OPEN}${BODY}${CLOSE}`, refusal: 'XML_NOT_WELLFORMED' },
  { name: 'empty message', message: '', refusal: 'XML_NOT_WELLFORMED' },
  { name: 'undefined entity', message: `${OPEN}<E:Body><a>&nbsp;</a></E:Body>${CLOSE}`, refusal: 'XML_NOT_WELLFORMED' },
  { name: 'unbound prefix', message: `${OPEN}<E:Body><q:a/></E:Body>${CLOSE}`, refusal: 'XML_NS_ERROR' },
  { name: 'version 1.1', message: `<?xml version="1.1"?>${OPEN}${BODY}${CLOSE}`, refusal: 'XML_VERSION' },
  { name: 'other document element', message: '<E:Message xmlns:E="{env}"/>', refusal: 'SOAP_NOT_ENVELOPE' },
  {
    name: 'Envelope in another namespace',
    message: '<E:Envelope xmlns:E="urn:x"><E:Body/></E:Envelope>',
    refusal: 'VERSION_MISMATCH',
  },
  { name: 'Envelope in no namespace', message: '<Envelope><Body/></Envelope>', refusal: 'VERSION_MISMATCH' },
  // Attributes of Envelope, Header and Body.
  ...['Envelope', 'Header', 'Body'].flatMap((part): readonly Template[] => {
    const message = (attribute: string): string =>
      `${OPEN}<E:Header/>${BODY}${CLOSE}`.replace(`<E:${part}`, `<E:${part} ${attribute}`);
    return [
      { name: `qualified attribute on ${part}`, message: message('xmlns:x="urn:x" x:a="1"'), refusal: null },
      { name: `xml:lang on ${part}`, message: message('xml:lang="en"'), refusal: null },
      { name: `unqualified attribute on ${part}`, dialects: OLD, message: message('a="1"'), refusal: null },
      {
        name: `unqualified attribute on ${part}`,
        dialects: ['1.2'],
        message: message('a="1"'),
        refusal: 'SOAP_STRUCTURE',
      },
    ];
  }),
  // Header first and at most one, exactly one Body, nothing else.
  { name: 'Header, then Body', message: header('<h:B xmlns:h="urn:h"/>'), refusal: null },
  { name: 'empty Header', message: header(''), refusal: null },
  {
    name: 'header blocks of the envelope itself',
    dialects: ['1.2'],
    message: header('<E:Upgrade><E:SupportedEnvelope qname="E:Envelope"/></E:Upgrade><E:NotUnderstood qname="E:x"/>'),
    refusal: null,
  },
  { name: 'Upgrade', dialects: OLD, message: header('<E:Upgrade/>'), refusal: 'SOAP_STRUCTURE' },
  { name: 'empty Body', message: `${OPEN}<E:Body/>${CLOSE}`, refusal: null },
  { name: 'no Body', message: `${OPEN}${CLOSE}`, refusal: 'SOAP_STRUCTURE' },
  { name: 'Header and no Body', message: `${OPEN}<E:Header/>${CLOSE}`, refusal: 'SOAP_STRUCTURE' },
  { name: 'two Headers', message: `${OPEN}<E:Header/><E:Header/>${BODY}${CLOSE}`, refusal: 'SOAP_STRUCTURE' },
  { name: 'Header after Body', message: `${OPEN}${BODY}<E:Header/>${CLOSE}`, refusal: 'SOAP_STRUCTURE' },
  { name: 'two Bodies', message: `${OPEN}${BODY}${BODY}${CLOSE}`, refusal: 'SOAP_STRUCTURE' },
  { name: 'element after Body', message: `${OPEN}${BODY}<x:a xmlns:x="urn:x"/>${CLOSE}`, refusal: 'SOAP_STRUCTURE' },
  { name: 'element before Body', message: `${OPEN}<x:a xmlns:x="urn:x"/>${BODY}${CLOSE}`, refusal: 'SOAP_STRUCTURE' },
  { name: 'Body in another namespace', message: `${OPEN}<x:Body xmlns:x="urn:x"/>${CLOSE}`, refusal: 'SOAP_STRUCTURE' },
  { name: 'text in Envelope', message: `${OPEN}hello${BODY}${CLOSE}`, refusal: 'SOAP_STRUCTURE' },
  { name: 'text in Header', message: header('hello'), refusal: 'SOAP_STRUCTURE' },
  { name: 'text in Body', message: `${OPEN}<E:Body>hello</E:Body>${CLOSE}`, refusal: 'SOAP_STRUCTURE' },
  {
    name: 'two elements in Body',
    message: `${OPEN}<E:Body>${CALL}${CALL}</E:Body>${CLOSE}`,
    refusal: 'SOAP_MULTI_BODY',
  },
  { name: 'Body child without a namespace', message: `${OPEN}<E:Body><Ping/></E:Body>${CLOSE}`, refusal: null },
  // Structure rules 4 and 5.
  { name: 'DTD', message: `<!DOCTYPE a>${OPEN}${BODY}${CLOSE}`, refusal: 'XML_DTD_FORBIDDEN' },
  {
    name: 'external DTD',
    message: `<!DOCTYPE a SYSTEM "http://127.0.0.1:1/a.dtd">${OPEN}${BODY}${CLOSE}`,
    refusal: 'XML_DTD_FORBIDDEN',
  },
  { name: 'processing instruction before', message: `<?go now?>${OPEN}${BODY}${CLOSE}`, refusal: 'XML_PI_FORBIDDEN' },
  {
    name: 'processing instruction inside',
    message: `${OPEN}<E:Body><a><?go now?></a></E:Body>${CLOSE}`,
    refusal: 'XML_PI_FORBIDDEN',
  },
  { name: 'processing instruction after', message: `${OPEN}${BODY}${CLOSE}<?go now?>`, refusal: 'XML_PI_FORBIDDEN' },
  { name: 'comment', message: `<!-- a -->${OPEN}<!-- b -->${BODY}${CLOSE}<!-- c -->`, refusal: null },
  // Structure rule 6, mustUnderstand, actor and role.
  { name: 'unqualified header block', message: header('<B/>'), refusal: 'SOAP_STRUCTURE' },
  { name: 'Fault as header block', message: header('<E:Fault/>'), refusal: 'SOAP_STRUCTURE' },
  {
    name: 'Fault inside a header block',
    message: header('<h:B xmlns:h="urn:h"><E:Fault/></h:B>'),
    refusal: 'SOAP_STRUCTURE',
  },
  { name: 'mustUnderstand 0', message: block('E:mustUnderstand="0"'), refusal: null },
  { name: 'mustUnderstand 1 for the final receiver', message: block('E:mustUnderstand="1"'), refusal: null },
  { name: 'mustUnderstand yes', message: block('E:mustUnderstand="yes"'), refusal: 'SOAP_STRUCTURE' },
  { name: 'mustUnderstand true', dialects: OLD, message: block('E:mustUnderstand="true"'), refusal: 'SOAP_STRUCTURE' },
  { name: 'mustUnderstand true', dialects: ['1.2'], message: block('E:mustUnderstand="true"'), refusal: null },
  {
    name: 'mustUnderstand false for next',
    dialects: ['1.2'],
    message: block('E:mustUnderstand="false" E:role="{next}"'),
    forwarded: header(''),
    refusal: null,
  },
  {
    name: 'mustUnderstand 1 for next',
    message: block('E:mustUnderstand="1" E:{target}="{next}"'),
    refusal: 'MUST_UNDERSTAND',
  },
  {
    name: 'mustUnderstand 0 for next',
    message: block('E:mustUnderstand="0" E:{target}="{next}"'),
    forwarded: header(''),
    refusal: null,
  },
  {
    name: 'blocks for next among others',
    message: header(
      '<!-- a --><h:A xmlns:h="urn:h"/> <h:B xmlns:h="urn:h" E:{target}="{next}"><b>1</b></h:B >\n<h:C xmlns:h="urn:h" E:{target}=" {next} "/><h:D xmlns:h="urn:h" E:{target}="urn:else"/>',
    ),
    forwarded: header('<!-- a --><h:A xmlns:h="urn:h"/> \n<h:D xmlns:h="urn:h" E:{target}="urn:else"/>'),
    refusal: null,
  },
  {
    name: 'a block for next that asks to be relayed',
    dialects: ['1.2'],
    message: header(
      '<h:B xmlns:h="urn:h" E:role="{next}" E:relay="true"/><h:C xmlns:h="urn:h" E:role="{next}" E:relay="0"/>',
    ),
    forwarded: header('<h:B xmlns:h="urn:h" E:role="{next}" E:relay="true"/>'),
    refusal: null,
  },
  {
    name: 'relay is nothing of the older dialects',
    dialects: OLD,
    message: block('E:relay="maybe" E:actor="{next}"'),
    forwarded: header(''),
    refusal: null,
  },
  { name: 'relay maybe', dialects: ['1.2'], message: block('E:relay="maybe"'), refusal: 'SOAP_STRUCTURE' },
  {
    name: 'a block for the role none',
    dialects: ['1.2'],
    message: block('E:mustUnderstand="1" E:role="http://www.w3.org/2003/05/soap-envelope/role/none"'),
    refusal: null,
  },
  {
    name: 'mustUnderstand 1 for another receiver',
    message: block('E:mustUnderstand="1" E:{target}="urn:else"'),
    refusal: null,
  },
  {
    name: 'mustUnderstand without namespace is no rule of ours',
    message: block('mustUnderstand="yes"'),
    refusal: null,
  },
  // Fault: at most one, only in Body, only the permitted codes in the first dialect.
  { name: 'Fault', message: fault('{sender}'), refusal: null },
  { name: 'two Faults', message: `${OPEN}<E:Body><E:Fault/><E:Fault/></E:Body>${CLOSE}`, refusal: 'SOAP_STRUCTURE' },
  {
    name: 'Fault beside another element',
    message: `${OPEN}<E:Body>${CALL}<E:Fault/></E:Body>${CLOSE}`,
    refusal: 'SOAP_STRUCTURE',
  },
  {
    name: 'element beside Fault',
    message: `${OPEN}<E:Body><E:Fault/>${CALL}</E:Body>${CLOSE}`,
    refusal: 'SOAP_STRUCTURE',
  },
  { name: 'Fault in Envelope', message: `${OPEN}<E:Fault/>${BODY}${CLOSE}`, refusal: 'SOAP_STRUCTURE' },
  { name: 'element in a fault code', message: fault('<a/>'), refusal: 'SOAP_STRUCTURE' },
  { name: 'each permitted fault code', dialects: ['2001-12'], message: fault(' MustUnderstand '), refusal: null },
  { name: 'fault code with a prefix', dialects: ['2001-12'], message: fault('E:Client'), refusal: 'SOAP_FAULT_CODE' },
  { name: 'fault code with a dot', dialects: ['2001-12'], message: fault('Client.Wrong'), refusal: 'SOAP_FAULT_CODE' },
  {
    name: 'fault code of another dialect',
    dialects: ['2001-12'],
    message: fault('Sender'),
    refusal: 'SOAP_FAULT_CODE',
  },
  { name: 'fault code with a dot', dialects: ['1.1'], message: fault('E:Client.Wrong'), refusal: null },
  { name: 'foreign fault code', dialects: ['1.1'], message: fault('wsse:FailedAuthentication'), refusal: null },
  // The encoding namespace: named by a declaration or by encodingStyle, by the first Body child.
  {
    name: 'encoding namespace declared on Envelope',
    message: `<E:Envelope xmlns:E="{env}" xmlns:c="{enc}">${BODY}${CLOSE}`,
    refusal: null,
  },
  {
    name: 'encodingStyle on Envelope',
    dialects: OLD,
    message: `<E:Envelope xmlns:E="{env}" E:encodingStyle="urn:a {enc}">${BODY}${CLOSE}`,
    refusal: null,
  },
  {
    name: 'encodingStyle on Envelope',
    dialects: ['1.2'],
    message: `<E:Envelope xmlns:E="{env}" E:encodingStyle="{enc}">${BODY}${CLOSE}`,
    refusal: 'SOAP_STRUCTURE',
  },
  {
    name: 'encodingStyle on Body',
    dialects: ['1.2'],
    message: `${OPEN}<E:Body E:encodingStyle="{enc}"/>${CLOSE}`,
    refusal: 'SOAP_STRUCTURE',
  },
  {
    name: 'unknown encodingStyle',
    dialects: ['1.2'],
    message: `${OPEN}<E:Body><a E:encodingStyle="urn:x"/></E:Body>${CLOSE}`,
    refusal: 'DATA_ENCODING_UNKNOWN',
  },
  {
    name: 'unknown encodingStyle',
    dialects: OLD,
    message: `${OPEN}<E:Body><a E:encodingStyle="urn:x"/></E:Body>${CLOSE}`,
    refusal: null,
  },
  {
    name: 'encodingStyle on the Body child',
    message: `<E:Envelope xmlns:E="{env}"><E:Body><a E:encodingStyle="{enc}"/></E:Body>${CLOSE}`,
    refusal: null,
  },
  {
    name: 'encoding namespace declared in a header block',
    message: `<E:Envelope xmlns:E="{env}"><E:Header><h:B xmlns:h="urn:h" xmlns:c="{enc}"/></E:Header>${BODY}${CLOSE}`,
    refusal: null,
  },
  {
    name: 'encoding namespace not named',
    dialects: ['2001-12'],
    message: `<E:Envelope xmlns:E="{env}">${BODY}${CLOSE}`,
    refusal: 'SOAP_ENCODING_NAMESPACE',
  },
  {
    name: 'encoding namespace named too late',
    dialects: ['2001-12'],
    message: `<E:Envelope xmlns:E="{env}"><E:Body><a><b xmlns:c="{enc}"/></a></E:Body>${CLOSE}`,
    refusal: 'SOAP_ENCODING_NAMESPACE',
  },
  {
    name: 'encoding namespace of another dialect',
    dialects: ['2001-12'],
    message: `<E:Envelope xmlns:E="{env}" xmlns:c="http://schemas.xmlsoap.org/soap/encoding/">${BODY}${CLOSE}`,
    refusal: 'SOAP_ENCODING_NAMESPACE',
  },
  {
    name: 'encoding namespace not named',
    dialects: ['1.1', '1.2'],
    message: `<E:Envelope xmlns:E="{env}">${BODY}${CLOSE}`,
    refusal: null,
  },
];

export const ENVELOPE_CASES: readonly EnvelopeCase[] = TEMPLATES.flatMap((template) =>
  (template.dialects ?? DIALECT_NAMES).map((dialect) => ({
    name: template.name,
    dialect,
    message: fill(template.message, dialect),
    forwarded: fill(template.forwarded ?? template.message, dialect),
    refusal: template.refusal,
  })),
);

/** A template in one dialect. */
export function fill(template: string, name: DialectName): string {
  const dialect = DIALECTS[name];
  return template
    .replaceAll('{env}', dialect.envelopeUri)
    .replaceAll('{enc}', dialect.encodingUri)
    .replaceAll('{next}', dialect.nextTargets[0] ?? '')
    .replaceAll('{target}', dialect.targetAttribute)
    .replaceAll('{sender}', dialect.faultCodesAreQNames ? `E:${dialect.senderCode}` : dialect.senderCode);
}
