import { type ConstDirectiveNode, type DirectiveNode, Kind, parseConstValue } from 'graphql';

/** A directive with these arguments, which are JSON. */
export const directive = (
  name: string,
  values: Readonly<Record<string, unknown>> = {},
): ConstDirectiveNode => ({
  kind: Kind.DIRECTIVE,
  name: { kind: Kind.NAME, value: name },
  arguments: Object.entries(values).map(([argument, value]) => ({
    kind: Kind.ARGUMENT,
    name: { kind: Kind.NAME, value: argument },
    value: parseConstValue(JSON.stringify(value), { noLocation: true }),
  })),
});

/**
 * The directives of Apollo Federation 2, with the minor version that brought each. The link names
 * the least version that has all that are used: a composition knows versions up to its own.
 */
const DIRECTIVES: ReadonlyMap<string, number> = new Map([
  ['key', 0],
  ['requires', 0],
  ['provides', 0],
  ['external', 0],
  ['shareable', 0],
  ['override', 0],
  ['inaccessible', 0],
  ['tag', 0],
  ['interfaceObject', 3],
  ['authenticated', 5],
  ['requiresScopes', 5],
  ['cost', 9],
  ['listSize', 9],
]);

/** `label` of `@override` is newer than the directive. */
const LABEL_VERSION = 7;

/** Routers of 2023 and later know it. */
const LEAST_VERSION = 3;

/** The directives that a schema uses. */
export class UsedDirectives {
  readonly #names = new Set<string>();
  #version = LEAST_VERSION;

  add({ name: { value: name }, arguments: values = [] }: DirectiveNode): void {
    const version = DIRECTIVES.get(name);
    if (version === undefined) return;
    const hasLabel = name === 'override' && values.some((each) => each.name.value === 'label');
    this.#names.add(name);
    this.#version = Math.max(this.#version, hasLabel ? LABEL_VERSION : version);
  }

  /** The `@link` that imports them, in the order of the table. */
  printLink(): string {
    const imports = [...DIRECTIVES.keys()].filter((name) => this.#names.has(name));
    const written = imports.map((name) => `"@${name}"`).join(', ');
    const url = `https://specs.apollo.dev/federation/v2.${this.#version}`;
    return `extend schema @link(url: "${url}", import: [${written}])`;
  }
}
