import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

import { inputFiles } from '../../core/index.js';
import {
  anyCase,
  besideFolders,
  isNearby,
  sameNamedFiles,
  sharedFolder,
  shellWord,
} from './nearby.js';

/**
 * A source of documents. For a WSDL in a file it reads files inside the root folder only; for a
 * WSDL from a URL it reads from its host and from the hosts that the operator allowed only.
 */
export interface DocumentSource {
  /**
   * Resolves a reference without reading it. `base` is that of the document with the reference;
   * null for the WSDL.
   */
  locate(href: string, base: string | null): Promise<Located | Refused>;
  /** Reads a document of at most `limitBytes`. */
  open(located: Located, limitBytes: number): Promise<Opened | Refused>;
}

export interface Located {
  /** For reports: the path relative to the WSDL's, or the URL. */
  readonly location: string;
  /** Identifies the document: its real path, or its URL without fragment. */
  readonly key: string;
  /**
   * Whether it is a file outside the folder of the WSDL. Nothing of its content is reported unless
   * it is a document.
   */
  readonly isOutside?: true;
  /**
   * Set for a file that is taken in place of the URL or absolute path of a reference: why that is
   * not read.
   */
  readonly inPlaceOf?: Refused;
}

interface Opened {
  readonly bytes: Uint8Array;
  /** The base of its own references: its path, or the final URL. */
  readonly base: string;
  /** The charset parameter it came with, or null. */
  readonly charset: string | null;
}

export interface Refused {
  readonly what: string;
  readonly remedy: string | null;
}

/** A document that was fetched by HTTP. */
export interface FetchedDocument {
  /** The final URL, after redirects. */
  readonly url: string;
  readonly contentType: string | null;
  readonly body: Uint8Array;
}

/**
 * Gets a document; throws an `Error` with the reason when there is none (unreachable, refused,
 * another status).
 */
export type FetchDocument = (url: string) => Promise<FetchedDocument>;

export const isRefused = (value: object): value is Refused => 'what' in value;

const SCHEME = /^[a-z][a-z0-9+.-]{1,20}:/i;
/** A path of Windows with the letter of a drive. */
const DRIVE = /^[a-z]:[\\/]/i;
/** Folders of one WSDL that are listed for names in another case. */
const LOOKUPS = 200;
/** Hosts that one remedy names. */
const HOSTS = 20;
const tooLong: Refused = {
  what: 'The documents of this WSDL are longer than allowed.',
  remedy: null,
};

/**
 * Files inside `root` (null: the folder of the WSDL), checked by their real paths. With `nearby`
 * also those beside that folder (`isNearby`), unless `root` says where files may lie.
 */
export function fileSource(
  main: string,
  root: string | null,
  nearby: boolean,
  inputs: inputFiles.Inputs = inputFiles.LIVE_INPUTS,
): DocumentSource {
  let realRoot: Promise<string> | null = null;
  const refusedFolders: string[] = [];
  const hosts = new Set<string>();
  let lookups = 0;
  const command = (option: string): string =>
    `Read it with: soapstone import ${shellWord(main)} -o FOLDER ${option}`;
  const folder = (): Promise<string> => {
    realRoot ??= inputs.realpath(root ?? dirname(main));
    return realRoot;
  };
  /** Null for a file that may not be read; throws where there is none. */
  const permitted = async (path: string): Promise<Located | null> => {
    const base = await folder();
    const key = await inputs.realpath(path);
    if (key.startsWith(base.endsWith(sep) ? base : base + sep)) return { location: path, key };
    // No symbolic link leads there: the documents themselves name the way.
    const isNamed = relative(resolve(dirname(main)), resolve(path)) === relative(base, key);
    return nearby && root === null && isNamed && isNearby(base, key)
      ? { location: path, key, isOutside: true }
      : null;
  };
  const within = async (path: string): Promise<Located | Refused> => {
    const found = await permitted(path);
    if (found !== null) return found;
    const base = await folder();
    const key = await inputs.realpath(path);
    // The last of several warnings names the folder that holds all of the documents.
    refusedFolders.splice(
      0,
      refusedFolders.length,
      sharedFolder([base, dirname(key), ...refusedFolders]),
    );
    const wider = relative(process.cwd(), refusedFolders[0] ?? base) || '.';
    return {
      what: 'The file lies outside the folder of the WSDL.',
      remedy: command(`--root ${shellWord(wider)}`),
    };
  };
  const refuseUrl = (href: string): Refused => {
    const what = 'The reference leaves the folder of the WSDL: it names a URL';
    const url = /^https?:/i.test(href) ? parseUrl(href, null) : null;
    if (url === null) {
      return {
        what: `${what} that cannot be read.`,
        remedy: 'Copy the document into that folder.',
      };
    }
    return { what: `${what}.`, remedy: command(allowHosts(hosts, url)) };
  };
  const refuseAbsolute = (href: string): Refused | null => {
    if (SCHEME.test(href) || href.startsWith('//')) return refuseUrl(href);
    if (!isAbsolute(href) && !href.startsWith('\\') && !DRIVE.test(href)) return null;
    const what = 'The reference leaves the folder of the WSDL: its path is absolute.';
    const remedy = 'Copy the document into the folder of the WSDL, and make the path relative.';
    return { what, remedy };
  };
  /** Files that the reference names but for the case of letters. */
  const inOtherCase = async (href: string, document: string): Promise<readonly string[]> => {
    if (++lookups > LOOKUPS) return [];
    const written = join(dirname(document), href).toLowerCase();
    const found = await inputs.glob(anyCase(dirname(document), href)).catch(() => []);
    return found.filter((path) => join(path).toLowerCase() === written);
  };
  /** The file of the same name in the folders beside; null where several have one. */
  const onlyOneBeside = async (href: string, document: string): Promise<Located | null> => {
    const found: Located[] = [];
    for (const pattern of besideFolders(href, document, main)) {
      if (++lookups > LOOKUPS) return null;
      for (const path of await inputs.glob(pattern).catch(() => [])) {
        const located = await permitted(path).catch(() => null);
        if (located !== null && !found.some(({ key }) => key === located.key)) {
          found.push(located);
        }
      }
    }
    return found.length === 1 ? (found[0] ?? null) : null;
  };
  /** A file of the same name beside the WSDL or along its tree. */
  const inPlaceOf = async (
    refused: Refused,
    href: string,
    document: string,
  ): Promise<Located | Refused> => {
    const others = SCHEME.test(href) ? [] : await inOtherCase(href, document);
    for (const path of [...others, ...sameNamedFiles(href, document, main)]) {
      const found = await permitted(path).catch(() => null);
      if (found !== null) return { ...found, inPlaceOf: refused };
    }
    const found = await onlyOneBeside(href, document);
    return found === null ? refused : { ...found, inPlaceOf: refused };
  };
  return {
    async locate(href, base) {
      const absolute = base === null ? null : refuseAbsolute(href);
      if (base !== null && absolute !== null) return inPlaceOf(absolute, href, base);
      const written = (href.split('#', 1)[0] ?? '').replaceAll('\\', '/');
      const path = base === null ? href : join(dirname(base), written);
      const spellings = [written, unescapePath(written), escapePath(written)];
      const candidates =
        base === null ? [path] : spellings.map((spelling) => join(dirname(base), spelling));
      for (const candidate of candidates) {
        const found = await within(candidate).catch(() => null);
        if (found !== null) return found;
      }
      if (root !== null && !(await inputs.realpath(root).then(Boolean, () => false))) {
        return { what: `The folder ${root} cannot be found.`, remedy: 'Check what --root names.' };
      }
      const remedy = base === null ? 'Check the path.' : null;
      const missing = { what: `The file ${path} cannot be found.`, remedy };
      return base === null ? missing : inPlaceOf(missing, written, base);
    },
    async open({ location, key }, limitBytes) {
      try {
        const found = await inputs.stat(key);
        if (!found.isFile())
          return { what: `${location} is not a regular file.`, remedy: 'Name the file.' };
        if (found.size > limitBytes) return tooLong;
        return { bytes: await inputs.readFile(key), base: location, charset: null };
      } catch {
        return { what: `The file ${location} cannot be read.`, remedy: null };
      }
    },
  };
}

/** The options that permit the hosts refused so far: of several warnings the last has them all. */
function allowHosts(refused: Set<string>, { host }: URL): string {
  if (refused.size < HOSTS) {
    refused.add(host);
  }
  return [...refused].map((each) => `--allow-host ${shellWord(each)}`).join(' ');
}

/** A reference is a URI: a space in a file name may be written `%20`. */
function unescapePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The same path where the name of the file itself has `%20`. */
function escapePath(path: string): string {
  try {
    return encodeURI(path);
  } catch {
    return path;
  }
}

/**
 * Documents of the host of `home` (null: of none), and of `hosts` (`name` or `name:port`), read
 * with `fetch`.
 */
export function httpSource(
  home: string | null,
  hosts: readonly string[],
  fetch: FetchDocument,
): DocumentSource {
  const own = home === null ? null : new URL(home).host;
  const refused = new Set<string>();
  const permitted = (url: URL): boolean =>
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    (url.host === own ||
      [url.host, url.hostname, withPort(url)].some((name) => hosts.includes(name)));
  return {
    async locate(href, base) {
      const url = parseUrl(href, base);
      if (url === null) return { what: 'The reference is not a valid address.', remedy: null };
      if (!permitted(url)) {
        const what = 'The reference leaves the host of the WSDL';
        const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
        if (!isWeb) {
          return {
            what: `${what}: its scheme is not http.`,
            remedy: 'Copy the documents into a folder.',
          };
        }
        const remedy =
          `Allow it with \`${allowHosts(refused, url)}\`, or copy the ` +
          'documents into a folder.';
        return { what: `${what}.`, remedy };
      }
      url.hash = '';
      url.username = '';
      url.password = '';
      return { location: url.href, key: url.href };
    },
    async open({ key }, limitBytes) {
      let answer: FetchedDocument;
      try {
        answer = await fetch(key);
      } catch (error) {
        const why = error instanceof Error ? error.message : 'no reason given';
        return { what: `The document ${key} could not be read: ${why}.`, remedy: remedyFor(why) };
      }
      const landed = parseUrl(answer.url, key);
      if (landed === null || !permitted(landed)) {
        return {
          what: 'The server redirected to another host.',
          remedy: 'Name the final address.',
        };
      }
      return openedFrom(answer, limitBytes);
    },
  };
}

/**
 * A WSDL in a file whose documents may be fetched too. References of a fetched document never lead
 * to files.
 */
export function combineSources(files: DocumentSource, web: DocumentSource): DocumentSource {
  const isWeb = (text: string): boolean => /^https?:\/\//i.test(text);
  return {
    locate(href, base) {
      if (base !== null && isWeb(base)) return web.locate(href, base);
      return isWeb(href) ? web.locate(href, null) : files.locate(href, base);
    },
    open: (located, limitBytes) => (isWeb(located.key) ? web : files).open(located, limitBytes),
  };
}

const withPort = (url: URL): string =>
  `${url.hostname}:${url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port}`;

/** The remedy for a document that could not be fetched. */
function remedyFor(why: string): string | null {
  if (/\b401\b/.test(why)) return 'Give the credentials it asks for, with --user or --header.';
  if (/\b403\b/.test(why)) {
    return 'The request is forbidden there: check the credentials and the network it comes from.';
  }
  if (/\b407\b/.test(why)) {
    return 'The proxy wants credentials: give them with --proxy http://user:password@host:port.';
  }
  if (/CERT|SIGNED|VERIFY|ISSUER/.test(why)) {
    return 'Name the certificate authority with --ca FILE.';
  }
  if (/answered (?:404|410)/.test(why)) {
    return (
      'Check the address: most services show their WSDL at their own ' +
      'address followed by ?wsdl.'
    );
  }
  if (/ECONNREFUSED|ENOTFOUND|EAI_AGAIN|TIMEDOUT|EHOSTUNREACH|[Tt]imeout|timed out/.test(why)) {
    return 'Check the address, and that its server runs and can be reached from here.';
  }
  return /redirects to/.test(why) ? 'Give the final address.' : null;
}

function parseUrl(href: string, base: string | null): URL | null {
  return URL.canParse(href, base ?? undefined) ? new URL(href, base ?? undefined) : null;
}

function openedFrom(answer: FetchedDocument, limitBytes: number): Opened | Refused {
  if (answer.body.length > limitBytes) return tooLong;
  const charset = /;\s{0,5}charset\s{0,5}=\s{0,5}"?([A-Za-z0-9._-]{1,40})/i.exec(
    answer.contentType ?? '',
  );
  return { bytes: answer.body, base: answer.url, charset: charset?.[1] ?? null };
}
