import type { Diagnostic } from '../base/diagnostic.js';
import type { ConfigPath } from './keys/config-path.js';
import type { LoadedConfig } from './load.js';

/** A diagnostic at the place where `path` of the configuration stands; see `placeOf` for `part`. */
export function diagnosticAt(
  loaded: LoadedConfig,
  path: ConfigPath,
  what: string,
  remedy: string | null,
  part?: 'key' | 'value',
): Diagnostic {
  return { ...placeAt(loaded, path, part), what, remedy };
}

/** The place where `path` of the configuration stands; without a line where it stands in no file. */
export const placeAt = (loaded: LoadedConfig, path: ConfigPath, part?: 'key' | 'value') =>
  loaded.placeOf(path, part) ?? { file: loaded.file, line: null, column: null };
