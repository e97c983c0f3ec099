import { DIALECTS, type Dialect, type DialectName, ENVELOPE_MEDIA_TYPES } from '../dialect.js';

/** A Content-Type as the envelope protocol needs it. Both parts are in lower case. */
export interface MediaType {
  readonly name: string;
  /** The charset parameter, or null. */
  readonly charset: string | null;
  /** The action parameter of SOAP 1.2 (RFC 3902), or null. */
  readonly action: string | null;
}

/** Whether this is a media type without parameters and wildcards (RFC 6838 section 4.2). */
export const isMediaType = (text: string): boolean =>
  /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/.test(text);

/** Longer headers are not worth reading. */
const LENGTH_MAX = 2048;

/**
 * Reads a Content-Type (RFC 9110 section 8.3.1). Null for what is none. Space before the semicolon
 * is tolerated: real stacks write it.
 */
export function readMediaType(header: string | undefined): MediaType | null {
  if (header === undefined) return null;
  const known = KNOWN.get(header);
  if (known !== undefined) return known;
  const type = readContentType(header);
  if (type === null) return null;
  const { name, parameters } = type;
  return {
    name,
    charset: parameters.get('charset')?.toLowerCase() ?? null,
    action: parameters.get('action') ?? null,
  };
}

/** A Content-Type with all its parameters; their names are in lower case. */
export interface ContentType {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** As `readMediaType`, with all parameters. */
export function readContentType(header: string): ContentType | null {
  if (header.length > LENGTH_MAX) return null;
  const semicolon = header.indexOf(';');
  const name = (semicolon < 0 ? header : header.slice(0, semicolon)).trim().toLowerCase();
  if (!TYPE.test(name)) return null;
  const bare = name.startsWith('multipart/') ? BARE : TOKEN;
  const parameters = semicolon < 0 ? EMPTY : readParameters(header, semicolon + 1, bare);
  return parameters === null ? null : { name, parameters };
}

const TYPE = /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}$/;
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;
/**
 * Values that stacks write without quotes in the type of a package: `type=text/xml`, `start=<a@b>`,
 * `boundary=uuid:...`.
 */
const BARE = /^[!#$%&'*+./0-9:<=>?@A-Z[\]^_`a-z{|}~-]{1,256}$/;
/** Characters before a parameter (RFC 9110 section 5.6.6). */
const BETWEEN = '; \t';
const EMPTY: ReadonlyMap<string, string> = new Map();

/** The spellings almost every client uses, read once. */
const KNOWN: ReadonlyMap<string, MediaType> = new Map(
  ENVELOPE_MEDIA_TYPES.flatMap((name) =>
    [null, 'utf-8'].flatMap((charset): [string, MediaType][] => {
      const value = { name, charset, action: null };
      if (charset === null) return [[name, value]];
      return [
        '; charset=utf-8',
        ';charset=utf-8',
        '; charset=UTF-8',
        ';charset=UTF-8',
        '; charset="utf-8"',
      ].map((tail) => [name + tail, value]);
    }),
  ),
);

/**
 * `; name=bare` and `; name="quoted"`, each name once; between semicolons there may be nothing.
 * Null when malformed.
 */
function readParameters(
  header: string,
  start: number,
  bare: RegExp,
): ReadonlyMap<string, string> | null {
  const parameters = new Map<string, string>();
  let at = start;
  while (at < header.length) {
    if (BETWEEN.includes(header[at] ?? '')) {
      at++;
      continue;
    }
    const equals = header.indexOf('=', at);
    if (equals < 0) return null;
    const name = header.slice(at, equals).trim().toLowerCase();
    if (!TOKEN.test(name) || parameters.has(name)) return null;
    const isQuoted = header[equals + 1] === '"';
    const value = isQuoted
      ? readQuoted(header, equals + 2, bare === BARE)
      : readToken(header, equals + 1, bare);
    if (value === null) return null;
    parameters.set(name, value.text);
    at = value.next;
  }
  return parameters;
}

interface ParameterValue {
  readonly text: string;
  /** The offset at which the next parameter begins. */
  readonly next: number;
}

function readToken(header: string, start: number, bare: RegExp): ParameterValue | null {
  const semicolon = header.indexOf(';', start);
  const end = semicolon < 0 ? header.length : semicolon;
  const text = header.slice(start, end).trim();
  return bare.test(text) ? { text, next: end + 1 } : null;
}

/**
 * `plain`: a backslash before anything it need not be before is refused, because not every reader
 * takes it away.
 */
function readQuoted(header: string, start: number, plain: boolean): ParameterValue | null {
  let text = '';
  for (let at = start; at < header.length; at++) {
    const char = header[at];
    if (char === '"') {
      const semicolon = header.indexOf(';', at);
      const rest = header.slice(at + 1, semicolon < 0 ? undefined : semicolon);
      return rest.trim() === ''
        ? { text, next: semicolon < 0 ? header.length : semicolon + 1 }
        : null;
    }
    if (char === '\\') {
      at++;
      if (plain && header[at] !== '"' && header[at] !== '\\') return null;
    }
    text += header[at] ?? '';
  }
  return null;
}

/** Why a Content-Type is refused that has an accepted media type, or is missing. */
export type ContentTypeRule =
  | 'no content type'
  | 'content type parameter twice'
  | 'two content types'
  | 'content type parameters';

/** The rule that a refused Content-Type breaks; null where another media type is wanted. */
export function contentTypeRule(
  header: string | undefined,
  isAccepted: (name: string) => boolean,
): ContentTypeRule | null {
  if (header === undefined) return 'no content type';
  const [name = '', ...parameters] = header.split(';');
  if (!isAccepted(name.trim().toLowerCase())) return null;
  const names = parameters
    .map((parameter) => parameter.split('=', 1)[0]?.trim().toLowerCase() ?? '')
    .filter((parameter) => parameter !== '');
  if (new Set(names).size < names.length) return 'content type parameter twice';
  return header.includes(',') ? 'two content types' : 'content type parameters';
}

/**
 * The Content-Type of a message of the gateway in this dialect. `action` goes into the header in
 * SOAP 1.2 only.
 */
export const printMediaType = (dialect: Dialect, action: string | null): string =>
  printContentType(dialect.mediaType, 'utf-8', dialect.actionHeader ? null : action);

/** Prints a Content-Type with the parameters that are known. */
export function printContentType(
  name: string,
  charset: string | null,
  action: string | null,
): string {
  const common = charset === 'utf-8' && action === null ? COMMON.get(name) : undefined;
  if (common !== undefined) return common;
  const base = charset === null ? name : `${name}; charset=${charset}`;
  return action === null || action === '' ? base : `${base}; action=${quoted(action)}`;
}

/**
 * The common Content-Types, made once: Node checks a new string letter by letter before it writes
 * it.
 */
const COMMON: ReadonlyMap<string, string> = new Map(
  ENVELOPE_MEDIA_TYPES.map((name) => [name, `${name}; charset=utf-8`]),
);

/** A quoted string (RFC 9110 section 5.6.4). */
const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

/** The dialects of `names` that travel under this media type, in the same order. */
export const dialectsOfMediaType = (
  mediaType: string,
  names: readonly DialectName[],
): readonly Dialect[] =>
  names.map((name) => DIALECTS[name]).filter((dialect) => dialect.mediaType === mediaType);
