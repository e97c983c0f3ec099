import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A schema for libxml2 of all schemas in the documents of a folder, as `import` writes them: those
 * of WSDLs become files beside them, and one file for each namespace includes its schemas. Null
 * where there are none.
 */
export function schemaOfFolder(folder: string): {
  readonly text: string;
  readonly files: Readonly<Record<string, string>>;
} | null {
  const files: Record<string, string> = {};
  const byNamespace = new Map<string, string[]>();
  const add = (name: string, text: string): void => {
    // Whatever the namespace is imported from: the driver has all of it.
    files[name] = text.replaceAll(
      /(<(?:\w+:)?import\b[^>]*?)\sschemaLocation\s*=\s*(?:"[^"]*"|'[^']*')/g,
      '$1',
    );
    const [, uri = ''] =
      /<(?:[\w-]+:)?schema\b[^>]*?\stargetNamespace\s*=\s*["']([^"']*)/.exec(text) ?? [];
    byNamespace.set(uri, [...(byNamespace.get(uri) ?? []), name]);
  };
  const included = new Set<string>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(?:wsdl|xsd)$/.test(name)) continue;
    const text = readFileSync(join(folder, name), 'utf8').replaceAll(/<!--[\s\S]*?-->/g, '');
    for (const [, at = ''] of text.matchAll(
      /<(?:\w+:)?(?:include|redefine)\b[^>]*?schemaLocation\s*=\s*["']([^"']*)/g,
    )) {
      included.add(at);
    }
    if (name.endsWith('.xsd')) add(name, text);
    else for (const [at, schema] of inlineSchemas(text).entries()) add(`${name}-${at}.xsd`, schema);
  }
  if (byNamespace.size === 0) return null;
  const imports = [...byNamespace].map(([uri, names], at) => {
    const roots = names.filter((name) => !included.has(name));
    files[`all-${at}.xsd`] =
      '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"' +
      `${uri === '' ? '' : ` targetNamespace="${uri}"`}>` +
      `${roots.map((name) => `<xs:include schemaLocation="${name}"/>`).join('')}</xs:schema>`;
    return `<xs:import${uri === '' ? '' : ` namespace="${uri}"`} schemaLocation="all-${at}.xsd"/>`;
  });
  const text =
    '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:driver">' +
    `${imports.join('')}</xs:schema>`;
  return { text, files };
}

/** The schemas of a WSDL with the prefixes that the elements around them declare. */
function inlineSchemas(wsdl: string): readonly string[] {
  const [types = ''] = /<(?:[\w-]+:)?types\b[\s\S]*<\/(?:[\w-]+:)?types>/.exec(wsdl) ?? [];
  const [root = ''] = /<(?:[\w-]+:)?definitions\b[^>]*>/.exec(wsdl) ?? [];
  const [holder = ''] = /^<[^>]*>/.exec(types) ?? [];
  return [...types.matchAll(/<((?:[\w-]+:)?schema)\b[^>]*[^/]>[\s\S]*?<\/\1\s*>/g)].map(
    ([text]) => {
      const [start = ''] = /^<[^>]*>/.exec(text) ?? [];
      const own = new Set(declared(start).map(([name]) => name));
      const outer = new Map([...declared(root), ...declared(holder)]);
      const more = [...outer]
        .filter(([name]) => !own.has(name))
        .map(([name, uri]) => ` ${name}=${uri}`);
      return text.replace(/^<[\w:-]+/, (name) => name + more.join(''));
    },
  );
}

const declared = (tag: string): readonly (readonly [string, string])[] =>
  [...tag.matchAll(/\s(xmlns(?::[\w.-]+)?)\s*=\s*("[^"]*"|'[^']*')/g)].map(
    ([, name = '', uri = '']) => [name, uri] as const,
  );
