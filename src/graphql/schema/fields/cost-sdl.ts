import {
  type ASTNode,
  type ConstDirectiveNode,
  type DefinitionNode,
  type DirectiveNode,
  type FieldDefinitionNode,
  Kind,
  type Location,
  parse,
  type ValueNode,
} from 'graphql';
import { type CostOrigin, FieldCost, type ListSize } from '../types/cost-rules.js';
import type { TypeMapping, TypeMappings } from '../types/mapping.js';

/** The costs of SDL types by `@cost` and `@listSize`. */
export interface SdlCosts {
  /** Maps the names of types to their costs. */
  readonly types: TypeMappings;
  /** Maps root fields (`Query.order`) to their costs. */
  readonly roots: ReadonlyMap<string, FieldCost>;
}

/** Reads the cost directives of definitions that `readSdlOperations` has found to be in order. */
export function costsOfSdl(sdl: string, service: string): SdlCosts {
  const origin = { service, path: ['types'] };
  const types = new Map<string, TypeMapping>();
  const roots = new Map<string, FieldCost>();
  for (const definition of parse(sdl).definitions) {
    if (
      definition.kind !== Kind.OBJECT_TYPE_DEFINITION &&
      definition.kind !== Kind.OBJECT_TYPE_EXTENSION
    ) {
      continue;
    }
    const type = definition.name.value;
    const isRoot = type === 'Query' || type === 'Mutation';
    const fields = new Map<string, FieldCost>();
    for (const field of definition.fields ?? []) {
      const cost = sdlFieldCost(field, origin);
      if (cost !== null) {
        (isRoot ? roots : fields).set(
          isRoot ? `${type}.${field.name.value}` : field.name.value,
          cost,
        );
      }
    }
    const weight = weightIn(definition);
    if (!isRoot && (fields.size > 0 || weight !== null)) {
      types.set(type, mappingOf(weight, fields));
    }
  }
  return { types, roots };
}

/** The mapping, with the costs of the definitions where it has none. */
export function withSdlCosts(mappings: TypeMappings, costs: TypeMappings): TypeMappings {
  if (costs.size === 0) return mappings;
  const all = new Map(mappings);
  for (const [name, declared] of costs) {
    const known = mappings.get(name);
    if (known === undefined) {
      all.set(name, declared);
      continue;
    }
    const fields = new Map([...declared.fields, ...known.fields]);
    for (const [field, { cost }] of declared.fields) {
      const mapped = known.fields.get(field);
      if (mapped !== undefined) {
        fields.set(field, { ...mapped, cost: mapped.cost?.or(cost ?? null) ?? cost ?? null });
      }
    }
    all.set(name, { ...known, cost: known.cost ?? declared.cost ?? null, fields });
  }
  return all;
}

const mappingOf = (cost: number | null, fields: ReadonlyMap<string, FieldCost>): TypeMapping => ({
  name: null,
  description: null,
  hidden: false,
  cost,
  isOptional: true,
  fields: new Map([...fields].map(([name, each]) => [name, { ...UNSAID, cost: each }])),
});

const UNSAID = {
  name: null,
  description: null,
  type: null,
  hidden: false,
  deprecated: null,
  path: [],
} as const;

/** The cost of a field; null without one. */
export function sdlFieldCost(field: FieldDefinitionNode, origin: CostOrigin): FieldCost | null {
  const weight = weightIn(field);
  const listSize = listSizeIn(field.directives ?? []);
  const costs = (field.arguments ?? []).flatMap((argument): [string, number][] => {
    const each = weightIn(argument);
    return each === null ? [] : [[argument.name.value, each]];
  });
  if (weight === null && listSize === null && costs.length === 0) return null;
  return new FieldCost({ weight, listSize, arguments: new Map(costs), origin });
}

/** Points of `@cost`; null where there are none. */
export function weightIn({
  directives = [],
}: {
  readonly directives?: readonly ConstDirectiveNode[];
}): number | null {
  const cost = directives.find(({ name }) => name.value === 'cost');
  const value = cost === undefined ? undefined : argumentOf(cost, 'weight');
  return value === undefined ? null : weightOf(value);
}

/** The specification wants text; Apollo writes numbers. Null for an invalid weight. */
function weightOf(value: ValueNode): number | null {
  const isText = value.kind === Kind.STRING || value.kind === Kind.INT || value.kind === Kind.FLOAT;
  if (!isText || !/^[0-9]{1,9}(\.[0-9]{1,9})?$/.test(value.value)) return null;
  return Number(value.value);
}

function listSizeIn(directives: readonly DirectiveNode[]): ListSize | null {
  const directive = directives.find(({ name }) => name.value === 'listSize');
  if (directive === undefined) return null;
  const size = argumentOf(directive, 'assumedSize');
  const one = argumentOf(directive, 'requireOneSlicingArgument');
  return {
    assumedSize: size?.kind === Kind.INT ? Number(size.value) : null,
    slicingArguments: textsOf(argumentOf(directive, 'slicingArguments')) ?? [],
    sizedFields: textsOf(argumentOf(directive, 'sizedFields')) ?? [],
    requireOneSlicingArgument: one?.kind !== Kind.BOOLEAN || one.value,
  };
}

/** A list of texts; a single text is a list of one. Null for other values. */
function textsOf(value: ValueNode | undefined): readonly string[] | null {
  if (value?.kind === Kind.STRING) return [value.value];
  if (value?.kind !== Kind.LIST) return null;
  const texts = value.values.flatMap((item) => (item.kind === Kind.STRING ? [item.value] : []));
  return texts.length === value.values.length ? texts : null;
}

const argumentOf = (
  { arguments: values = [] }: DirectiveNode,
  name: string,
): ValueNode | undefined => values.find((argument) => argument.name.value === name)?.value;

/** Reports an error in SDL. */
export type ReportInSdl = (
  what: string,
  location: Location | undefined,
  remedy?: string | null,
) => void;

/** Reports the errors of a cost directive; false for another directive. */
export function checkCostDirective(directive: DirectiveNode, report: ReportInSdl): boolean {
  const known = CHECKS.get(directive.name.value);
  if (known === undefined) return false;
  for (const argument of directive.arguments ?? []) {
    const { name, value, loc } = argument;
    const check = known.get(name.value);
    const at = `The argument ${name.value} of @${directive.name.value}`;
    if (check === undefined) {
      report(
        `@${directive.name.value} has no argument ${name.value}.`,
        loc,
        `It has ${[...known.keys()].join(', ')}.`,
      );
    } else if (!check.holds(value)) {
      report(`${at} must be ${check.form}.`, loc);
    }
  }
  if (directive.name.value === 'cost' && argumentOf(directive, 'weight') === undefined) {
    report('@cost needs its weight.', directive.loc, 'Write @cost(weight: "5").');
  }
  return true;
}

/** Reports a cost directive where nothing is counted by it. `around` leads to what it stands at. */
export function checkCostPlace(
  { name: { value: name }, loc }: DirectiveNode,
  around: readonly (ASTNode | readonly ASTNode[])[],
  report: ReportInSdl,
): void {
  if (!CHECKS.has(name)) return;
  const nodes = around.flatMap((each) => ('kind' in each ? [each] : []));
  const [holder, above] = [nodes.at(-1), nodes.at(-2)];
  const isField = holder?.kind === Kind.FIELD_DEFINITION;
  if (name === 'listSize') {
    if (!isField) {
      report('@listSize is for fields only.', loc, 'Write it behind the field that is a list.');
    }
    return;
  }
  const isArgument =
    holder?.kind === Kind.INPUT_VALUE_DEFINITION && above?.kind === Kind.FIELD_DEFINITION;
  const isObject =
    holder?.kind === Kind.OBJECT_TYPE_DEFINITION &&
    !['Query', 'Mutation'].includes(holder.name.value);
  if (isField || isArgument || isObject) return;
  const isInput = holder?.kind === Kind.INPUT_VALUE_DEFINITION;
  const remedy = isInput
    ? 'Write `argumentCosts: { filter.text: 5 }` into the mapping of each operation that takes it.'
    : 'Write it behind the fields and arguments that are of this type.';
  report('@cost counts for objects, for fields and for arguments only.', loc, remedy);
}

interface Check {
  readonly form: string;
  holds(value: ValueNode): boolean;
}

const PATHS: Check = { form: 'a list of names', holds: (value) => textsOf(value) !== null };

const CHECKS: ReadonlyMap<string, ReadonlyMap<string, Check>> = new Map([
  [
    'cost',
    new Map([
      [
        'weight',
        {
          form: 'a number that is not negative: "2.5"',
          holds: (value: ValueNode) => weightOf(value) !== null,
        },
      ],
    ]),
  ],
  [
    'listSize',
    new Map([
      [
        'assumedSize',
        {
          form: 'a whole number up to 1,000,000',
          holds: (value: ValueNode) =>
            value.kind === Kind.INT && /^[0-9]{1,6}$|^1000000$/.test(value.value),
        },
      ],
      ['slicingArguments', PATHS],
      ['sizedFields', PATHS],
      [
        'requireOneSlicingArgument',
        { form: 'true or false', holds: (value: ValueNode) => value.kind === Kind.BOOLEAN },
      ],
    ]),
  ],
]);

/** Definitions of the cost directives themselves, as in a schema that was printed. */
export const isCostDirectiveDefinition = (definition: DefinitionNode): boolean =>
  definition.kind === Kind.DIRECTIVE_DEFINITION && CHECKS.has(definition.name.value);
