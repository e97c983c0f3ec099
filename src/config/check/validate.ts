import { isRecord, spelling } from '../../core/index.js';
import { type ConfigPath, printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';
import { amountHint, printAmount, UNIT_WORDS } from '../keys/units.js';
import type { FileConfig } from '../schema.js';
import { type KeywordError, validate as validateFile } from './file-validator.js';
import { placesOfKey } from './misplaced-key.js';
import { configSchema, nodeAt, pointerSteps, type SchemaNode, typesOf } from './schema-node.js';
import { shapeExample } from './shape-example.js';

export interface Validated {
  /** Null where something is wrong. */
  readonly valid: FileConfig | null;
  readonly findings: readonly Finding[];
}

/**
 * Checks data against the table of keys and fills in the defaults. Finds everything that is wrong.
 * Values never appear in a text: they may be secrets.
 */
export function validate(data: unknown, foreign: ReadonlySet<string>): Validated {
  if (validateFile(data)) return { valid: data, findings: [] };
  const errors = validateFile.errors ?? [];
  // A value of the wrong type breaks further rules by that alone.
  const mistyped = new Set(
    errors.filter(({ keyword }) => keyword === 'type').map(({ instancePath }) => instancePath),
  );
  const findings = errors
    // The failure of a branch is reported by the branch itself.
    .filter(({ keyword }) => keyword !== 'if')
    .filter(({ keyword, instancePath }) => keyword === 'type' || !mistyped.has(instancePath))
    .map((error) => finding(error, data, foreign));
  return { valid: null, findings };
}

function finding(
  { keyword, instancePath, params }: KeywordError,
  whole: unknown,
  foreign: ReadonlySet<string>,
): Finding {
  const path = pathOf(instancePath);
  const { node, value: data } = nodeAt(configSchema(), whole, instancePath);
  const value = (what: string, remedy: string | null): Finding => ({
    path,
    part: 'value',
    what,
    remedy,
  });
  const name = printPath(path);

  switch (keyword) {
    case 'additionalProperties':
      return unknownKey(path, String(params['additionalProperty']), node);
    case 'required': {
      const key = String(params['missingProperty']);
      return missingKey([...path, key], node.properties?.[key]);
    }
    case 'type':
      if (data === null) return value(`${name} has no value.`, 'Give one, or remove the key.');
      return value(
        `${name} must be ${typeWords(node)}${originOf(path, foreign)}.`,
        slipIn(data, path, node) ??
          node.hint ??
          (node.unit ? amountHint(node.unit) : null) ??
          formOf(data, path, node),
      );
    case 'enum':
      return value(
        `${name} must be one of ${choices(node)}.`,
        suggestion(data, path, node, foreign),
      );
    case 'minimum':
    case 'maximum':
      return value(`${name} must be ${bounds(node)}.`, null);
    case 'minItems':
    case 'minLength':
    case 'minProperties': {
      const least = Number(params['limit']);
      const what = least > 1 ? `must have at least ${least} characters` : 'must not be empty';
      return value(`${name} ${what}.`, node.hint ?? null);
    }
    case 'maxProperties': {
      const given = isRecord(data) ? Object.keys(data) : [];
      if (Number(params['limit']) > 1) {
        return value(`${name} has more than ${String(params['limit'])} entries.`, null);
      }
      return value(
        `${name} has ${given.map((key) => `\`${key}\``).join(' and ')}, and may have one of them.`,
        'Remove the other.',
      );
    }
    case 'maxItems':
      return value(`${name} has more than ${String(params['limit'])} entries.`, null);
    case 'uniqueItems':
      return value(`${name} holds the same value twice.`, null);
    default:
      return value(`${name} is not valid.`, slipIn(data, path, node) ?? node.hint ?? null);
  }
}

function missingKey(path: ConfigPath, node: SchemaNode | undefined): Finding {
  const isMap = node !== undefined && typesOf(node).includes('object');
  const example = isMap ? shapeExample(path, node) : null;
  const remedies = [
    ...(node?.description === undefined ? [] : [node.description]),
    ...(example === null ? [] : [`Write it as in \`${example}\`.`]),
  ];
  return {
    path,
    part: 'key',
    what: `${printPath(path)} is missing.`,
    remedy: remedies.length === 0 ? null : remedies.join(' '),
  };
}

/** The remedy for a slip that the form of a text shows; null for none. */
function slipIn(data: unknown, path: ConfigPath, node: SchemaNode): string | null {
  if (typeof data !== 'string') return null;
  if (/^\$[A-Za-z_]\w*$/.test(data)) return `A variable has braces: \`\${NAME}\`.`;
  const types = typesOf(node);
  if (types.length !== 1 || types[0] !== 'object') return null;
  const known = { ...node.properties, ...node.else?.properties };
  const key = String(path.at(-1));
  if (Object.hasOwn(known, key)) {
    return `\`${key}\` is a key of the map above it: indent it further.`;
  }
  const [first = ''] = data.split(':', 1);
  return Object.hasOwn(known, first) ? 'A blank is missing behind the colon of a key in it.' : null;
}

/** An operator looks at the file, where the value is not. */
const originOf = (path: ConfigPath, foreign: ReadonlySet<string>): string =>
  foreign.has(JSON.stringify(path)) ? ', and comes from the environment or from another file' : '';

/** The right form of a value, which may be a secret and is not shown. */
function formOf(data: unknown, path: ConfigPath, node: SchemaNode): string | null {
  const types = typesOf(node);
  if (types.length === 1 && types[0] === 'boolean') {
    return typeof data === 'string' ? 'Write it without quotes; `yes` and `no` are texts.' : null;
  }
  const example = shapeExample(path, node);
  return example === null ? null : `Write it as in \`${example}\`.`;
}

function unknownKey(path: ConfigPath, key: string, node: SchemaNode): Finding {
  const place = { path: [...path, key], part: 'key' } as const;
  // Control characters in a key would reach the terminal.
  const shown = key.replaceAll(/[^\x20-\x7e\u00a0-\ud7ff]/g, '?').slice(0, 64);
  if (node.names !== undefined) {
    return {
      ...place,
      what: `\`${shown}\` cannot be a name in ${printPath(path)}.`,
      remedy: node.names,
    };
  }
  const known = Object.keys(node.properties ?? {});
  const meant = spelling.didYouMean(key, known);
  const remedy =
    (key === '<<' ? 'Keys are not merged: write them out.' : null) ??
    meant ??
    placesOfKey(key, path) ??
    `Known here: ${known.map((name) => `\`${name}\``).join(', ')}.`;
  return {
    ...place,
    what: `Unknown key \`${shown}\`${path.length === 0 ? '' : ` in ${printPath(path)}`}.`,
    remedy,
    isMisspelt: meant !== null,
  };
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true, false',
  array: 'a list',
  object: 'a map of keys',
};

function typeWords(node: SchemaNode): string {
  const words = typesOf(node).map((type) => TYPE_WORDS[type] ?? type);
  const unit = node.unit === undefined ? '' : UNIT_WORDS[node.unit];
  const list = words.join(', ').replace(/, (?!.*, )/, ' or ');
  return `${list}${unit === '' ? '' : ` of ${unit}`}`;
}

function choices(node: SchemaNode): string {
  return (node.enum ?? []).map((choice) => `\`${String(choice)}\``).join(', ');
}

function suggestion(
  data: unknown,
  path: ConfigPath,
  node: SchemaNode,
  foreign: ReadonlySet<string>,
): string | null {
  if (typeof data !== 'string' || foreign.has(JSON.stringify(path))) return node.hint ?? null;
  const known = (node.enum ?? []).map(String);
  const unsafe = known.find((choice) => choice === `unsafe:${data}`);
  if (unsafe !== undefined) return `It weakens the gateway: write \`${unsafe}\` if that is meant.`;
  return spelling.didYouMean(data, known) ?? node.hint ?? null;
}

function bounds(node: SchemaNode): string {
  const unit = node.unit ?? 'count';
  const print = (amount: number | undefined): string => printAmount(amount ?? 0, unit);
  // A byte or a second carries its unit in the number; a level or a point does not.
  const words = amountHint(unit) === null && UNIT_WORDS[unit] !== '' ? ` ${UNIT_WORDS[unit]}` : '';
  return `between ${print(node.minimum)} and ${print(node.maximum)}${words}`;
}

/** A JSON pointer as a path; list positions are numbers. */
const pathOf = (pointer: string): (string | number)[] =>
  pointerSteps(pointer).map((step) => (/^\d{1,6}$/.test(step) ? Number(step) : step));
