import { resolve } from 'node:path';

import type { LoadedConfig } from '../../config/load.js';
import type { AuditTarget } from '../../observe/audit/chain-writer.js';

/** Where the record of decisions goes; null where there is none. */
export function auditTargetOf({ config: { audit }, locate }: LoadedConfig): AuditTarget | null {
  if (audit === undefined) return null;
  const file = audit.file === undefined ? null : resolve(locate(['audit', 'file'], audit.file).location);
  return { file, key: audit.key ?? null };
}
