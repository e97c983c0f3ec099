import { type Operation, typeKey } from './model.js';

/** The child of Body of the requests of an operation; '' for none. */
export const bodyKey = ({ input }: Operation): string =>
  input.body === null ? '' : typeKey(input.body.name);

/** The name of an operation and the child of Body of its requests. */
export const requestKey = ({ name, input }: Operation): string =>
  JSON.stringify([name, input.body === null ? null : typeKey(input.body.name)]);
