import { isInterfaceType, isObjectType } from 'graphql';
import { compile } from '../compile.js';
import { loadConfig } from '../config/load.js';
import { scopeRules } from '../core/index.js';
import type { BoundField } from '../graphql/index.js';
import { throwWithWsdls } from '../process/reload/wsdl-errors.js';
import type { ExitCode, Terminal } from '../process/terminal.js';
import { describeConversion } from './describe-conversion.js';
import {
  type Explained,
  explainArgument,
  explainInputField,
  isArgument,
  unknownName,
} from './explain-argument.js';
import { table } from './table.js';

type ReplyShape = BoundField['reply'];
type FieldShape = Extract<ReplyShape['root'], { readonly kind: 'unwrap' }>['field'];
type ElementShape = Extract<ReplyShape['root'], { readonly kind: 'whole' }>['shape'];
type ObjectShape = NonNullable<ElementShape['declared']>;

/**
 * Prints one field of a reply's type (`Order.total`): its type, element, conversion, nullability,
 * rights, masks and cost. Likewise one argument (`Query.orders(since)`), or a field of an input
 * type (`OrderInput.total`). Exits with 1 where the schema has none of that name.
 */
export async function explainField(
  file: string,
  name: string,
  terminal: Terminal,
): Promise<ExitCode> {
  const loaded = await loadConfig(file, process.env).catch((error: unknown) =>
    throwWithWsdls(file, error),
  );
  const compiled = await compile(loaded);
  await compiled.close();
  const input = isArgument(name)
    ? explainArgument(compiled.graph, name)
    : explainInputField(compiled.graph, name);
  if (input !== null) return printInput(input, terminal);
  const [typeName = '', fieldName = ''] = name.split('.');
  const { schema } = compiled.graph;
  const type = schema.getType(typeName);
  const fields = isObjectType(type) || isInterfaceType(type) ? type.getFields() : null;
  const field = fields !== null && Object.hasOwn(fields, fieldName) ? fields[fieldName] : undefined;
  if (field === undefined) {
    terminal.error(
      fields === null
        ? unknownName(`There is no type ${typeName} with fields.`, typeName, schema.getTypeMap())
        : unknownName(`${typeName} has no ${fieldName}.`, fieldName, fields),
    );
    return 1;
  }
  const found = shapeOf([...compiled.graph.fields], typeName, fieldName);
  const rows: (readonly [string, string])[] = [
    ['field', name],
    ['type', String(field.type)],
    ...(found === null ? [] : shapeRows(found)),
  ];
  terminal.out(table([['of the field', 'is'], ...rows]));
  if (field.description) {
    terminal.out(field.description.split('\n')[0] ?? '');
  }
  if (found === null) {
    terminal.out(
      'It is not read from a reply: a link, a field of Query or Mutation, or a tool type.',
    );
  }
  return 0;
}

function printInput(input: Explained, terminal: Terminal): ExitCode {
  if (typeof input === 'string') {
    terminal.error(input);
    return 1;
  }
  terminal.out(table([['of the argument', 'is'], ...input.rows]));
  return 0;
}

interface FoundShape {
  readonly service: string;
  readonly owner: ObjectShape;
  readonly field: FieldShape;
}

/** Looks for the field in the objects of all replies. */
function shapeOf(
  bounds: readonly (readonly [string, BoundField])[],
  typeName: string,
  fieldName: string,
): FoundShape | null {
  const seen = new Set<ObjectShape>();
  for (const [, bound] of bounds) {
    const left: ObjectShape[] = rootObjects(bound.reply);
    for (let owner = left.pop(); owner !== undefined; owner = left.pop()) {
      if (seen.has(owner)) continue;
      seen.add(owner);
      const field = owner.conditions.has(typeName) ? owner.fields.get(fieldName) : undefined;
      if (field !== undefined) return { service: bound.service, owner, field };
      for (const each of owner.fields.values()) {
        left.push(...objectsIn(each.value));
      }
    }
  }
  return null;
}

function rootObjects({ root, faults }: ReplyShape): ObjectShape[] {
  const roots = [root, ...(faults?.entries.flatMap((entry) => [entry.root, entry.typed]) ?? [])];
  return roots.flatMap((each) => {
    if (each === null || each.kind === 'done') return [];
    return each.kind === 'whole' ? objectsOf(each.shape) : objectsIn(each.field.value);
  });
}

/** Arrays nest up to a bound. */
function objectsIn(value: FieldShape['value']): ObjectShape[] {
  if (value.kind === 'object') return objectsOf(value.shape);
  if (value.kind === 'list') return objectsIn(value.item);
  return value.kind === 'choice' ? value.branches.flatMap(({ shape }) => objectsOf(shape)) : [];
}

const objectsOf = ({ declared, variants }: ElementShape): ObjectShape[] => [
  ...(declared === null ? [] : [declared]),
  ...variants.values(),
];

function shapeRows({ service, owner, field }: FoundShape): readonly (readonly [string, string])[] {
  const { rule, value, weight = 0 } = field;
  const conversion =
    value.kind === 'scalar' ? (value.scalar.converts ?? value.scalar.item?.converts) : undefined;
  const required = rule?.requires == null ? null : scopeRules.describeRequirement(rule.requires);
  const masks = [...(rule?.masks ?? [])].map(([name, mask]) => `${mask} for class ${name}`);
  return [
    ['service', service],
    ['on the wire', placeOnWire(field)],
    ['conversion', conversion === undefined ? 'none' : describeConversion(conversion)],
    ['null', nullability(field)],
    ['rights', required === null ? 'every caller may read it' : `requires ${required}`],
    ['mask', masks.length === 0 ? 'none' : masks.join(', ')],
    [
      'cost',
      `${weight} each time it is selected, ${owner.weight ?? 1} for each ${owner.typeName}` +
        (field.listName === undefined ? '' : `, a list (${field.listName})`),
    ],
  ];
}

/** The way to the value: elements with `/` between them, an attribute as `@name`. */
function placeOnWire({ source, lift = [] }: FieldShape): string {
  const names = lift.map(({ name }) => name.local);
  if (source.from === 'child') {
    names.push(source.name.local);
  } else if (source.from === 'attribute') {
    names.push(`@${source.name.local}`);
  } else if (source.from === 'wrapped list') {
    names.push(source.name.local, source.item?.local ?? 'item');
  } else {
    names.push(source.from === 'text' ? 'the text of the element' : source.from);
  }
  return names.join('/');
}

function nullability({ nonNull, list, itemNonNull }: FieldShape): string {
  const own = nonNull ? 'never null' : 'may be null';
  if (!list) return own;
  return `${own}; its items ${itemNonNull ? 'are never null' : 'may be null'}`;
}
