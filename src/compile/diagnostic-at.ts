import type { Diagnostic } from '../base/diagnostic.js';
import type { LoadedConfig } from '../config/load.js';
import type { ConfigPath } from '../config/yaml-source.js';

/** A diagnostic at the place in the configuration file where `path` stands; see `positionOf` for `part`. */
export function diagnosticAt(
  loaded: LoadedConfig,
  path: ConfigPath,
  what: string,
  remedy: string | null,
  part?: 'key' | 'value',
): Diagnostic {
  const place = loaded.positionOf(path, part);
  return { file: loaded.file, line: place?.line ?? null, column: place?.column ?? null, what, remedy };
}
