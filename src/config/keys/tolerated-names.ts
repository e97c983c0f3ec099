import { DEVIATION_NAMES, type Deviation } from '../../core/index.js';
import { list, unsafe } from './key-types.js';

const NAMES = unsafe<Deviation>({
  type: 'string',
  enum: DEVIATION_NAMES,
});

/** `tolerate` of a service, and of an operation. */
export const toleratedNames = (description: string) =>
  list(NAMES, description, { maxItems: DEVIATION_NAMES.length, uniqueItems: true });
