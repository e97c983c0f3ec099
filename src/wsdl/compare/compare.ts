import { requestKey } from '../empty-output.js';
import {
  allOperations,
  childrenOfBody,
  type FaultDeclaration,
  type HeaderDeclaration,
  type Operation,
  type Payload,
  type Port,
  typeKey,
  type WsdlModel,
  type WsdlService,
} from '../model.js';
import { type Change, Changes, type Direction } from './change.js';
import { TypeComparison } from './types.js';

export interface Comparison {
  readonly changes: readonly Change[];
  /** Number of changes beyond the limit, which were not kept. */
  readonly dropped: number;
}

/**
 * The changes that a client of the WSDL `before` meets at a backend with `after`. Services, ports
 * and operations are matched by name; types by where operations use them, in the direction they
 * travel.
 */
export function compareWsdls(before: WsdlModel, after: WsdlModel): Comparison {
  const changes = new Changes();
  const types = new TypeComparison(changes);
  const known = new KnownRequests(before);
  const services = matched(before.services, after.services, ({ name }) => name.local);
  for (const { local, was, is } of services) {
    if (is === null) {
      changes.add('breaking', `service ${local}`, 'is gone');
    } else if (was === null) {
      changes.add('safe', `service ${local}`, 'is new');
      for (const port of is.ports) {
        newOperations(port, known, changes);
      }
    } else {
      compareServices(was, is, known, changes, types);
    }
  }
  return { changes: changes.all, dropped: changes.dropped };
}

interface Match<T> {
  readonly local: string;
  readonly was: T | null;
  readonly is: T | null;
}

/** Pairs by name. A single item on both sides is the same, renamed. */
function matched<T>(
  before: readonly T[],
  after: readonly T[],
  nameOf: (thing: T) => string,
): readonly Match<T>[] {
  const [one, ...moreBefore] = before;
  const [other, ...moreAfter] = after;
  if (
    one !== undefined &&
    other !== undefined &&
    moreBefore.length === 0 &&
    moreAfter.length === 0
  ) {
    return [{ local: nameOf(one), was: one, is: other }];
  }
  const were = new Map(before.map((thing) => [nameOf(thing), thing]));
  const are = new Map(after.map((thing) => [nameOf(thing), thing]));
  return [...new Set([...were.keys(), ...are.keys()])].map((local) => ({
    local,
    was: were.get(local) ?? null,
    is: are.get(local) ?? null,
  }));
}

/** The requests of a WSDL, by what tells which operation a message calls. */
class KnownRequests {
  /** Maps each child of Body and each action to the name of the first operation that has it. */
  readonly #owners = new Map<string, string>();
  readonly #requests = new Set<string>();

  constructor(model: WsdlModel) {
    for (const operation of allOperations(model)) {
      this.#requests.add(requestKey(operation));
      for (const key of marksOf(operation)) {
        if (!this.#owners.has(key)) {
          this.#owners.set(key, operation.name);
        }
      }
    }
  }

  has(operation: Operation): boolean {
    return this.#requests.has(requestKey(operation));
  }

  /** The operation that messages of this one may be taken for; null for none. */
  ownerOf(operation: Operation): string | null {
    for (const key of marksOf(operation)) {
      const owner = this.#owners.get(key);
      if (owner !== undefined) return owner;
    }
    return null;
  }
}

function* marksOf({ input, soapAction, addressingAction }: Operation): Generator<string> {
  yield `Body ${input.body === null ? '' : typeKey(input.body.name)}`;
  for (const action of [soapAction, addressingAction]) {
    if (action !== null && action !== '') {
      yield `action ${action}`;
    }
  }
}

/**
 * Reports the operations of a port that no port had: those that change what messages of others mean
 * are not safe.
 */
function newOperations({ operations }: Port, known: KnownRequests, changes: Changes): void {
  for (const operation of operations) {
    if (known.has(operation)) continue;
    const owner = known.ownerOf(operation);
    if (owner !== null) {
      changes.add(
        'dangerous',
        operation.name,
        `the operation is new, and its requests look like those of ${owner}`,
      );
    } else if (operation.status === 'disabled') {
      changes.add(
        'dangerous',
        operation.name,
        'the operation is new, and its requests are not known',
      );
    } else {
      changes.add('safe', operation.name, 'the operation is new');
    }
  }
}

function compareServices(
  before: WsdlService,
  after: WsdlService,
  known: KnownRequests,
  changes: Changes,
  types: TypeComparison,
): void {
  const where = `service ${before.name.local}`;
  if (before.name.local !== after.name.local) {
    changes.add('dangerous', where, `is now named ${after.name.local}`);
  }
  for (const { local, was, is } of matched(before.ports, after.ports, ({ name }) => name)) {
    const port = `port ${local}`;
    if (is === null) {
      changes.add('breaking', port, 'is gone');
    } else if (was === null) {
      changes.add('safe', port, 'is new');
      newOperations(is, known, changes);
    } else {
      comparePorts(was, is, known, changes, types);
    }
  }
}

function comparePorts(
  before: Port,
  after: Port,
  known: KnownRequests,
  changes: Changes,
  types: TypeComparison,
): void {
  const where = `port ${before.name}`;
  if (before.name !== after.name) {
    changes.add('dangerous', where, `is now named ${after.name}`);
  }
  if (before.dialect !== after.dialect) {
    changes.add('breaking', where, `speaks SOAP ${after.dialect} instead of ${before.dialect}`);
  }
  if (before.address !== after.address) {
    changes.add('dangerous', where, 'has another address', true);
  }
  const were = new Map(before.operations.map((operation) => [operation.name, operation]));
  const are = new Map(after.operations.map((operation) => [operation.name, operation]));
  for (const [name, was] of were) {
    const is = are.get(name);
    if (is === undefined) {
      changes.add('breaking', name, 'the operation is gone');
    } else {
      compareOperations(was, is, changes, types);
    }
  }
  newOperations(
    { ...after, operations: after.operations.filter(({ name }) => !were.has(name)) },
    known,
    changes,
  );
}

function compareOperations(
  before: Operation,
  after: Operation,
  changes: Changes,
  types: TypeComparison,
): void {
  const where = before.name;
  if (after.status === 'disabled' && before.status !== 'disabled') {
    changes.add(
      'breaking',
      where,
      'cannot be called any more: parts of it are missing or not supported',
    );
  }
  if ((before.soapAction ?? '') !== (after.soapAction ?? '')) {
    changes.add('breaking', where, 'has another SOAPAction');
  }
  const isAddressed = after.addressing?.isRequired === true;
  if (isAddressed !== (before.addressing?.isRequired === true)) {
    changes.add(
      isAddressed ? 'breaking' : 'safe',
      where,
      `${isAddressed ? 'requires' : 'no longer requires'} WS-Addressing`,
    );
  }
  if (before.style !== after.style) {
    changes.add('breaking', where, `has another style: ${after.style ?? 'none'}`);
  }
  if (usageOf(before) !== usageOf(after)) {
    changes.add('breaking', where, `is ${usageOf(after)}, and was ${usageOf(before)}`);
  }
  comparePayloads('request', where, before.input, after.input, changes, types);
  if (before.output !== null && after.output !== null) {
    comparePayloads('reply', where, before.output, after.output, changes, types);
  } else if (before.output !== after.output) {
    changes.add(
      'breaking',
      where,
      after.output === null ? 'has no reply any more' : 'has a reply now',
    );
  }
  compareDeclared(
    FAULTS,
    { direction: 'reply', where },
    before.faults,
    after.faults,
    changes,
    types,
  );
}

const usageOf = ({ use = 'literal' }: Operation): 'literal' | 'encoded' => use;

function comparePayloads(
  direction: Direction,
  operation: string,
  before: Payload,
  after: Payload,
  changes: Changes,
  types: TypeComparison,
): void {
  const where = `${operation} ${direction}`;
  const [were, are] = [childrenOfBody(before), childrenOfBody(after)];
  if (were.length === 0 || are.length === 0) {
    if (were.length !== are.length) {
      changes.add('breaking', where, are.length === 0 ? 'is empty now' : 'is not empty any more');
    }
  } else if (were.length !== are.length) {
    changes.add(
      'breaking',
      where,
      `has ${elementsOf(are.length)} in Body, and had ${elementsOf(were.length)}`,
    );
  }
  for (const [at, was] of were.entries()) {
    const is = are[at];
    if (is === undefined) break;
    if (typeKey(was.name) !== typeKey(is.name)) {
      changes.add(
        'breaking',
        where,
        `is another element: ${is.name.local} in ${is.name.uri || 'no namespace'}`,
      );
    }
    types.compare(direction, was, is, `${where}: ${was.name.local}`);
  }
  compareDeclared(HEADERS, { direction, where }, before.headers, after.headers, changes, types);
  compareAttachments(direction, where, before, after, changes);
}

/**
 * Those of a request are all required. With the first one of a reply the answer in GraphQL becomes
 * an object.
 */
function compareAttachments(
  direction: Direction,
  where: string,
  { attachments: before = [] }: Payload,
  { attachments: after = [] }: Payload,
  changes: Changes,
): void {
  const [were, are] = [before, after].map((parts) => new Set(parts.map(({ name }) => name)));
  for (const name of were ?? []) {
    if (are?.has(name) === false) {
      changes.add('breaking', where, `the attachment ${name} is gone`);
    }
  }
  const severity = direction === 'request' || before.length === 0 ? 'breaking' : 'safe';
  for (const name of are ?? []) {
    if (were?.has(name) === false) {
      changes.add(severity, where, `the attachment ${name} is new`);
    }
  }
}

const elementsOf = (count: number): string => (count === 1 ? 'one element' : `${count} elements`);

/** The texts for headers or faults, which are declared apart from the Bodies. */
interface Declared {
  readonly noun: string;
  /** Behind the operation, where something of one has changed. */
  readonly suffix: string;
  readonly isGone: string;
}

/** A declaration has no mark for a block that may be left out. */
const HEADERS: Declared = { noun: 'header block', suffix: ', header', isGone: 'is gone' };
const FAULTS: Declared = { noun: 'fault', suffix: ' fault', isGone: 'is not declared any more' };

function compareDeclared(
  { noun, suffix, isGone }: Declared,
  { direction, where }: { readonly direction: Direction; readonly where: string },
  before: readonly (FaultDeclaration | HeaderDeclaration)[],
  after: readonly (FaultDeclaration | HeaderDeclaration)[],
  changes: Changes,
  types: TypeComparison,
): void {
  const were = new Map(before.map(({ element }) => [typeKey(element.name), element]));
  const are = new Map(after.map(({ element }) => [typeKey(element.name), element]));
  for (const [key, was] of were) {
    const is = are.get(key);
    if (is === undefined) {
      changes.add('dangerous', where, `the ${noun} ${was.name.local} ${isGone}`);
    } else {
      types.compare(direction, was, is, `${where}${suffix}: ${was.name.local}`);
    }
  }
  for (const [key, is] of are) {
    if (!were.has(key)) {
      changes.add('dangerous', where, `the ${noun} ${is.name.local} is new`);
    }
  }
}
