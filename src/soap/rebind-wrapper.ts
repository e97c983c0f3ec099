import { escapeText, referencesFor, type StartTag } from '../xml/index.js';
import type { Edit } from './edit.js';

/**
 * The change of a start tag that puts its element into a namespace: its prefix is bound to that,
 * and with it every element inside that has the prefix, as are other prefixes of the old namespace
 * that the tag declares. `isQualified`: so are its children without a namespace.
 */
export function rebindWrapper(tag: StartTag, uri: string, isQualified: boolean): Edit {
  const from = tag.uri;
  const prefixes = new Set([tag.prefix]);
  if (isQualified && tag.namespace('') === '') {
    prefixes.add('');
  }
  const declarations = new Map([...prefixes].map((prefix) => [attributeName(prefix), uri]));
  return {
    startBytes: tag.offsetBytes,
    endBytes: tag.contentBytes,
    replacement: null,
    rewrite: (text) => withDeclarations(text, declarations, from),
  };
}

const attributeName = (prefix: string): string => (prefix === '' ? 'xmlns' : `xmlns:${prefix}`);

/**
 * A start tag, which is well-formed, with these namespace declarations in place of those of the
 * same prefixes.
 */
function withDeclarations(tag: string, given: ReadonlyMap<string, string>, from: string): string {
  const declarations = new Map(given);
  const [uri = ''] = given.values();
  for (const [, key = '', value = ''] of tag.matchAll(ATTRIBUTE)) {
    const isOld = from !== '' && value.slice(1, -1) === from;
    if (isOld && (key === 'xmlns' || key.startsWith('xmlns:'))) {
      declarations.set(key, uri);
    }
  }
  const name = /^<[^\s/>]+/.exec(tag)?.[0] ?? '<';
  const rest = tag
    .slice(name.length)
    .replaceAll(ATTRIBUTE, (attribute: string, key: string) =>
      declarations.has(key) ? '' : attribute,
    );
  const added = [...declarations].map(
    ([key, uri]) => ` ${key}="${referencesFor(escapeText(uri).replaceAll('"', '&quot;'))}"`,
  );
  return `${name}${added.join('')}${rest}`;
}

const ATTRIBUTE = /[ \t\r\n]+([^\s=/>]+)[ \t\r\n]*=[ \t\r\n]*("[^"]*"|'[^']*')/g;
