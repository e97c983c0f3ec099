import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/** The code that makes a model of files, seen from here: all that it imports lies within. */
const READER = ['..', '../../core', '../../soap', '../../xml'];

/** In a bundle: the digest of the code that was bundled. */
declare const SOAPSTONE_READER_DIGEST: string | undefined;

let digest: string | null = null;

/**
 * Differs for each version of the code that reads WSDLs: none uses what another one has made. As
 * hexadecimal digits.
 */
export function readerDigest(): string {
  digest ??=
    typeof SOAPSTONE_READER_DIGEST === 'string' ? SOAPSTONE_READER_DIGEST : digestOfReader();
  return digest;
}

/** Made of the files of the code, which are apart until they are bundled. */
export function digestOfReader(): string {
  const hash = createHash('sha256');
  for (const path of READER) {
    const folder = new URL(`${path}/`, import.meta.url);
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    for (const name of names.filter((each) => /\.(?:js|wasm)$/.test(each)).sort()) {
      const content = readFileSync(new URL(name.replaceAll('\\', '/'), folder));
      hash.update(JSON.stringify([path, name, content.length])).update(content);
    }
  }
  return hash.digest('hex');
}
