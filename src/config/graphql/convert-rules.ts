import { conversions } from '../../codec/index.js';
import { isRecord, jsonValues, spelling } from '../../core/index.js';
import { type ConfigPath, printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';

type Keys = Readonly<Record<string, unknown>>;

/** Rules of all fields of the types of a service, and of the arguments of its operations. */
export function conversionRules(service: Keys, path: ConfigPath): readonly Finding[] {
  const { schema, operations } = service;
  const types = isRecord(schema) ? jsonValues.recordEntries(schema['types']) : [];
  const ofTypes = types.flatMap(([type, mapping]) =>
    membersOf(mapping, 'fields', [...path, 'schema', 'types', type]),
  );
  const ofOperations = jsonValues
    .recordEntries(operations)
    .flatMap(([operation, mapping]) =>
      membersOf(mapping, 'arguments', [...path, 'operations', operation]),
    );
  return [...ofTypes, ...ofOperations].flatMap(([keys, at]) => memberRules(keys, at));
}

const membersOf = (
  mapping: unknown,
  group: string,
  path: ConfigPath,
): readonly (readonly [Keys, ConfigPath])[] =>
  isRecord(mapping)
    ? jsonValues
        .recordEntries(mapping[group])
        .flatMap(([name, keys]) =>
          isRecord(keys) ? [[keys, [...path, group, name]] as const] : [],
        )
    : [];

function memberRules(keys: Keys, path: ConfigPath): readonly Finding[] {
  const { convert } = keys;
  if (!isRecord(convert)) return [];
  const at = [...path, 'convert'];
  const findings = [...kindRules(convert, at), ...textRules(convert, at)];
  if (keys['type'] !== undefined) {
    findings.push({
      path: [...path, 'type'],
      part: 'key',
      what: `${printPath(path)} has \`type\` and \`convert\`.`,
      remedy: 'Keep one of them: a conversion has its own type.',
    });
  }
  if (keys['nullable'] === false && convert['nullWhen'] !== undefined) {
    findings.push({
      path: [...path, 'nullable'],
      part: 'value',
      what: `${printPath(path)} is never null, but \`nullWhen\` makes it null.`,
      remedy: 'Remove `nullable` or `nullWhen`.',
    });
  }
  return findings;
}

/** Keys that only change a conversion of another key. */
const OF_KINDS: ReadonlySet<string> = new Set(['trim', 'zone', 'digits']);

/** Rules of what stands beside one another. */
function kindRules(convert: Keys, path: ConfigPath): readonly Finding[] {
  const findings: Finding[] = [];
  const at = (key: string | null, part: 'key' | 'value', what: string, remedy: string): void => {
    findings.push({ path: key === null ? path : [...path, key], part, what, remedy });
  };
  const has = (key: string): boolean => convert[key] !== undefined;
  const [kind, second] = conversions.CONVERSION_KINDS.filter(has);
  if (convert['integer'] === false) {
    at('integer', 'value', `${printPath(path)} has \`integer: false\`.`, 'Remove it.');
  }
  if (second !== undefined) {
    at(
      second,
      'key',
      `${printPath(path)} has both \`${kind}\` and \`${second}\`.`,
      'Keep one of them.',
    );
  }
  const isEmpty = Object.keys(convert).every((key) => OF_KINDS.has(key));
  if (kind === undefined && convert['trim'] !== true && isEmpty) {
    at(
      null,
      'key',
      `${printPath(path)} has no effect.`,
      `Write one of ${conversions.CONVERSION_KINDS.join(', ')}, \`trim: true\` or \`nullWhen\`.`,
    );
  }
  if (has('digits') && kind !== 'decimal' && kind !== 'integer') {
    at(
      'digits',
      'key',
      `${printPath(path)} has \`digits\` without \`decimal\` or \`integer\`.`,
      'Remove it.',
    );
  }
  if (kind === 'date' || kind === 'time' || kind === 'dateTime') {
    findings.push(...patternRules(convert, kind, path));
  }
  if (has('zone') && kind !== 'dateTime') {
    at('zone', 'key', `${printPath(path)} has \`zone\` without \`dateTime\`.`, 'Remove it.');
  }
  return findings;
}

function patternRules(
  convert: Keys,
  kind: conversions.DatePatternKind,
  path: ConfigPath,
): readonly Finding[] {
  const text = convert[kind];
  const { zone } = convert;
  if (typeof text !== 'string') return [];
  const pattern = conversions.parseDatePattern(text, kind);
  if (typeof pattern === 'string') {
    const what = `${printPath([...path, kind])}: ${pattern}`;
    return [
      {
        path: [...path, kind],
        what,
        remedy: `A pattern may have ${conversions.SUPPORTED_LETTERS}.`,
      },
    ];
  }
  if (kind !== 'dateTime') return [];
  if (zone === undefined && !pattern.hasOffset) {
    const what = `${printPath(path)} has \`dateTime\` without a zone.`;
    const remedy = 'Add `zone: Europe/Zurich`, or an offset to the pattern: XXX.';
    return [{ path: [...path, kind], part: 'key', what, remedy }];
  }
  if (zone !== undefined && pattern.hasOffset) {
    const what = `${printPath(path)} has a \`zone\`, but the pattern has an offset.`;
    return [{ path: [...path, 'zone'], part: 'key', what, remedy: 'Keep one of them.' }];
  }
  if (typeof zone !== 'string' || conversions.timeZone(zone) !== null) return [];
  const remedy =
    spelling.didYouMean(zone, Intl.supportedValuesOf('timeZone')) ??
    'Write one of the IANA database.';
  return [
    { path: [...path, 'zone'], what: `${printPath([...path, 'zone'])} is no time zone.`, remedy },
  ];
}

/** Each text stands for one value. */
function textRules(convert: Keys, path: ConfigPath): readonly Finding[] {
  const { boolean, enum: values, nullWhen } = convert;
  const owners = new Map<string, string>();
  const findings: Finding[] = [];
  const add = (name: string, text: unknown, at: ConfigPath): void => {
    if (typeof text !== 'string') return;
    const owner = owners.get(text);
    if (owner === undefined) {
      owners.set(text, name);
      return;
    }
    const what = `${printPath(at)} is the text of \`${owner}\` as well.`;
    findings.push({ path: at, part: 'value', what, remedy: 'Give each value its own text.' });
  };
  for (const [key, values_] of [
    ['boolean', boolean],
    ['enum', values],
  ] as const) {
    for (const [name, text] of jsonValues.recordEntries(values_)) {
      add(name, text, [...path, key, name]);
    }
  }
  for (const name of ['true', 'false', 'null']) {
    if (isRecord(values) && Object.hasOwn(values, name)) {
      findings.push({
        path: [...path, 'enum', name],
        part: 'key',
        what:
          `${printPath([...path, 'enum'])} has the value \`${name}\`, which ` +
          'GraphQL does not have.',
        remedy: 'Write it in capitals, or another name.',
      });
    }
  }
  if (Array.isArray(nullWhen)) {
    for (const [at, text] of nullWhen.entries()) {
      if (typeof text === 'string' && owners.has(text)) {
        add('null', text, [...path, 'nullWhen', at]);
      }
    }
  }
  return findings;
}
