import type { ServiceConfig } from '../../../config/schema.js';
import { collections, tolerated } from '../../../core/index.js';
import { type ExpectedParts, soapFaults } from '../../../soap/index.js';
import { bodyKey, mayOutputBeEmpty, type Operation, type XsdType } from '../../../wsdl/index.js';
import type { QName } from '../../../xml/index.js';
import { expectedParts } from './body-parts.js';
import type { DeclaredOutputs, OutputMatch } from './declared-outputs.js';

/**
 * The rules for replies to the operations of one service, and the part of them that callers see.
 */
export interface Replies {
  detailRules(operation: Operation | null): soapFaults.DetailRules;
  isIdempotent(operation: Operation | null): boolean;
  isReply(operation: Operation | null, body: QName | null): boolean;
  mayBeEmpty(operation: Operation | null): boolean;
  /**
   * How an element matches the outputs of other operations of any service at the same addresses.
   */
  outputMatch(body: QName, own: string | null): OutputMatch;
  toleranceOf(operation: Operation | null): tolerated.Tolerance;
  replyParts(operation: Operation | null): ExpectedParts | null;
}

/** Compiles the tables that replies are validated by. `isDescribed`: there is a WSDL. */
export function compileReplies(
  config: ServiceConfig,
  isDescribed: boolean,
  operations: readonly Operation[],
  outputs: DeclaredOutputs,
): Replies {
  const policy = config.faultDetail;
  const unknown: soapFaults.DetailRules = { policy, declared: null };
  const rules = new Map(
    operations.map((operation): [Operation, soapFaults.DetailRules] => [
      operation,
      {
        policy,
        declared: isDescribed ? namesOfFaults(operation) : null,
        declaresExceptions: isDescribed && declares(operation.faults, soapFaults.EXCEPTION_DETAIL),
      },
    ]),
  );
  const idempotent = new Set(
    operations.filter(({ name }) => {
      const mapping = config.operations[name];
      return typeof mapping === 'object' && mapping.idempotent === true;
    }),
  );
  // SDL types do not declare the content of replies: what is nullable is not optional.
  const empty = new Set(operations.filter(isDescribed ? mayOutputBeEmpty : hasNoOutput));
  const expected = expectedReplies(operations, empty);
  return {
    detailRules: (operation) => (operation === null ? unknown : (rules.get(operation) ?? unknown)),
    isIdempotent: (operation) => operation !== null && idempotent.has(operation),
    isReply: (operation, body) =>
      operation === null || (expected.get(operation)?.isReply(body) ?? true),
    mayBeEmpty: (operation) => operation !== null && empty.has(operation),
    outputMatch: outputs.add(config.urls, operations),
    toleranceOf: tolerances(config, operations),
    replyParts: (operation) =>
      operation === null ? null : (expected.get(operation)?.parts ?? null),
  };
}

function tolerances(
  { tolerate = [], operations: mappings }: ServiceConfig,
  operations: readonly Operation[],
): Replies['toleranceOf'] {
  const ofService: tolerated.Tolerance =
    tolerate.length === 0 ? tolerated.STRICT : new Set(tolerate);
  const own = new Map<Operation, tolerated.Tolerance>();
  for (const operation of operations) {
    const mapping = mappings[operation.name];
    const { tolerate: further = [] } = typeof mapping === 'object' ? mapping : {};
    if (further.length > 0) {
      own.set(operation, new Set([...tolerate, ...further]));
    }
  }
  return (operation) => (operation === null ? ofService : (own.get(operation) ?? ofService));
}

/** Stacks write the name of the fault, of its element, or of the class behind it. */
const namesOfFaults = ({ faults }: Operation): ReadonlySet<string> =>
  new Set(faults.flatMap(({ name, element }) => [element.name.local, name]));

/** Whether an element of this name is declared within the types of Faults. */
function declares(faults: Operation['faults'], local: string): boolean {
  const types = new Set<XsdType>(faults.map(({ element }) => element.type));
  for (const type of types) {
    if (type.kind === 'simple') continue;
    for (const derived of type.derived) {
      types.add(derived);
    }
    const particles = type.content.kind === 'elements' ? [type.content.particle] : [];
    for (const particle of particles) {
      if (particle.kind === 'any') continue;
      if (particle.kind !== 'one') {
        particles.push(...particle.particles);
      } else if (particle.element.name.local === local) {
        return true;
      } else {
        types.add(particle.element.type);
      }
    }
  }
  return false;
}

type Expectation = (body: QName | null) => boolean;

interface ExpectedReply {
  readonly isReply: Expectation;
  /** Null where Body has one child. */
  readonly parts: ExpectedParts | null;
}

const hasNoOutput = ({ output, isDoneWithoutContent }: Operation): boolean =>
  output === null || output.body === null || isDoneWithoutContent === true;

/** `empty`: the operations whose output may be empty. */
function expectedReplies(
  operations: readonly Operation[],
  empty: ReadonlySet<Operation>,
): ReadonlyMap<Operation, ExpectedReply> {
  // Overloaded operations share their request: any of their replies may come.
  const byRequest = collections.groupBy(operations, bodyKey);
  const outputs = new Set(
    operations.flatMap(({ output }) => (output?.body ? [output.body.name.local] : [])),
  );
  const expected = new Map<Operation, ExpectedReply>();
  for (const group of byRequest.values()) {
    const expectations = group.map((operation) =>
      expectationOf(operation, outputs, empty.has(operation)),
    );
    const isReply: Expectation = (body) => expectations.some((expectation) => expectation(body));
    // Stacks leave away what is null: missing parts are left to the validator.
    const partsOf = expectedParts(
      group.flatMap(({ output }) => output ?? []),
      false,
    );
    for (const operation of group) {
      expected.set(operation, { isReply, parts: partsOf(operation.output) });
    }
  }
  return expected;
}

/**
 * `outputs`: the local names of all replies of the service; `mayBeEmpty`: the output may be empty.
 */
function expectationOf(
  { name, output, style, use, status }: Operation,
  outputs: ReadonlySet<string>,
  mayBeEmpty: boolean,
): Expectation {
  // A one-way operation has no reply but a Fault that would be passed on anyway.
  if (output === null) return () => true;
  const expected = output.body?.name ?? { uri: '', local: `${name}Response` };
  // Encoded services name their wrappers freely (SOAP 1.1 section 7.1): only what belongs to
  // another operation is certainly not theirs.
  if (status === 'disabled' || use === 'encoded') {
    return (body) => body === null || body.local === expected.local || !outputs.has(body.local);
  }
  // The namespace of an rpc wrapper is one that stacks disagree about.
  const anyNamespace = style !== 'document' || output.body === null;
  return (body) =>
    body === null
      ? mayBeEmpty
      : body.local === expected.local && (anyNamespace || body.uri === expected.uri);
}
