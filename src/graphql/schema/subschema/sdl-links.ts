import {
  type ArgumentNode,
  type DirectiveNode,
  type DocumentNode,
  GraphQLError,
  Kind,
  type ValueNode,
  visit,
} from 'graphql';

/**
 * What a directive of a schema is: one that the gateway enforces, one without meaning here, or
 * neither.
 */
type Meaning = Enforced | 'ignored' | 'unknown' | null;
type Enforced =
  | 'authenticated'
  | 'requiresScopes'
  | 'policy'
  | 'inaccessible'
  | 'cost'
  | 'listSize';

/** A specification of specs.apollo.dev. */
interface Specification {
  /** The major versions that the gateway knows. */
  readonly majors: ReadonlySet<string>;
  /** The directives that mean nothing to the gateway. */
  readonly ignored: ReadonlySet<string>;
}

const HOST = 'specs.apollo.dev';
const specification = (majors: readonly string[], ignored: string): Specification => ({
  majors: new Set(majors),
  ignored: new Set(ignored.split(' ')),
});
const RIGHT = specification(['0'], '');
const SPECIFICATIONS: ReadonlyMap<string, Specification> = new Map([
  [
    'federation',
    specification(
      ['1', '2'],
      'key requires provides external shareable extends override tag composeDirective ' +
        'interfaceObject context fromContext cacheTag',
    ),
  ],
  ['link', specification(['1'], 'link')],
  ['core', specification(['0'], 'core')],
  ['tag', specification(['0'], 'tag')],
  ['cost', RIGHT],
  ['authenticated', RIGHT],
  ['requiresScopes', RIGHT],
  ['policy', RIGHT],
  ['inaccessible', RIGHT],
]);

/** A linked specification. */
interface Linked {
  /** Without its version. */
  readonly identity: string;
  /** That of `SPECIFICATIONS`; null for others. */
  readonly known: string | null;
}

/**
 * Counts by its prefix where a file does not link it: some tools print schemas without their links.
 */
const FEDERATION: Linked = { identity: `//${HOST}/federation`, known: 'federation' };

/**
 * Gives the directives that a schema links under other names their own: `@needs` or
 * `@fed__requiresScopes` becomes `@requiresScopes`. Removes those of federation that mean nothing
 * here. A directive about rights counts by its name, linked or not, whichever specification has it.
 * Throws `GraphQLError` for what cannot be resolved, and for an unknown directive of a
 * specification that protects. Source: specs.apollo.dev/link/v1.0 and core/v0.2.
 */
export function resolveLinks(document: DocumentNode): DocumentNode {
  const names = new LinkedNames(document);
  const kept = new Set<string>();
  const renamed = new Map<string, DirectiveNode>();
  const resolved = visit(document, {
    Directive(node) {
      const written = node.name.value;
      const meaning = names.meaningOf(written);
      if (meaning === 'unknown') {
        throw new GraphQLError(
          `@${written} is not known, and may protect what it is applied to. Remove it.`,
          {
            nodes: [node],
          },
        );
      }
      if (meaning === 'ignored') return null;
      if (meaning === null) {
        kept.add(written);
      }
      if (meaning === null || meaning === written) return undefined;
      renamed.set(meaning, node);
      return { ...node, name: { ...node.name, value: meaning } };
    },
    DirectiveDefinition(node) {
      const meaning = names.meaningOf(node.name.value);
      if (meaning === null) {
        kept.add(node.name.value);
      }
      return meaning === null || meaning === node.name.value ? undefined : null;
    },
  });
  for (const [name, node] of renamed) {
    if (kept.has(name)) {
      const what =
        `@${node.name.value} is linked as @${name}, which the schema defines otherwise. ` +
        'Give that another name.';
      throw new GraphQLError(what, { nodes: [node] });
    }
  }
  return resolved;
}

/** What the names of directives stand for, by the links of a schema. */
class LinkedNames {
  readonly #meanings = new Map<string, Meaning>();
  readonly #prefixes = new Map<string, Linked>();

  constructor(document: DocumentNode) {
    const applied = document.definitions.flatMap((definition) =>
      definition.kind === Kind.SCHEMA_DEFINITION || definition.kind === Kind.SCHEMA_EXTENSION
        ? (definition.directives ?? [])
        : [],
    );
    const linking = new Set(['link', 'core']);
    for (const node of applied) {
      if (isLinkItself(node)) {
        linking.add(node.name.value);
      }
    }
    for (const node of applied) {
      if (linking.has(node.name.value) && urlIn(node) !== undefined) {
        this.#link(node);
      }
    }
  }

  meaningOf(name: string): Meaning {
    const meaning = this.#meanings.get(name) ?? this.#byPrefix(name);
    return meaning ?? (isRight(name) ? name : null);
  }

  #byPrefix(name: string): Meaning {
    for (const [prefix, linked] of this.#prefixes) {
      if (name.startsWith(`${prefix}__`)) return meaningIn(linked, name.slice(prefix.length + 2));
    }
    return name.startsWith('federation__')
      ? meaningIn(FEDERATION, name.slice('federation__'.length))
      : null;
  }

  #link(node: DirectiveNode): void {
    const url = textOf(urlIn(node), '`url`', node);
    if (url === null) throw new GraphQLError('The `url` of a link is a text.', { nodes: [node] });
    const { identity, name, version, isOfHost } = readUrl(url);
    const known = isOfHost ? SPECIFICATIONS.get(name ?? '') : undefined;
    const linked: Linked = { identity, known: known === undefined ? null : name };
    if (known !== undefined && !known.majors.has(/^v(\d+)\./.exec(version)?.[1] ?? '')) {
      throw new GraphQLError(`${url}: version ${version || '(none)'} is not known.`, {
        nodes: [node],
      });
    }
    const purpose = argumentOf(node, 'for');
    if (
      known === undefined &&
      purpose !== undefined &&
      'value' in purpose &&
      purpose.value === 'SECURITY'
    ) {
      const what =
        `The schema links ${url} for SECURITY, which is not known: its directives would protect ` +
        'nothing. Remove the link and put rights into `fields` of the service.';
      throw new GraphQLError(what, { nodes: [node] });
    }
    this.#bind(node.name.value, 'ignored', node);
    const prefix = textOf(argumentOf(node, 'as'), '`as`', node) ?? name;
    if (prefix !== null) {
      const other = this.#prefixes.get(prefix);
      if (other !== undefined && other.identity !== identity) {
        throw new GraphQLError(`Two specifications are linked as \`${prefix}\`.`, {
          nodes: [node],
        });
      }
      this.#prefixes.set(prefix, linked);
      if (name !== null) {
        this.#bind(prefix, meaningIn(linked, name), node);
      }
    }
    for (const [element, as] of importsOf(node)) {
      this.#bind(as, meaningIn(linked, element), node);
    }
  }

  #bind(name: string, meaning: Meaning, node: DirectiveNode): void {
    const other = this.#meanings.get(name);
    if (other !== undefined && other !== meaning) {
      throw new GraphQLError(`The schema links two directives as @${name}.`, { nodes: [node] });
    }
    this.#meanings.set(name, meaning);
  }
}

function meaningIn({ known }: Linked, element: string): Meaning {
  if (isRight(element)) return element;
  if (known === null) return null;
  if (isCost(element) && (known === 'federation' || known === 'cost')) return element;
  return SPECIFICATIONS.get(known)?.ignored.has(element) === true ? 'ignored' : 'unknown';
}

/** Whether a directive protects by its name alone. */
const isRight = (name: string): name is Exclude<Enforced, 'cost' | 'listSize'> =>
  name === 'authenticated' ||
  name === 'requiresScopes' ||
  name === 'policy' ||
  name === 'inaccessible';

const isCost = (name: string): name is 'cost' | 'listSize' =>
  name === 'cost' || name === 'listSize';

/** The directives that a link imports, and their names in the schema, both without the `@`. */
function importsOf(node: DirectiveNode): readonly (readonly [element: string, as: string])[] {
  const value = argumentOf(node, 'import');
  if (value === undefined) return [];
  if (value.kind !== Kind.LIST) {
    throw new GraphQLError('`import` of a link is a list.', { nodes: [node] });
  }
  return value.values.flatMap((each) => {
    const fields = each.kind === Kind.OBJECT ? each.fields : null;
    const written =
      fields === null ? each : fields.find(({ name }) => name.value === 'name')?.value;
    const element = textOf(written, '`import`', node);
    if (element === null) {
      throw new GraphQLError('`import` of a link holds names.', { nodes: [node] });
    }
    const as =
      textOf(fields?.find(({ name }) => name.value === 'as')?.value, '`as`', node) ?? element;
    if (!element.startsWith('@')) {
      if (!isRight(element) && !isCost(element)) return [];
      throw new GraphQLError(`Import "@${element}", with the @ of directives.`, { nodes: [node] });
    }
    if (!as.startsWith('@')) {
      throw new GraphQLError(`The name of ${element} begins with @: write "@${as}".`, {
        nodes: [node],
      });
    }
    return [[element.slice(1), as.slice(1)] as const];
  });
}

const argumentOf = (node: DirectiveNode, name: string): ValueNode | undefined => {
  const value = node.arguments?.find(
    (argument: ArgumentNode) => argument.name.value === name,
  )?.value;
  return value?.kind === Kind.NULL ? undefined : value;
};

const urlIn = (node: DirectiveNode): ValueNode | undefined =>
  argumentOf(node, 'url') ?? argumentOf(node, 'feature');

function isLinkItself(node: DirectiveNode): boolean {
  const url = urlIn(node);
  if (url?.kind !== Kind.STRING) return false;
  const { name, isOfHost } = readUrl(url.value);
  return isOfHost && (name === 'link' || name === 'core');
}

/** Null where there is no value. Throws `GraphQLError` for one that is no text. */
function textOf(value: ValueNode | undefined, what: string, node: DirectiveNode): string | null {
  if (value === undefined || value.kind === Kind.NULL) return null;
  if (value.kind === Kind.STRING) return value.value;
  throw new GraphQLError(`${what} of a link is a text.`, { nodes: [node] });
}

/**
 * The parts of `https://specs.apollo.dev/federation/v2.5`; a name of null where the address has
 * none.
 */
function readUrl(text: string): {
  readonly identity: string;
  readonly name: string | null;
  readonly version: string;
  readonly isOfHost: boolean;
} {
  const url = URL.canParse(text) ? new URL(text) : null;
  const path = url?.pathname.split('/').filter((part) => part !== '') ?? [];
  const version = /^v\d+\.\d+$/.test(path.at(-1) ?? '') ? (path.pop() ?? '') : '';
  const last = path.at(-1) ?? '';
  const name = /^[A-Za-z_][A-Za-z0-9_]*$/.test(last) ? last : null;
  return {
    identity: `//${url?.host ?? text}/${path.join('/')}`,
    name,
    version,
    isOfHost: url?.hostname === HOST,
  };
}
