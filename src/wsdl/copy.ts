import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WsdlDocument } from './document.js';
import type { WsdlModel } from './model.js';
import { printSegments } from './serve.js';

/**
 * Writes the WSDL and all documents it needs flat into a directory, which is made if it is missing.
 * References name the copies, addresses stay as they were. Returns the file name of the WSDL.
 * Existing files are overwritten.
 */
export async function copyWsdl(
  model: Pick<WsdlModel, 'documents'>,
  directory: string,
): Promise<string> {
  const names = copyNames(model.documents);
  await mkdir(directory, { recursive: true });
  for (const document of model.documents) {
    const text = printSegments(document, (link) =>
      link.kind === 'document' ? (names[link.index] ?? '') : link.written,
    );
    await writeFile(join(directory, names[document.index] ?? ''), text);
  }
  return names[0] ?? '';
}

/** A safe file name for each document, unique even where case does not count. */
export function copyNames(
  documents: readonly Pick<WsdlDocument, 'kind' | 'location'>[],
): readonly string[] {
  const taken = new Set<string>();
  return documents.map(({ kind, location }) => {
    const extension = kind === 'wsdl' ? '.wsdl' : '.xsd';
    const stem = stemOf(location) || kind;
    let name = stem + extension;
    for (let number = 2; taken.has(name.toLowerCase()); number++) {
      name = `${stem}-${number}${extension}`;
    }
    taken.add(name.toLowerCase());
    return name;
  });
}

function stemOf(location: string): string {
  const path = location.split(/[?#]/, 1)[0] ?? '';
  const last = path.split(/[/\\]/).at(-1) ?? '';
  return last
    .replace(/\.[A-Za-z0-9]{1,8}$/, '')
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 64);
}
