import sax from 'sax';

/**
 * Messages of the demonstration desk: three dialects read and written, nothing shared with the
 * gateway's own code.
 */

export interface Dialect {
  readonly version: '2001-12' | '1.1' | '1.2';
  readonly envelope: string;
  readonly encoding: string;
  readonly mediaType: string;
}

export const DIALECTS: readonly Dialect[] = [
  {
    version: '1.1',
    envelope: 'http://schemas.xmlsoap.org/soap/envelope/',
    encoding: 'http://schemas.xmlsoap.org/soap/encoding/',
    mediaType: 'text/xml',
  },
  {
    version: '1.2',
    envelope: 'http://www.w3.org/2003/05/soap-envelope',
    encoding: 'http://www.w3.org/2003/05/soap-encoding',
    mediaType: 'application/soap+xml',
  },
  {
    version: '2001-12',
    envelope: 'http://www.w3.org/2001/12/soap-envelope',
    encoding: 'http://www.w3.org/2001/12/soap-encoding',
    mediaType: 'application/soap+xml',
  },
];

export interface Element {
  readonly namespace: string;
  readonly name: string;
  /** Attribute values by local name, those of the envelope namespaces as `{namespace}name`. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: Element[];
  text: string;
}

/** An answer of the desk that is a Fault; `detail` is XML, already escaped. */
export class DeskFault extends Error {
  readonly code: 'VersionMismatch' | 'MustUnderstand' | 'Client' | 'Server';
  readonly detail: string;

  constructor(code: DeskFault['code'], text: string, detail = '') {
    super(text);
    this.code = code;
    this.detail = detail;
  }
}

/** What cannot be read as XML at all. */
export class Undecodable extends Error {}

const DEPTH_LIMIT = 64;

/** The document's root with everything beneath it; namespaces in `seen`. Throws `Undecodable`. */
export function readDocument(text: string, seen: Set<string>): Element {
  const parser = sax.parser(true, { xmlns: true });
  const open: Element[] = [];
  let root: Element | null = null;
  const refuse = (what: string): never => {
    throw new Undecodable(what);
  };
  parser.onerror = (error) => refuse(error.message);
  parser.ondoctype = () => refuse('A DTD is not accepted');
  parser.onprocessinginstruction = (node) =>
    node.name === 'xml' || refuse('A processing instruction is not accepted');
  parser.onopentag = (tag) => {
    if (!('uri' in tag) || open.length >= DEPTH_LIMIT) return refuse('Too deep');
    const attributes = new Map<string, string>();
    for (const attribute of Object.values(tag.attributes)) {
      if (typeof attribute === 'string') continue;
      if (attribute.prefix === 'xmlns' || attribute.name === 'xmlns') seen.add(attribute.value);
      else
        attributes.set(
          attribute.uri === '' ? attribute.local : `{${attribute.uri}}${attribute.local}`,
          attribute.value,
        );
    }
    const element: Element = {
      namespace: tag.uri,
      name: tag.local,
      attributes,
      children: [],
      text: '',
    };
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  };
  parser.onclosetag = () => void open.pop();
  const addText = (piece: string): void => {
    const element = open.at(-1);
    if (element !== undefined) element.text += piece;
  };
  parser.ontext = addText;
  parser.oncdata = addText;
  try {
    parser.write(text).close();
  } catch (error) {
    throw error instanceof Undecodable ? error : new Undecodable(String(error));
  }
  return root ?? refuse('No document');
}

export interface DeskRequest {
  readonly headers: readonly Element[];
  readonly call: Element;
}

/** Header blocks and the call of an envelope of this dialect. Throws `DeskFault`. */
export function readEnvelope(
  root: Element,
  dialect: Dialect,
  seen: ReadonlySet<string>,
): DeskRequest {
  const parts = root.children;
  const header = parts[0]?.name === 'Header' ? parts[0] : null;
  const body = parts[header === null ? 0 : 1];
  if (
    root.name !== 'Envelope' ||
    body?.name !== 'Body' ||
    parts.length !== (header === null ? 1 : 2)
  )
    throw new DeskFault('Client', 'An Envelope holds an optional Header and one Body');
  if (parts.some((part) => part.namespace !== dialect.envelope))
    throw new DeskFault('Client', 'Header and Body belong to the envelope namespace');
  const styles = [root, body].map((element) =>
    element.attributes.get(`{${dialect.envelope}}encodingStyle`),
  );
  if (
    dialect.version === '2001-12' &&
    !seen.has(dialect.encoding) &&
    !styles.includes(dialect.encoding)
  )
    throw new DeskFault('Client', 'The message does not use the encoding namespace');
  const call = body.children[0];
  if (call === undefined) throw new DeskFault('Client', 'The Body is empty');
  return { headers: header?.children ?? [], call };
}

/** Text as element content or attribute value. */
export function escapeText(text: string): string {
  return text.replace(/[&<>"\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** What stands before and after the Body's content. */
export function envelopeAround(dialect: Dialect): readonly [string, string] {
  const encoding = dialect.version === '2001-12' ? ` xmlns:enc="${dialect.encoding}"` : '';
  const instance = 'http://www.w3.org/2001/XMLSchema-instance';
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
      `<env:Envelope xmlns:env="${dialect.envelope}"${encoding} xmlns:xsi="${instance}">` +
      '<env:Body>',
    '</env:Body></env:Envelope>',
  ];
}

const CODES_1_2 = {
  VersionMismatch: 'VersionMismatch',
  MustUnderstand: 'MustUnderstand',
  Client: 'Sender',
  Server: 'Receiver',
};

/** The Fault element in the dialect's shape. */
export function writeFault(fault: DeskFault, dialect: Dialect): string {
  const text = escapeText(fault.message);
  if (dialect.version === '1.2') {
    const detail = fault.detail === '' ? '' : `<env:Detail>${fault.detail}</env:Detail>`;
    return (
      `<env:Fault><env:Code><env:Value>env:${CODES_1_2[fault.code]}</env:Value></env:Code>` +
      `<env:Reason><env:Text xml:lang="en">${text}</env:Text></env:Reason>${detail}</env:Fault>`
    );
  }
  const code = dialect.version === '1.1' ? `env:${fault.code}` : fault.code;
  const detail = fault.detail === '' ? '' : `<detail>${fault.detail}</detail>`;
  return (
    `<env:Fault><faultcode>${code}</faultcode><faultstring>` +
    `${text}</faultstring>${detail}</env:Fault>`
  );
}
