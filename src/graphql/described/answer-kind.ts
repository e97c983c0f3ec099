import { getNamedType, getNullableType, isListType } from 'graphql';
import type { DescribedOperation } from './described-operation.js';

/** Whether an operation answers with one value of bytes, which GraphQL has in base64. */
export const isBinaryAnswer = ({ field: { type } }: DescribedOperation): boolean =>
  !isListType(getNullableType(type)) && getNamedType(type).name === 'Base64';

/** Whether an operation answers with a list. */
export const isListAnswer = ({ field: { type } }: DescribedOperation): boolean => isListType(getNullableType(type));
