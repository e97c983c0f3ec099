import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Whether libxml2 can be asked: xmllint is installed (Debian: libxml2-utils). */
export const HAS_XMLLINT = spawnSync('xmllint', ['--version']).status === 0;

/**
 * What libxml2 says against each of the documents, null where it is valid. Null where it does not
 * take the schema. `beside`: files that the schema includes.
 */
export function lint(
  schema: string,
  documents: readonly string[],
  beside: Readonly<Record<string, string>> = {},
): readonly (string | null)[] | null {
  if (documents.length === 0) return [];
  const folder = mkdtempSync(join(tmpdir(), 'xmllint-'));
  try {
    for (const [name, text] of Object.entries({ ...beside, 's.xsd': schema })) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const files = documents.map((document, index) => {
      writeFileSync(join(folder, `${index}.xml`), document);
      return `${index}.xml`;
    });
    const { stderr } = spawnSync('xmllint', ['--noout', '--schema', 's.xsd', ...files], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
    if (stderr.includes('failed to compile')) return null;
    const lines = stderr.split('\n');
    const valid = new Set(lines);
    return files.map((file) =>
      valid.has(`${file} validates`)
        ? null
        : lines.filter((line) => line.startsWith(`${file}:`)).join('\n'),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
