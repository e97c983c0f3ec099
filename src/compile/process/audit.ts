import { resolve } from 'node:path';
import type { Config } from '../../config/schema.js';
import type { ConfigSection } from '../../config/section.js';
import type { AuditTarget } from '../../observe/audit/chain-writer.js';

/** Returns the target of the record of decisions; null where there is none. */
export function auditTargetOf(root: ConfigSection<Pick<Config, 'audit'>>): AuditTarget | null {
  const { audit } = root.value;
  if (audit === undefined) return null;
  const file =
    audit.file === undefined ? null : resolve(root.locate(['audit', 'file'], audit.file).location);
  return { file, key: audit.key ?? null };
}
