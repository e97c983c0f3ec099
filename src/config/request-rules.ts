import { didYouMean } from './nearest.js';
import { isRecord } from './record.js';
import { type Finding, printPath } from './validate.js';
import type { ConfigPath } from './yaml-source.js';

/** Rules between the keys of a request's entries and the header fields the service may take. */
export function requestRules(service: Record<string, unknown>, path: ConfigPath): readonly Finding[] {
  const operations = service['operations'];
  if (!isRecord(operations)) return [];
  const listed = service['callerHeaders'];
  const allowed = Array.isArray(listed) ? listed.map((name) => String(name).toLowerCase()) : [];
  const findings: Finding[] = [];
  for (const [operation, mapping] of Object.entries(operations)) {
    if (!isRecord(mapping)) continue;
    for (const group of ['arguments', 'headers']) {
      const entriesOf = mapping[group];
      if (!isRecord(entriesOf)) continue;
      for (const [key, entry] of Object.entries(entriesOf)) {
        if (isRecord(entry))
          findings.push(...entryRules(entry, [...path, 'operations', operation, group, key], allowed));
      }
    }
  }
  return findings;
}

function entryRules(entry: Record<string, unknown>, path: ConfigPath, allowed: readonly string[]): readonly Finding[] {
  const findings: Finding[] = [];
  const { value, header, name } = entry;
  const at = (key: string | null, what: string, remedy: string): void => {
    findings.push({ path: key === null ? path : [...path, key], part: key === null ? 'key' : 'value', what, remedy });
  };
  if (value === undefined && header === undefined && name === undefined) {
    at(null, `${printPath(path)} says nothing.`, 'Give a `name`, a `value` or a `header`.');
  }
  if (value !== undefined && header !== undefined) {
    at('header', `${printPath(path)} has both \`value\` and \`header\`.`, 'Keep one of them.');
  }
  if (name !== undefined && (value !== undefined || header !== undefined)) {
    at('name', `${printPath(path)} has a name, but callers do not see it.`, 'Leave `name` away.');
  }
  if (typeof header === 'string' && !allowed.includes(header.toLowerCase())) {
    const remedy = didYouMean(header, allowed) ?? 'Add it to `callerHeaders` of the service.';
    at('header', `${printPath([...path, 'header'])} is none of \`callerHeaders\`.`, remedy);
  }
  return findings;
}
