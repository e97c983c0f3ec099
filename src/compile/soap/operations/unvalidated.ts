import { collections } from '../../../core/index.js';
import { bodyKey, childrenOfBody, type Operation, type Payload } from '../../../wsdl/index.js';

export type MessageDirection = 'request' | 'reply';

/**
 * Operations by whose schema messages of one direction cannot be validated, each with the reason.
 */
export type Unvalidated = ReadonlyMap<Operation, string>;

/**
 * `lists`: the operations of each port. Those of one port that share the first element of Body are
 * compared.
 */
export function unvalidatedIn(
  lists: readonly (readonly Operation[])[],
  direction: MessageDirection,
): Unvalidated {
  const reasons = new Map<Operation, string>();
  for (const operation of lists.flat()) {
    const reason = reasonOf(operation);
    if (reason !== null) {
      reasons.set(operation, reason);
    }
  }
  for (const group of lists.flatMap((operations) => groupsIn(operations))) {
    if (
      direction === 'request'
        ? !differ(group.map(({ input }) => input))
        : !haveAmbiguousReplies(group)
    ) {
      continue;
    }
    for (const operation of group) {
      reasons.set(operation, AMBIGUOUS[direction]);
    }
  }
  return reasons;
}

const AMBIGUOUS = {
  request: 'requests of several operations begin with the same element and differ behind it',
  reply: 'requests with the same first element have replies of the same name that differ',
} as const satisfies Readonly<Record<MessageDirection, string>>;

/** Encoded messages follow the rules of SOAP 1.1 section 5 instead of a schema. */
function reasonOf({ use, status, reasons }: Operation): string | null {
  if (status === 'disabled') return reasons[0]?.what.replace(/\.$/, '') ?? 'disabled';
  return use === 'encoded' ? 'encoded messages have no schema' : null;
}

/** Operations that are understood and whose requests have the same first element of Body. */
export function groupsIn(operations: readonly Operation[]): readonly (readonly Operation[])[] {
  const understood = operations.filter((operation) => reasonOf(operation) === null);
  return [...collections.groupBy(understood, bodyKey).values()];
}

/** The outputs of these operations, by the local name of the first element of Body. */
export function outputsByName(
  operations: readonly Operation[],
): ReadonlyMap<string, readonly Payload[]> {
  const outputs = operations.flatMap(({ output }) => (output?.body == null ? [] : [output]));
  return collections.groupBy(outputs, ({ body }) => body?.name.local ?? '');
}

/**
 * A Body of several elements is read as the reply of the operation that the request was taken for.
 */
function haveAmbiguousReplies(group: readonly Operation[]): boolean {
  const outputs = outputsByName(group);
  const all = [...outputs.values()];
  if (outputs.size > 1 && all.flat().some(({ several }) => several !== undefined)) return true;
  return all.some(differ);
}

/** Whether they hold other elements, or elements of other types. */
function differ(payloads: readonly Payload[]): boolean {
  const [first = [], ...others] = payloads.map(childrenOfBody);
  return others.some(
    (children) =>
      children.length !== first.length ||
      children.some((child, at) => child.type !== first[at]?.type),
  );
}
