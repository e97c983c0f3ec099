import { isRecord, jsonValues } from '../../core/index.js';
import { type ConfigPath, printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';
import { textAtKey } from '../keys/key-text.js';

/** Only what is declared to read is sent twice. */
export function shadowRules(
  { shadow, operations }: Record<string, unknown>,
  path: ConfigPath,
): readonly Finding[] {
  if (!isRecord(shadow)) return [];
  const at = [...path, 'shadow'];
  const reads = new Set(
    jsonValues
      .recordEntries(operations)
      .flatMap(([name, mapping]) =>
        isRecord(mapping) && mapping['read'] !== undefined ? [name] : [],
      ),
  );
  const { operations: named } = shadow;
  if (!Array.isArray(named)) {
    if (reads.size > 0) return [];
    const what = `${printPath(at)} gets no calls: no operation is declared to read.`;
    const remedy = 'Give the operations that change nothing `read: {}`.';
    return [{ path: at, part: 'key', what, remedy }];
  }
  return named.flatMap((name, index): Finding[] => {
    if (reads.has(textAtKey(name))) return [];
    const what = `${printPath(at)} names \`${textAtKey(name)}\`, which is not declared to read.`;
    const remedy = 'Give it `read: {}` if it changes nothing; else remove it here.';
    return [{ path: [...at, 'operations', index], part: 'value', what, remedy }];
  });
}
