import {
  type DirectiveNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  visit,
} from 'graphql';
import { scopeRules } from '../../../core/index.js';
import { partName } from './schema-parts.js';

/** A schema without its directives about rights, and what they require. */
interface TakenRights {
  readonly document: DocumentNode;
  /**
   * Maps `Type` and `Type.field` to what they require; roots are called Query, Mutation and
   * Subscription.
   */
  requirementsOf(schema: GraphQLSchema): ReadonlyMap<string, scopeRules.Requirement>;
}

/**
 * Removes `@authenticated` and `@requiresScopes` of Apollo from the schema of a service, defined in
 * it or not. Throws `GraphQLError` for one that cannot be enforced: rights are never passed over.
 */
export function takeRights(document: DocumentNode): TakenRights {
  const found: [string, scopeRules.Requirement][] = [];
  const without = visit(document, {
    Directive: (node, _key, _parent, _path, ancestors) => {
      const name = rightName(node.name.value);
      if (name === null) return undefined;
      const nodes = ancestors.flatMap((each) => ('kind' in each ? [each] : []));
      const [holder, above] = [nodes.at(-1), nodes.at(-2)];
      const requirement = requirementOf(name, node);
      if (
        holder?.kind === Kind.FIELD_DEFINITION &&
        above !== undefined &&
        'name' in above &&
        above.name
      ) {
        found.push([`${above.name.value}.${holder.name.value}`, requirement]);
      } else if (
        holder !== undefined &&
        'name' in holder &&
        holder.name &&
        TYPES.has(holder.kind)
      ) {
        found.push([holder.name.value, requirement]);
      } else {
        throw new GraphQLError(`@${node.name.value} has no effect here.`, { nodes: [node] });
      }
      return null;
    },
    DirectiveDefinition: ({ name }) => (rightName(name.value) === null ? undefined : null),
  });
  return {
    document: without,
    requirementsOf(schema) {
      const requirements = new Map<string, scopeRules.Requirement>();
      for (const [written, requirement] of found) {
        const [typeName = '', ...field] = written.split('.');
        const type = schema.getType(typeName);
        const part = [type === undefined ? typeName : partName(schema, type), ...field].join('.');
        const both = scopeRules.bothOf(requirements.get(part) ?? null, requirement);
        if (both !== null) {
          requirements.set(part, both);
        }
      }
      return requirements;
    },
  };
}

const TYPES: ReadonlySet<string> = new Set([
  Kind.OBJECT_TYPE_DEFINITION,
  Kind.OBJECT_TYPE_EXTENSION,
  Kind.INTERFACE_TYPE_DEFINITION,
  Kind.INTERFACE_TYPE_EXTENSION,
  Kind.SCALAR_TYPE_DEFINITION,
  Kind.SCALAR_TYPE_EXTENSION,
  Kind.ENUM_TYPE_DEFINITION,
  Kind.ENUM_TYPE_EXTENSION,
]);

/** Null for other directives. `resolveLinks` has given each of these its own name. */
const rightName = (name: string): 'authenticated' | 'requiresScopes' | 'policy' | null =>
  name === 'authenticated' || name === 'requiresScopes' || name === 'policy' ? name : null;

function requirementOf(
  name: 'authenticated' | 'requiresScopes' | 'policy',
  node: DirectiveNode,
): scopeRules.Requirement {
  if (name === 'policy') {
    throw new GraphQLError(
      '@policy is not supported: use @requiresScopes, or `clients.authorize`.',
      { nodes: [node] },
    );
  }
  if (name === 'authenticated') return { isAuthenticated: true, scopes: [] };
  return { isAuthenticated: false, scopes: [scopesIn(node)] };
}

function scopesIn(node: DirectiveNode): scopeRules.ScopeChoice {
  const value = node.arguments?.find((argument) => argument.name.value === 'scopes')?.value;
  const lists = value?.kind === Kind.LIST ? value.values : null;
  const scopes = lists?.map((list) =>
    list.kind === Kind.LIST
      ? list.values.flatMap((scope) => (scope.kind === Kind.STRING ? [scope.value] : []))
      : null,
  );
  const isWhole = scopes?.every((list, index) => {
    const written = lists?.[index];
    return list !== null && written?.kind === Kind.LIST && written.values.length === list.length;
  });
  if (scopes === undefined || isWhole !== true) {
    const what = 'The scopes of @requiresScopes are lists of texts in a list: [["a", "b"], ["c"]].';
    throw new GraphQLError(what, { nodes: [node] });
  }
  return scopes.flatMap((list) => (list === null ? [] : [list]));
}
