import { COMPILED_FOLDER, NO_FOLDER } from '../process/compiled-keys.js';
import type { Config } from '../schema.js';
import type { ConfigSection } from '../section.js';

/** The folder for compiled forms of WSDLs. */
export interface CompiledPlan {
  readonly folder: string;
  /** The configuration names the folder: small WSDLs are kept too. */
  readonly isNamed: boolean;
}

/** Reads `compiled`; null where none are kept. */
export function readCompiledKeys(
  root: ConfigSection<Pick<Config, 'compiled'>>,
): CompiledPlan | null {
  const { compiled } = root.value;
  if (compiled === NO_FOLDER) return null;
  const { location: folder } = root.locate(['compiled'], compiled ?? COMPILED_FOLDER);
  return { folder, isNamed: compiled !== undefined };
}
