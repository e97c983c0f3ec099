import {
  type ASTVisitor,
  DirectiveLocation,
  type FieldNode,
  GraphQLDirective,
  type ValidationContext,
} from 'graphql';
import { codedError } from '../../errors.js';
import { NO_EXTENSIONS } from '../rights/extensions.js';
import type { FieldShape } from '../types/shape.js';

/**
 * Asks for the address of binary content in its place. In the schema only where the gateway makes
 * such addresses.
 */
export const URL_DIRECTIVE = new GraphQLDirective({
  name: 'url',
  description:
    'The address of binary content instead of the content: for a short time it can be ' +
    'downloaded from there, with the credentials of the same client.',
  locations: [DirectiveLocation.FIELD],
});

const HAS_ADDRESS = 'hasAddress';

/** Marks a field whose content may have an address. */
export const addressExtensions = (shape: FieldShape | null): Readonly<Record<string, true>> =>
  shape !== null && hasAddress(shape) ? { [HAS_ADDRESS]: true } : NO_EXTENSIONS;

/** Whether values of a field are binary content of an element. */
const hasAddress = ({ source, value }: FieldShape): boolean =>
  value.kind === 'scalar' && value.scalar.binary === 'base64' && ADDRESSED.has(source.from);

const ADDRESSED: ReadonlySet<string> = new Set(['child', 'wrapped list', 'items', 'text']);

/** Whether one of the nodes of a field asks for its address. */
export const asksForAddress = (nodes: readonly FieldNode[]): boolean =>
  nodes.some(({ directives = [] }) =>
    directives.some(({ name }) => name.value === URL_DIRECTIVE.name),
  );

/** Refuses the directive at fields that have no address. */
export const urlRule = (context: ValidationContext): ASTVisitor => ({
  Directive(node) {
    if (context.getSchema().getDirective(node.name.value) !== URL_DIRECTIVE) return;
    if (context.getFieldDef()?.extensions[HAS_ADDRESS] === true) return;
    const text =
      'Only fields with binary content have an address: @url is for fields of type Base64.';
    context.reportError(codedError('GRAPHQL_VALIDATION_FAILED', { nodes: [node] }, text));
  },
});
