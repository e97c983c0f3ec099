import type { GraphQLEnumType, GraphQLEnumValue } from 'graphql';
import { NO_EXTENSIONS } from '../rights/extensions.js';

/** The extension of a value of an enumeration that has another name in the contract. */
const CONTRACT = 'contractValue';

/** The extensions of a value with this name in the contract. */
export const contractExtensions = (
  name: string,
  value: string,
): Readonly<Record<string, string>> => (name === value ? NO_EXTENSIONS : { [CONTRACT]: value });

/** The value as the contract has it. */
export function contractValue({ name, extensions }: GraphQLEnumValue): string {
  const value = extensions[CONTRACT];
  return typeof value === 'string' ? value : name;
}

/**
 * The value of a value's name in the contract; the name itself where it is none of the enumeration.
 */
export const contractValueOf = (type: GraphQLEnumType, name: string): string => {
  const value = type.getValue(name);
  return value == null ? name : contractValue(value);
};
