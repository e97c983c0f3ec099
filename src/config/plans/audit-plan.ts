import { resolve } from 'node:path';
import type { AuditTarget } from '../../observe/audit/chain-writer.js';
import type { Config } from '../schema.js';
import type { ConfigSection } from '../section.js';

/** Reads `audit`: the target of the record of decisions; null where there is none. */
export function readAudit(root: ConfigSection<Pick<Config, 'audit'>>): AuditTarget | null {
  const { audit } = root.value;
  if (audit === undefined) return null;
  const file =
    audit.file === undefined ? null : resolve(root.locate(['audit', 'file'], audit.file).location);
  return { file, key: audit.key ?? null };
}
