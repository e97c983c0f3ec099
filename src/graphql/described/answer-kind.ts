import { getNamedType, getNullableType, isListType } from 'graphql';
import { BASE64_SCALAR } from '../../codec/index.js';
import type { DescribedOperation } from './described-operation.js';

/** Whether an operation answers with one value of bytes, which GraphQL has in base64. */
export const isBinaryAnswer = ({ field: { type } }: DescribedOperation): boolean =>
  !isListType(getNullableType(type)) && getNamedType(type).name === BASE64_SCALAR.name;

/** Whether an operation answers with a list, or with pages of one. */
export const isListAnswer = ({
  field: { type },
  bound: { paging = null },
}: DescribedOperation): boolean => paging !== null || isListType(getNullableType(type));
