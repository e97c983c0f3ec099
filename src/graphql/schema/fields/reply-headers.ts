import { GraphQLObjectType } from 'graphql';
import { getOrMake } from '../../../core/index.js';
import { type ElementDeclaration, type Operation, typeKey } from '../../../wsdl/index.js';
import type { QName } from '../../../xml/index.js';
import { stepName } from '../input/block-mapping.js';
import type { Answer } from '../output/faults.js';
import { type OutputField, outputConfigs, wholeField, withRule } from '../output/output-field.js';
import { resultField } from '../output/result-field.js';
import { elementMember } from '../types/member.js';
import { everyRule } from '../types/member-rules.js';
import { fieldName, NameScope } from '../types/naming.js';
import { plainShape, SINGLE } from '../types/plain-shape.js';
import type { FieldShape } from '../types/shape.js';
import type { ServiceNames } from '../types/type-names.js';
import type { GraphqlService, ReplyHeaders } from './exposure.js';
import type { HeadersType, ServiceTypes } from './field-types.js';

/** A header block of a reply. Without a declaration it is shown as XML. */
export interface ReplyBlock {
  readonly name: QName;
  readonly element: ElementDeclaration | null;
}

type Source = Pick<GraphqlService, 'mapping' | 'replyHeaders' | 'elements'>;

/** The blocks of an operation's replies that callers may select; none: its result stands alone. */
export function replyBlocks(operation: Operation, service: Source): readonly ReplyBlock[] {
  const { output } = operation;
  const wanted = wantedBy(operation, service);
  if (output === null || wanted === false) return [];
  const declared = output.headers.map(({ element }) => ({ name: element.name, element }));
  if (wanted === true) return declared;
  return wanted.flatMap((written): readonly ReplyBlock[] => {
    const { uri, local } = stepName(written, null);
    if (uri === null) return declared.filter(({ name }) => name.local === local);
    const name = { uri, local };
    const key = typeKey(name);
    const known = declared.find((block) => typeKey(block.name) === key)?.element ?? null;
    const element = known ?? service.elements?.find((each) => typeKey(each.name) === key) ?? null;
    return [{ name, element }];
  });
}

const wantedBy = ({ name }: Operation, { mapping, replyHeaders = false }: Source): ReplyHeaders =>
  mapping.get(name)?.replyHeaders ?? replyHeaders;

/** Reports entries of one operation that no reply of it has. */
export function checkReplyHeaders(
  operation: Operation,
  service: GraphqlService,
  names: ServiceNames,
): void {
  const wanted = service.mapping.get(operation.name)?.replyHeaders ?? false;
  if (wanted === false) return;
  const path = ['operations', operation.name, 'replyHeaders'];
  const among = operation.output?.headers.map(({ element }) => element.name.local) ?? [];
  const remedy = 'Write `{namespace}Name` for a block that it does not declare.';
  const refuse = (what: string, written?: string): null =>
    names.refuse(path, what, remedy, among, written);
  if (operation.output === null) {
    names.refuse(path, 'The operation has no reply.', 'Remove it.');
  } else if (wanted === true) {
    if (among.length === 0) {
      refuse('The WSDL declares no header blocks of its reply.');
    }
  } else {
    for (const written of wanted) {
      const { uri, local } = stepName(written, null);
      if (uri === null && !among.includes(local)) {
        refuse(`The WSDL declares no header block \`${written}\` of its reply.`, written);
      }
    }
  }
}

/** The reply as an object with `result` and `headers`. Without blocks it stays as it is. */
export function withReplyHeaders(
  operation: Operation,
  blocks: readonly ReplyBlock[],
  { type, shape }: Answer,
  types: ServiceTypes,
): Answer {
  if (blocks.length === 0) return { type, shape };
  const owner = types.names.ofOperation(operation);
  const headers = headersType(blocks, owner, types);
  const result = resultField(type, shape.root);
  const headersShape: FieldShape = {
    ...SINGLE,
    source: { from: 'header' },
    value: { kind: 'object', shape: headers.shape },
  };
  const typeName = types.names.takeFor(operation, 'WithHeaders');
  const made = new GraphQLObjectType({
    name: typeName,
    description: `The answer of ${operation.name} and header blocks of the reply.`,
    fields: { result: { type: result.type }, headers: { type: headers.type } },
  });
  types.answers.push(made);
  const fields = new Map([
    ['result', result.field],
    ['headers', headersShape],
  ]);
  return {
    type: made,
    shape: {
      ...shape,
      root: { kind: 'whole', shape: plainShape(typeName, fields) },
      nonNull: false,
    },
  };
}

/**
 * Operations with the same blocks share a type. A few blocks name it, `SessionHeader` as
 * `SessionHeaders`.
 */
function headersType(
  blocks: readonly ReplyBlock[],
  owner: string,
  types: ServiceTypes,
): HeadersType {
  const key = blocks
    .map(({ name }) => typeKey(name))
    .toSorted()
    .join(' ');
  return getOrMake(types.replyHeaders, key, () => {
    const { names } = types;
    const stems = blocks.map(({ name }) => names.pascal(name.local).replace(/Headers?$/, ''));
    const typeName = names.take(`${blocks.length > BLOCKS_MAX ? owner : stems.join('')}Headers`);
    const scope = new NameScope();
    const fields = new Map<string, OutputField>();
    for (const { name, element } of blocks) {
      const field = scope.take(fieldName(name.local, names.naming));
      fields.set(field, blockField({ name, element }, field, typeName, types));
    }
    const type = new GraphQLObjectType({ name: typeName, fields: outputConfigs(fields) });
    types.answers.push(type);
    const shapes = new Map([...fields].map(([field, { shape }]) => [field, shape]));
    return { type, shape: plainShape(typeName, shapes) };
  });
}

function blockField(
  { name, element }: ReplyBlock,
  field: string,
  owner: string,
  types: ServiceTypes,
): OutputField {
  if (element !== null) return types.output.field(elementMember(element, field), owner);
  const whole = wholeField(types.leaves.xml);
  const description = 'The block as XML: the WSDL does not declare it.';
  const shape: FieldShape = { ...whole.shape, source: { from: 'child', name, default: null } };
  return withRule({ ...whole, description, shape }, everyRule(types.members));
}

const BLOCKS_MAX = 3;
