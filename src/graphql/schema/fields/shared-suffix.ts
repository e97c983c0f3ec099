import { distinctName, type Operation } from '../../../wsdl/index.js';

/** Words at the end of names that say what every operation is. */
const SUFFIXES: readonly string[] = ['Request', 'Req', 'Rq', 'Operation'];

/**
 * The suffix that the names of all operations of a service share, where it says nothing: `getOrder`
 * is enough for `GetOrderRequest` if there is no other kind. '' where there is none.
 */
export function sharedSuffix(operations: readonly Operation[]): string {
  const names = operations.map(distinctName);
  // The name of a message says so by itself; that of one operation may be about a request.
  const isOfMessage = operations.every((operation) => distinctName(operation) !== operation.name);
  if (new Set(names).size < 2 && !isOfMessage) return '';
  return SUFFIXES.find((suffix) => names.every((name) => endsWith(name, suffix))) ?? '';
}

/** Whether the suffix is a word of its own, and not all of the name. */
const endsWith = (name: string, suffix: string): boolean =>
  name.endsWith(suffix) && /[a-z0-9_]$/.test(name.slice(0, -suffix.length));
