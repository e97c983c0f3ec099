import { type ExampleObject, exampleInput } from '../../codec/index.js';
import { childrenOfBody } from '../../wsdl/index.js';
import type { BoundField } from './bound-field.js';

/** Arguments of a field with which its request is valid by its schema. */
export const exampleArguments = ({
  operation,
  requestPlan,
  headersArgument,
}: BoundField): ExampleObject =>
  exampleInput(requestPlan, childrenOfBody(operation.input)[0] ?? null, headersArgument);
