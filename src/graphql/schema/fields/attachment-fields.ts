import { GraphQLNonNull, GraphQLObjectType } from 'graphql';
import type { requestPlans } from '../../../codec/index.js';
import { type mime, mimeTypes } from '../../../soap/index.js';
import { type Operation, type Payload, xsd } from '../../../wsdl/index.js';
import type { InputField } from '../input/shown-input.js';
import type { Answer } from '../output/faults.js';
import { resultField } from '../output/result-field.js';
import type { Leaf } from '../types/leaf.js';
import { fieldName, NameScope } from '../types/naming.js';
import { plainShape, SINGLE } from '../types/plain-shape.js';
import type { FieldShape } from '../types/shape.js';
import type { ServiceTypes } from './field-types.js';

const leafOf = ({ leaves, names }: ServiceTypes): Leaf => leaves.of(xsd.BASE64, 'Base64', names);

/** Adds an argument for each attachment of the request to `fields`. */
export function attachmentArguments(
  input: Payload,
  fields: Map<string, InputField>,
  types: ServiceTypes,
): readonly requestPlans.EncodeAttachment[] {
  const { attachments = [] } = input;
  if (attachments.length === 0) return [];
  const scope = new NameScope(fields.keys());
  return attachments.map((attached): requestPlans.EncodeAttachment => {
    const key = scope.take(
      fieldName(attached.name, types.names.naming),
      `${fieldName(attached.name, types.names.naming)}Attachment`,
    );
    fields.set(key, {
      type: new GraphQLNonNull(leafOf(types).type),
      description: describe(attached),
    });
    return {
      key,
      part: attached.name,
      mediaType: attached.mediaTypes.find(mimeTypes.isMediaType) ?? UNKNOWN,
    };
  });
}

const UNKNOWN = 'application/octet-stream';

const describe = ({ mediaTypes }: mime.AttachedPart): string =>
  `An attachment of the message${mediaTypes.length === 0 ? '' : ` (${mediaTypes.join(', ')})`}, ` +
  'in base64.';

/** The reply as an object with its attachments beside the `result`, if the Body has one. */
export function withAttachments(
  operation: Operation,
  { type, shape }: Answer,
  types: ServiceTypes,
): Answer {
  const attachments = operation.output?.attachments ?? [];
  if (attachments.length === 0) return { type, shape };
  const { type: leafType, scalar } = leafOf(types);
  const scope = new NameScope(['result']);
  const result = shape.root.kind === 'done' ? null : resultField(type, shape.root);
  const parts = attachments.map((attached) => ({
    name: scope.take(fieldName(attached.name, types.names.naming)),
    attached,
  }));
  const typeName = types.names.takeFor(operation, 'WithAttachments');
  const made = new GraphQLObjectType({
    name: typeName,
    description: `The answer of ${operation.name}, with the attachments of the reply.`,
    fields: {
      ...(result === null ? {} : { result: { type: result.type } }),
      ...Object.fromEntries(
        parts.map(({ name, attached }) => [
          name,
          { type: leafType, description: describe(attached) },
        ]),
      ),
    },
  });
  types.answers.push(made);
  const fields = new Map<string, FieldShape>(result === null ? [] : [['result', result.field]]);
  for (const { name, attached } of parts) {
    const source = { from: 'attachment', part: attached.name } as const;
    fields.set(name, { ...SINGLE, source, value: { kind: 'scalar', scalar } });
  }
  return {
    type: made,
    shape: {
      ...shape,
      root: { kind: 'whole', shape: plainShape(typeName, fields) },
      nonNull: false,
    },
  };
}
