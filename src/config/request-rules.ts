import { isRecord } from '../base/record.js';
import { didYouMean } from './nearest.js';
import { type Finding, printPath } from './validate.js';
import type { ConfigPath } from './yaml-source.js';

/** Rules between the keys of a request's entries, the header fields of the service, and the claims of callers. */
export function requestRules(
  service: Record<string, unknown>,
  path: ConfigPath,
  hasClaims: boolean,
): readonly Finding[] {
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
          findings.push(...entryRules(entry, [...path, 'operations', operation, group, key], { allowed, hasClaims }));
      }
    }
  }
  return findings;
}

interface Sources {
  /** Header fields, in lower case. */
  readonly allowed: readonly string[];
  /** Callers may have tokens. */
  readonly hasClaims: boolean;
}

function entryRules(
  entry: Record<string, unknown>,
  path: ConfigPath,
  { allowed, hasClaims }: Sources,
): readonly Finding[] {
  const findings: Finding[] = [];
  const { header, claim, name } = entry;
  const at = (key: string | null, what: string, remedy: string): void => {
    findings.push({ path: key === null ? path : [...path, key], part: key === null ? 'key' : 'value', what, remedy });
  };
  const [first, second] = ['value', 'header', 'claim'].filter((key) => entry[key] !== undefined);
  if (first === undefined && name === undefined) {
    at(null, `${printPath(path)} has no effect.`, 'Give a `name`, a `value`, a `header` or a `claim`.');
  }
  if (first !== undefined && second !== undefined) {
    at(second, `${printPath(path)} has both \`${first}\` and \`${second}\`.`, 'Keep one of them.');
  }
  if (name !== undefined && first !== undefined) {
    at('name', `${printPath(path)} has a name, but callers do not see it.`, 'Leave `name` away.');
  }
  if (claim !== undefined && !hasClaims) {
    at('claim', `${printPath([...path, 'claim'])} has no effect: callers have no tokens.`, 'Configure `clients.jwt`.');
  }
  if (typeof header === 'string' && !allowed.includes(header.toLowerCase())) {
    const remedy = didYouMean(header, allowed) ?? 'Add it to `callerHeaders` of the service.';
    at('header', `${printPath([...path, 'header'])} is none of \`callerHeaders\`.`, remedy);
  }
  return findings;
}
