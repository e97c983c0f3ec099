import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { ConfigurationError } from '../../src/core/diagnostic.js';
import type { WsdlModel } from '../../src/wsdl/model.js';
import { readWsdl } from '../../src/wsdl/read.js';
import { FILES } from './written.js';

/** WSDLs of other projects, which are no part of the repository. */
export const CORPUS = '../shared/corpora/wsdl';

/** Options of a test that needs the corpus. */
export const WITH_CORPUS = existsSync(CORPUS)
  ? {}
  : { skip: `${CORPUS} is not here: it is not part of the repository` };

/** The WSDLs in a folder and below it, in order. */
export const wsdlsIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.wsdl'))
    .map((name) => join(folder, name))
    .sort();

/** Each WSDL of the corpus that can be read. */
export async function* corpusModels(): AsyncGenerator<{
  readonly file: string;
  readonly model: WsdlModel;
}> {
  for (const file of wsdlsIn(CORPUS)) {
    try {
      // Some import from folders beside their own.
      yield { file, model: await readWsdl(file, { ...FILES, root: CORPUS }) };
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
    }
  }
}
