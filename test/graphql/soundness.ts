import type { Decoded, FieldSlot, ObjectPlan } from '../../src/codec/plan/reply/reply-plan.js';
import type { Compiled } from '../../src/compile.js';
import { defaultsOf } from '../../src/core/limit.js';
import { Refusal } from '../../src/core/refusals/refusal.js';
import { type Admission, type Admitted, admit } from '../../src/graphql/admission/admit.js';
import { CostTable } from '../../src/graphql/admission/cost/cost-table.js';
import { DocumentCache } from '../../src/graphql/admission/document-cache.js';
import { GRAPHQL_LIMITS, type GraphqlLimits } from '../../src/graphql/limits.js';
import { executeOperation } from '../../src/graphql/run/execute.js';
import type { FieldCall } from '../../src/graphql/run/field-call.js';
import { Random } from '../codec/random-values.js';
import { compileAlone } from '../kit/configuration.js';
import { measure, refusalCodesOf } from './brute-force.js';
import {
  randomOperation,
  SERVICES,
  type Selection,
  type Spelled,
  type Spelling,
  spell,
} from './random-operations.js';

/**
 * Lower than by default, so that every one of them is met; tokens and parts of documents are not in
 * question.
 */
const LIMITS: GraphqlLimits = {
  ...defaultsOf(GRAPHQL_LIMITS),
  tokens: 100_000,
  characters: 10_000_000,
  depth: 7,
  aliases: 6,
  rootFields: 4,
  directives: 5,
  selections: 150,
  fragmentHeight: 4,
  cost: 700,
  assumedReplySize: 40,
  batchItems: 7,
};

const SPELLINGS: readonly Spelling[] = (['named', 'inline'] as const).flatMap((fragments) =>
  (['literal', 'variable', 'default'] as const).map((values) => ({
    fragments,
    values,
    aliasPrefix: `${fragments[0]}x`,
  })),
);

/** What the checks of many operations came to. */
export interface Soundness {
  operations: number;
  admitted: number;
  /** By code. */
  readonly refused: Map<string, number>;
  calls: number;
  staticCalls: number;
  /** What should not have been. */
  readonly failures: string[];
}

export const startSoundness = (): Promise<Compiled> => compileAlone(SERVICES);

/**
 * Admits operations in every spelling, beside the brute-force evaluator, and runs those that may
 * against full lists.
 */
export async function checkSoundness(
  { graph }: Compiled,
  count: number,
  seed: number,
): Promise<Soundness> {
  const found: Soundness = {
    operations: 0,
    admitted: 0,
    refused: new Map(),
    calls: 0,
    staticCalls: 0,
    failures: [],
  };
  const random = new Random(seed);
  const { schema, links, fields } = graph;
  const costs = new CostTable({ schema, links, fields, limits: LIMITS });
  const admission = (): Admission => ({
    schema,
    limits: LIMITS,
    introspection: true,
    documents: new DocumentCache(),
    costs,
  });
  for (; found.operations < count && found.failures.length < 5; found.operations++) {
    const operation = randomOperation(random);
    const spelled = SPELLINGS.map((each) => spell(operation, each));
    const outcomes = spelled.map((each) => outcomeOf(each, admission()));
    const [first] = outcomes;
    const [text] = spelled;
    if (first === undefined || text === undefined) throw new Error('no spelling');
    const codes = outcomes.map(({ code }) => code);
    if (new Set(codes).size > 1)
      found.failures.push(`spellings differ: ${codes.join()} ${text.query}`);
    const costsTold = new Set(outcomes.map(({ admitted }) => admitted?.cost ?? null));
    if (costsTold.size > 1)
      found.failures.push(`costs differ: ${[...costsTold].join()} ${text.query}`);
    compare(operation, first, text, found);
    if (first.admitted === null) {
      found.refused.set(first.code, (found.refused.get(first.code) ?? 0) + 1);
      continue;
    }
    found.admitted++;
    const calls = await run(first.admitted, graph);
    const { estimate, cost } = first.admitted;
    found.calls += calls;
    found.staticCalls += estimate.calls;
    if (calls > estimate.calls)
      found.failures.push(`${calls} calls, ${estimate.calls} were expected: ${text.query}`);
    if (calls * LIMITS.callCost > cost)
      found.failures.push(`${calls} calls for ${cost} points: ${text.query}`);
  }
  return found;
}

interface Outcome {
  readonly code: string;
  readonly admitted: Admitted | null;
}

function outcomeOf({ query, variables }: Spelled, admission: Admission): Outcome {
  try {
    return {
      code: 'admitted',
      admitted: admit({ query, variables, operationName: null }, admission),
    };
  } catch (caught) {
    if (!(caught instanceof Refusal)) throw caught;
    return { code: caught.code, admitted: null };
  }
}

function compare(
  operation: readonly Selection[],
  outcome: Outcome,
  { query }: Spelled,
  found: Soundness,
): void {
  const measured = measure(operation, LIMITS);
  const allowed = refusalCodesOf(measured, LIMITS);
  const isRight = allowed.size === 0 ? outcome.admitted !== null : allowed.has(outcome.code);
  if (!isRight)
    found.failures.push(
      `${outcome.code}, not ${[...allowed].join(' or ') || 'admitted'}: ${query}`,
    );
  const cost = outcome.admitted?.cost;
  if (cost !== undefined && measured !== null && cost !== measured.points) {
    found.failures.push(`${cost} points, not ${measured.points}: ${query}`);
  }
}

/**
 * Runs an operation against backends whose lists are as long as they can be, and answers how often
 * they were asked. A reply brings `assumedReplySize` objects in lists of unknown size, or
 * `assumedListSize` for each of the others.
 */
async function run(admitted: Admitted, graph: Compiled['graph']): Promise<number> {
  let calls = 0;
  let next = 0;
  const callField = async (call: FieldCall): Promise<Decoded> => {
    calls++;
    const { ids, first } = call.arguments;
    const keys = Array.isArray(ids) ? ids : null;
    const known = keys?.length ?? (typeof first === 'number' ? first : null);
    const full = (): { left: number } => ({
      left: Math.max(LIMITS.assumedReplySize, (known ?? 1) * LIMITS.assumedListSize),
    });
    const aliased = new Map<FieldSlot, { left: number }>();
    const scalar = (name: string, slot: FieldSlot): unknown => {
      if (slot.source.from === 'constant') return slot.source.value;
      // No two keys are the same: nothing is asked once for many.
      return name === 'Int' ? ++next : `${++next}`;
    };
    const object = (
      { declared }: ObjectPlan,
      key: unknown,
      room: { left: number },
    ): Record<string, unknown> =>
      Object.fromEntries(
        (declared?.slots ?? []).map((slot) => {
          const name = slot.source.from === 'child' ? slot.source.name.local : slot.key;
          // An alias has the same lists again, all its places together.
          const again = aliased.get(slot) ?? full();
          if (slot.key !== name) aliased.set(slot, again);
          const own = slot.key === name ? room : again;
          return [slot.key, name === 'id' && key !== null ? key : value(slot, null, null, own)];
        }),
      );
    const value = (
      slot: FieldSlot,
      items: number | null,
      given: readonly unknown[] | null,
      room: { left: number },
    ): unknown => {
      const one = (key: unknown): unknown => {
        if (slot.value.kind === 'object') return object(slot.value, key, room);
        return slot.value.kind === 'scalar' ? scalar(slot.value.scalar.name, slot) : '';
      };
      if (!slot.list) return one(null);
      const length = items ?? Math.min(LIMITS.assumedListSize, room.left);
      if (items === null) room.left -= length;
      return Array.from({ length }, (_, at) => one(given?.[at] ?? null));
    };
    const [slot] = call.plan.value.declared?.slots ?? [];
    const isUnwrapped = call.plan.shape === 'unwrap' && slot !== undefined;
    const answer = isUnwrapped
      ? value(slot, known, keys, full())
      : object(call.plan.value, null, full());
    return { value: answer, errors: [], furtherErrors: 0 };
  };
  const { signal } = new AbortController();
  await executeOperation(admitted, { built: graph, callField, signal, limits: LIMITS });
  return calls;
}
