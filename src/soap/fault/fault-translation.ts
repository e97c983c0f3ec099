import type { Buffer } from 'node:buffer';
import { isNcName, referencesFor, XmlWriter } from '../../xml/index.js';
import { type Dialect, dialectOfUri } from '../dialect.js';
import type { DetailTag, FaultMessage } from './fault-message.js';

/**
 * The namespaces of specifications that name a QName of theirs as the code of SOAP 1.1, and as the
 * subcode of SOAP 1.2: WS-Security, WS-Addressing (SOAP binding section 6), WS-Trust,
 * WS-SecureConversation, WS-ReliableMessaging. All but one of their codes blame the sender.
 */
const CODE_NAMESPACES: ReadonlySet<string | null> = new Set([
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd',
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd',
  'http://www.w3.org/2005/08/addressing',
  'http://schemas.xmlsoap.org/ws/2004/08/addressing',
  'http://docs.oasis-open.org/ws-sx/ws-trust/200512',
  'http://schemas.xmlsoap.org/ws/2005/02/trust',
  'http://docs.oasis-open.org/ws-sx/ws-secureconversation/200512',
  'http://schemas.xmlsoap.org/ws/2005/02/sc',
  'http://docs.oasis-open.org/ws-rx/wsrm/200702',
  'http://schemas.xmlsoap.org/ws/2005/02/rm',
]);

/** The code of these namespaces that blames the receiver. */
const RECEIVER_CODE = 'EndpointUnavailable';

/** A Fault code independent of the dialect. */
interface NeutralCode {
  readonly code:
    | 'sender'
    | 'receiver'
    | 'VersionMismatch'
    | 'MustUnderstand'
    | 'DataEncodingUnknown';
  readonly subcodes: readonly { readonly uri: string | null; readonly local: string }[];
}

/** A Fault in the caller's dialect, and its code there. */
export interface TranslatedFault {
  readonly message: Buffer;
  readonly code: string;
}

/**
 * Translates a Fault into another dialect: the code mapped, subcodes joined by dots or taken apart,
 * texts, actor and detail moved. Header blocks are dropped: they belong to the old envelope.
 */
export function translateFault(fault: FaultMessage, to: Dialect): TranslatedFault {
  const writer = new XmlWriter();
  writer.open('soap', 'Envelope').namespace('soap', to.envelopeUri);
  if (to.needsEncodingNamespace) {
    writer.attribute('soap', 'encodingStyle', to.encodingUri);
  }
  writer.open('soap', 'Body').open('soap', 'Fault');
  const code = writeParts(writer, fault, to);
  return { message: writer.close().close().close().finish(), code };
}

/**
 * The element Fault alone, as it is valid in the dialect of its envelope, in ASCII. Null where a
 * name in it is not: that cannot be written by references.
 */
export function validFault(fault: FaultMessage, to: Dialect): string | null {
  const writer = new XmlWriter();
  writer.open('soap', 'Fault').namespace('soap', to.envelopeUri);
  writeParts(writer, fault, to);
  const text = writer.close().finish().toString();
  return NAME_BEYOND_ASCII.test(text) ? null : referencesFor(text);
}

/** Names of tags and of attributes: what is in a tag and not between quotes. */
const NAME_BEYOND_ASCII = /<[^<>"]*(?:"[^"]*"[^<>"]*)*?[^<>"\0-\x7f]/;

/** Writes the content of Fault; returns its code. */
function writeParts(writer: XmlWriter, fault: FaultMessage, to: Dialect): string {
  const neutral = neutralCodeOf(fault);
  const code = codeIn(neutral.code, to);
  if (to.faultForm === 'Code') {
    writePartsOf12(writer, fault, code, neutral);
  } else {
    writePartsOf11(writer, fault, code, neutral, to);
  }
  if (fault.detail !== null) {
    if (to.faultForm === 'Code') {
      writer.open('soap', 'Detail');
    } else {
      writer.open(null, 'detail');
    }
    new DetailWriter(writer, to.envelopeUri).write(fault);
    writer.close();
  }
  return code;
}

/** The code that a Fault has in this dialect. */
export const faultCodeIn = (fault: FaultMessage, to: Dialect): string =>
  codeIn(neutralCodeOf(fault).code, to);

function neutralCodeOf({ codes }: FaultMessage): NeutralCode {
  const [first, ...subcodes] = codes;
  if (first === undefined) return { code: 'receiver', subcodes: [] };
  const [base = '', ...dotted] = first.local.split('.');
  const own = [...dotted.filter(isNcName).map((local) => ({ uri: null, local })), ...subcodes];
  const isStandard = first.uri === null || dialectOfUri(first.uri) !== null;
  const code = isStandard ? STANDARD.get(base) : undefined;
  if (code !== undefined) return { code, subcodes: own };
  // A code of another namespace is a subcode in SOAP 1.2.
  return {
    code: CODE_NAMESPACES.has(first.uri) && base !== RECEIVER_CODE ? 'sender' : 'receiver',
    subcodes: isNcName(base) ? [{ ...first, local: base }, ...own] : own,
  };
}

const STANDARD: ReadonlyMap<string, NeutralCode['code']> = new Map([
  ['Client', 'sender'],
  ['Sender', 'sender'],
  ['Server', 'receiver'],
  ['Receiver', 'receiver'],
  ['VersionMismatch', 'VersionMismatch'],
  ['MustUnderstand', 'MustUnderstand'],
  ['DataEncodingUnknown', 'DataEncodingUnknown'],
]);

function codeIn(code: NeutralCode['code'], to: Dialect): string {
  if (code === 'sender') return to.senderCode;
  if (code === 'receiver') return to.receiverCode;
  return code === 'DataEncodingUnknown' && to.faultForm !== 'Code' ? to.senderCode : code;
}

function writePartsOf11(
  writer: XmlWriter,
  fault: FaultMessage,
  code: string,
  neutral: NeutralCode,
  to: Dialect,
): void {
  writer.open(null, 'faultcode');
  writeCodeOf11(writer, code, neutral, to);
  writer.close().open(null, 'faultstring');
  const [first] = fault.texts;
  if (first?.language) {
    writer.attribute('xml', 'lang', first.language);
  }
  writer.text(first?.text ?? '').close();
  // SOAP 1.1 has one element for both: the source of the Fault.
  const actor = fault.actor ?? fault.node;
  if (actor !== null) {
    writer.open(null, 'faultactor').text(actor).close();
  }
}

function writeCodeOf11(
  writer: XmlWriter,
  code: string,
  { subcodes }: NeutralCode,
  to: Dialect,
): void {
  const [first] = subcodes;
  if (!to.faultCodesAreQNames) {
    writer.text(code);
  } else if (first?.uri && CODE_NAMESPACES.has(first.uri) && isNcName(first.local)) {
    writer.namespace('c', first.uri).text(`c:${first.local}`);
  } else {
    const dotted = [code, ...subcodes.map(({ local }) => local).filter(isNcName)].join('.');
    writer.text(`soap:${dotted}`);
  }
}

function writePartsOf12(
  writer: XmlWriter,
  fault: FaultMessage,
  code: string,
  { subcodes }: NeutralCode,
): void {
  writer.open('soap', 'Code').open('soap', 'Value').text(`soap:${code}`).close();
  const named = subcodes.filter(({ local }) => isNcName(local));
  for (const { uri, local } of named) {
    writer.open('soap', 'Subcode').open('soap', 'Value');
    if (uri !== null && uri !== '') {
      writer.namespace('c', uri).text(`c:${local}`);
    } else {
      writer.text(local);
    }
    writer.close();
  }
  for (const _ of named) {
    writer.close();
  }
  writer.close().open('soap', 'Reason');
  const languages = new Set<string>();
  for (const { text, language } of fault.texts.length === 0
    ? [{ text: '', language: null }]
    : fault.texts) {
    // SOAP 1.2 part 1 section 5.4.2: each with its language, none twice.
    const lang = language === null || language === '' ? 'en' : language;
    if (languages.has(lang)) continue;
    languages.add(lang);
    writer.open('soap', 'Text').attribute('xml', 'lang', lang).text(text).close();
  }
  writer.close();
  if (fault.node !== null) {
    writer.open('soap', 'Node').text(fault.node).close();
  }
  if (fault.actor !== null) {
    writer.open('soap', 'Role').text(fault.actor).close();
  }
}

/** Writes elements with their prefixes, and binds the prefixes that they and their texts use. */
class DetailWriter {
  readonly #writer: XmlWriter;
  /** Bindings in force, the newest last; each with the depth it was made at. */
  readonly #scope: { readonly prefix: string; readonly uri: string; readonly depth: number }[];
  #depth = 0;

  constructor(writer: XmlWriter, envelopeUri: string) {
    this.#writer = writer;
    this.#scope = [
      { prefix: '', uri: '', depth: 0 },
      { prefix: 'soap', uri: envelopeUri, depth: 0 },
    ];
  }

  write({ detail }: FaultMessage): void {
    for (const piece of detail ?? []) {
      if (piece.kind === 'open') {
        this.#open(piece.tag);
      } else if (piece.kind === 'text') {
        this.#text(piece.text);
      } else {
        this.#close();
      }
    }
  }

  #text(text: string): void {
    if (this.#depth > 0) {
      this.#writer.text(text);
    }
  }

  #close(): void {
    this.#writer.close();
    while ((this.#scope.at(-1)?.depth ?? 0) === this.#depth) {
      this.#scope.pop();
    }
    this.#depth--;
  }

  #open({ name, prefix, attributes, bindings }: DetailTag): void {
    this.#depth++;
    this.#writer.open(prefix, name.local);
    this.#bind(prefix, name.uri);
    for (const [own, uri] of bindings) {
      this.#bind(own, uri);
    }
    for (const { name: attribute, value } of attributes) {
      this.#writer.attribute(this.#prefixOf(attribute.uri), attribute.local, value);
    }
  }

  /** Binds a prefix here, unless it is so bound already, or bound otherwise by this very tag. */
  #bind(prefix: string, uri: string): void {
    const bound = this.#scope.findLast((binding) => binding.prefix === prefix);
    if (bound?.uri === uri || bound?.depth === this.#depth || prefix === 'xml') return;
    // XML 1.0 namespaces cannot take a binding away from a prefix.
    if (prefix !== '' && uri === '') return;
    this.#scope.push({ prefix, uri, depth: this.#depth });
    this.#writer.namespace(prefix, uri);
  }

  #prefixOf(uri: string): string | null {
    if (uri === '') return null;
    if (uri === 'http://www.w3.org/XML/1998/namespace') return 'xml';
    const found = this.#scope.findLast(
      ({ prefix, uri: bound }) =>
        bound === uri &&
        prefix !== '' &&
        this.#scope.findLast((other) => other.prefix === prefix)?.uri === uri,
    );
    if (found !== undefined) return found.prefix;
    let number = this.#scope.length;
    while (this.#scope.some(({ prefix }) => prefix === `n${number}`)) {
      number++;
    }
    this.#bind(`n${number}`, uri);
    return `n${number}`;
  }
}
