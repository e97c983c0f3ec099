import { isRecord, jsonValues, spelling } from '../../core/index.js';
import { type ConfigPath, printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';
import { textAtKey } from '../keys/key-text.js';

/**
 * Rules between the keys of a request's entries, the header fields of the service, and the claims
 * of callers.
 */
export function requestRules(
  service: Record<string, unknown>,
  path: ConfigPath,
  hasClaims: boolean,
): readonly Finding[] {
  const listed = service['callerHeaders'];
  const allowed = Array.isArray(listed) ? listed.map((name) => textAtKey(name).toLowerCase()) : [];
  const groups: (readonly [unknown, ConfigPath])[] = [
    [service['soapHeaders'], [...path, 'soapHeaders']],
  ];
  for (const [operation, mapping] of jsonValues.recordEntries(service['operations'])) {
    if (!isRecord(mapping)) continue;
    for (const group of ['arguments', 'headers']) {
      groups.push([mapping[group], [...path, 'operations', operation, group]]);
    }
  }
  return groups.flatMap(([entries, at]) =>
    jsonValues
      .recordEntries(entries)
      .flatMap(([key, entry]) => [
        ...blockRules(key, entry, [...at, key]),
        ...(isRecord(entry) ? entryRules(entry, [...at, key], { allowed, hasClaims }) : []),
        ...jsonValues
          .recordEntries(isRecord(entry) ? entry['values'] : null)
          .flatMap(([name, value]) =>
            isRecord(value)
              ? entryRules(value, [...at, key, 'values', name], { allowed, hasClaims })
              : [],
          ),
      ]),
  );
}

/** Rules of what only a whole block has. */
function blockRules(key: string, entry: unknown, path: ConfigPath): readonly Finding[] {
  const isInside = /[/]/.test(key.replace(/\{[^}]*\}/g, ''));
  const at = (what: string, remedy: string): Finding => ({ path, part: 'key', what, remedy });
  if (entry === true) {
    return [at(`${printPath(path)} has no effect.`, 'Write `false`, or the source of its value.')];
  }
  const hasXml = isRecord(entry) && entry['xml'] !== undefined;
  if (isInside && (entry === false || hasXml)) {
    return [at(`${printPath(path)} is a path inside a block.`, 'Name the block alone.')];
  }
  if (isRecord(entry) && entry['values'] !== undefined && !hasXml) {
    return [at(`${printPath(path)} has \`values\` but no \`xml\`.`, 'Write the block in `xml`.')];
  }
  return [];
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
  const { header, claim, name, convert, path: lift } = entry;
  const at = (key: string | null, what: string, remedy: string): void => {
    findings.push({
      path: key === null ? path : [...path, key],
      part: key === null ? 'key' : 'value',
      what,
      remedy,
    });
  };
  const [first, second] = ['value', 'header', 'claim', 'xml'].filter(
    (key) => entry[key] !== undefined,
  );
  const hasMeaning = [name, convert, lift].some((each) => each !== undefined);
  if (first === undefined && !hasMeaning) {
    at(
      null,
      `${printPath(path)} has no effect.`,
      'Give a `name`, a `convert`, a `value`, a `header` or a `claim`.',
    );
  }
  if (first !== undefined && second !== undefined) {
    at(second, `${printPath(path)} has both \`${first}\` and \`${second}\`.`, 'Keep one of them.');
  }
  if (name !== undefined && first !== undefined) {
    at('name', `${printPath(path)} has a name, but callers do not see it.`, 'Remove `name`.');
  }
  if (lift !== undefined && first !== undefined) {
    const what = `${printPath(path)} has both \`path\` and \`${first}\`.`;
    at('path', what, 'Write the way to the value as the key: order/address/cityName.');
  }
  if (typeof lift === 'string' && /[/@]/.test(String(path.at(-1)))) {
    at('path', `${printPath(path)} is a way itself.`, 'Write a new name as the key.');
  }
  if (convert !== undefined && first !== undefined) {
    const what = `${printPath(path)} has a conversion, but callers do not give its value.`;
    at('convert', what, 'Remove `convert`, and write the text of the backend.');
  }
  if (claim !== undefined && !hasClaims) {
    at(
      'claim',
      `${printPath([...path, 'claim'])} has no effect: callers have no claims.`,
      'Configure `clients.jwt`, `clients.introspection` or `clients.authorize`.',
    );
  }
  if (typeof header === 'string' && !allowed.includes(header.toLowerCase())) {
    const remedy =
      spelling.didYouMean(header, allowed) ?? 'Add it to `callerHeaders` of the service.';
    at('header', `${printPath([...path, 'header'])} is none of \`callerHeaders\`.`, remedy);
  }
  return findings;
}
