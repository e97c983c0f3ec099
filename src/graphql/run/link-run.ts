import { ConcurrencyLimit } from '../../base/concurrency-limit.js';
import { Refusal } from '../../base/refusals/refusal.js';
import type { Decoded } from '../../codec/plan/plan.js';
import { decodeError, fieldError } from '../errors.js';
import type { GraphqlLimits } from '../limits.js';
import type { LinkBatch } from '../links/link.js';
import type { LinkSelection, LinkTargetPlan } from '../links/link-plan.js';
import { HIDDEN } from '../links/link-slots.js';
import { copyAlong, type LinkPosition, linkPositionsIn, type PathNode, pathOf, visible } from '../links/link-walk.js';
import type { Walk } from '../links/walk.js';
import type { Variables } from '../output/reply-plan.js';
import { argumentsOf } from './arguments.js';
import type { ErrorList } from './error-list.js';
import type { RequestCalls } from './field-call.js';
import { answerKeys, failed, keyText, type LinkAnswer, NO_ANSWER } from './link-answer.js';
import { LinkBatches } from './link-batches.js';
import { type CallInput, type FedValue, fedValues, withValues } from './link-feed.js';
import type { SubschemaRun } from './subschema-run.js';

/** Input that calls share which differ in their keys only. */
interface SharedInput extends CallInput {
  /** Names the batch that such calls are collected in. */
  readonly batchName: string;
}

/**
 * Answers the links of one request. Equal calls are made once; links of one level are called together, those beneath
 * them when all are answered.
 */
export class LinkRun {
  readonly #selections: ReadonlyMap<string, LinkSelection>;
  readonly #variables: Variables;
  readonly #calls: RequestCalls;
  readonly #subschemas: SubschemaRun;
  readonly #concurrency: ConcurrencyLimit;
  readonly #batches: LinkBatches<LinkAnswer>;
  readonly #asked = new Map<string, Promise<LinkAnswer>>();
  readonly #inputs = new Map<LinkSelection, SharedInput | Refusal>();
  /** The length of answers that are in the response already. */
  readonly #placed = new Map<LinkAnswer, number | null>();
  #linksLeft: number;
  #charsLeft: number;

  constructor(
    selections: ReadonlyMap<string, LinkSelection>,
    variables: Variables,
    calls: RequestCalls,
    subschemas: SubschemaRun,
    limits: GraphqlLimits,
  ) {
    this.#subschemas = subschemas;
    this.#selections = selections;
    this.#variables = variables;
    this.#calls = calls;
    this.#concurrency = new ConcurrencyLimit(limits.callsAtOnce);
    this.#batches = new LinkBatches(limits.batchItems);
    this.#linksLeft = limits.links;
    this.#charsLeft = limits.repeatedChars;
  }

  /** Forgets all answers: a mutation may have changed them. */
  forget(): void {
    this.#asked.clear();
    this.#batches.forget();
  }

  /** Puts the answers of links into a value, level by level. Rejects with `CLIENT_GONE`. */
  async fill(value: unknown, walk: Walk, place: PathNode, errors: ErrorList): Promise<void> {
    let positions = linkPositionsIn(value, walk, place);
    while (positions.length > 0) {
      const answers = await Promise.all(
        positions.map((position): Promise<LinkAnswer> | LinkAnswer =>
          this.#answer(position, this.#selectionOf(position)),
        ),
      );
      this.#calls.throwIfGone();
      positions = positions.flatMap((position, at) =>
        this.#put(position, this.#selectionOf(position), answers[at] ?? NO_ANSWER, errors),
      );
    }
  }

  #selectionOf({ feedValues }: LinkPosition): LinkSelection {
    const selection = this.#selections.get(String(feedValues[HIDDEN]));
    if (selection === undefined) throw new Error('a link that was not planned');
    return selection;
  }

  #answer(position: LinkPosition, selection: LinkSelection): Promise<LinkAnswer> | LinkAnswer {
    if (this.#linksLeft === 0) return failed(this.#calls.refusal('links'));
    this.#linksLeft--;
    if (selection.isForbidden) return failed(new Refusal('FORBIDDEN'));
    const { link } = selection;
    let values: readonly FedValue[] | null;
    try {
      values = fedValues(link.feeds, position.feedValues);
    } catch (caught) {
      return failed(caught);
    }
    if (values === null) return NO_ANSWER;
    const input = this.#inputOf(selection);
    if (input instanceof Refusal) return failed(input);
    const [first] = values;
    if (link.batch === null || first === undefined) return this.#askOnce(selection, withValues(input, values));
    return this.#askTogether(selection, link.batch, input, first);
  }

  #askOnce({ target }: LinkSelection, input: CallInput): Promise<LinkAnswer> {
    const key = `${target.id} ${JSON.stringify([input.arguments, input.headers])}`;
    const known = this.#asked.get(key);
    if (known !== undefined) return known;
    const asked = this.#ask(target, input).then(
      (decoded): LinkAnswer => ({ ...decoded, failure: null }),
      (caught: unknown) => failed(caught),
    );
    this.#asked.set(key, asked);
    return asked;
  }

  #askTogether(
    { target }: LinkSelection,
    batch: LinkBatch,
    input: SharedInput,
    { feed, value }: FedValue,
  ): Promise<LinkAnswer> {
    const key = { text: keyText(value, batch.isNumeric), value };
    return this.#batches.load(input.batchName, key, (keys) =>
      answerKeys(keys, feed, batch, (values) => {
        return this.#ask(target, withValues(input, [{ feed, value: values }]));
      }),
    );
  }

  #ask({ ask }: LinkTargetPlan, input: CallInput): Promise<Decoded> {
    // Fields of one subschema that are requested at the same time are one call: a concurrency limit would make it many.
    if (ask.kind === 'subschema') {
      const { plan } = ask;
      return this.#calls.counted(
        () => this.#subschemas.answer(plan, input.arguments),
        plan.field.cost,
        input.arguments,
        () => this.#subschemas.takeCalls(),
      );
    }
    return this.#concurrency.run(() => this.#calls.call({ ...input, bound: ask.bound, plan: ask.reply }));
  }

  /** The arguments that the link has in the document. */
  #inputOf(selection: LinkSelection): SharedInput | Refusal {
    const known = this.#inputs.get(selection);
    if (known !== undefined) return known;
    const input = this.#readInput(selection);
    this.#inputs.set(selection, input);
    return input;
  }

  #readInput({ link, nodes, target }: LinkSelection): SharedInput | Refusal {
    const [node] = nodes;
    if (node === undefined) throw new Error('a link without a node');
    try {
      const input = argumentsOf(link.definition, node, this.#variables, link.called.headersArgument);
      const path = link.feeds[0]?.argument.join('.');
      return { ...input, batchName: `${target.id} ${path} ${JSON.stringify([input.arguments, input.headers])}` };
    } catch (caught) {
      if (caught instanceof Refusal) return caught;
      throw caught;
    }
  }

  /** Puts an answer into its place and returns the links in it. */
  #put(
    position: LinkPosition,
    { nodes, target }: LinkSelection,
    answer: LinkAnswer,
    errors: ErrorList,
  ): readonly LinkPosition[] {
    const { owner, key, place } = position;
    const fail = (caught: unknown): readonly LinkPosition[] => {
      owner[key] = null;
      errors.add(() => fieldError(caught, { nodes, path: pathOf(place) }));
      return [];
    };
    if (answer.failure !== null) return fail(answer.failure);
    const value = answer.value ?? null;
    if (value !== null && !this.#mayPlace(answer)) return fail(this.#calls.refusal('repeatedChars'));
    for (const error of answer.errors) {
      const path = visible(error.path);
      errors.add(() => decodeError({ ...error, path }, { nodes, path: pathOf(place) }));
    }
    errors.addFurther(answer.furtherErrors);
    owner[key] = target.walk === null ? value : copyAlong(value, target.walk);
    return target.walk === null ? [] : linkPositionsIn(owner[key], target.walk, place);
  }

  /** Bounds the response: one answer in many places could make it far larger than all replies. */
  #mayPlace(answer: LinkAnswer): boolean {
    const known = this.#placed.get(answer);
    if (known === undefined) {
      this.#placed.set(answer, null);
      return true;
    }
    const chars = known ?? JSON.stringify(answer.value).length;
    this.#placed.set(answer, chars);
    this.#charsLeft -= chars;
    return this.#charsLeft >= 0;
  }
}
