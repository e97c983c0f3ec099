import { readNamedWsdl } from '../../compile/soap/documents/named-wsdl.js';
import { namedWsdls } from '../../config/source/named-wsdls.js';
import { AT_ONCE, ConfigurationError, diagnosis, inputFiles, type Pace } from '../../core/index.js';

/**
 * Throws `error`; a configuration that cannot be used still names its WSDLs, whose errors are
 * added.
 */
export async function throwWithWsdls(
  file: string,
  error: unknown,
  pace: Pace = AT_ONCE,
): Promise<never> {
  const diagnostics = [...diagnosis.errorDiagnostics(error)];
  for (const { location, place } of await namedWsdls(file, process.env, pace)) {
    try {
      await readNamedWsdl(
        location,
        place ?? { file, line: null, column: null },
        inputFiles.LIVE_INPUTS,
        pace,
      );
    } catch (broken) {
      diagnostics.push(...diagnosis.errorDiagnostics(broken));
    }
  }
  throw new ConfigurationError(diagnostics);
}
