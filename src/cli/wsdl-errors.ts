import { dirname, resolve } from 'node:path';
import { ConfigurationError, type Diagnostic } from '../base/diagnostic.js';
import { readNamedWsdl } from '../compile/named-wsdl.js';
import { namedWsdls } from '../config/named-wsdls.js';

/** Throws `error`; a configuration that cannot be used still names its WSDLs, whose errors are added. */
export async function throwWithWsdls(file: string, error: unknown): Promise<never> {
  if (!(error instanceof ConfigurationError)) throw error;
  const diagnostics: Diagnostic[] = [...error.diagnostics];
  for (const { path, place } of await namedWsdls(file)) {
    try {
      await readNamedWsdl(resolve(dirname(file), path), { file, ...(place ?? { line: null, column: null }) });
    } catch (broken) {
      if (!(broken instanceof ConfigurationError)) throw broken;
      diagnostics.push(...broken.diagnostics);
    }
  }
  throw new ConfigurationError(diagnostics);
}
