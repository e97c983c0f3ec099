import type { Decoded } from '../../codec/index.js';
import { collections, getOrMake, Refusal } from '../../core/index.js';
import { decodeError, fieldError } from '../errors.js';
import type { GraphqlLimits } from '../limits.js';
import { HIDDEN } from '../schema/feeds/hidden-slots.js';
import type { LinkBatch, Walk } from '../schema/links/link.js';
import type { LinkSelection, LinkTargetPlan } from '../schema/links/link-plan.js';
import {
  type AnswerPosition,
  copyAlong,
  type LinkPosition,
  linkPath,
  linkPositionsIn,
  type PathNode,
  visible,
} from '../schema/links/link-walk.js';
import type { Variables } from '../schema/output/reply-plan.js';
import { argumentsOf, hasVariables } from './arguments.js';
import type { ErrorList } from './error-list.js';
import { compositeValue, type FedValue, fedValues, withValues } from './fed-values.js';
import type { CallInput, RequestCalls } from './field-call.js';
import { answerKeys, textOfKey } from './key-answers.js';
import { KeyLoader } from './key-loader.js';
import { AskedLink, failed, NO_ANSWER } from './link-answer.js';
import type { SubschemaRun } from './subschema-run.js';

/** The position of the object that a representation stands for. */
export interface EntityPosition extends AnswerPosition {
  /** The id of the selection of its key. */
  readonly id: string;
  /** The values that fill the arguments of the call; null for none. */
  readonly values: readonly FedValue[] | null;
}

type Position = LinkPosition | EntityPosition;

/** Input that calls share which differ in their keys only. */
interface SharedInput extends CallInput {
  /** Names the batch that such calls are collected in. */
  readonly batchName: string;
}

/**
 * Answers the links of one request. Equal calls are made once; links of one level are called
 * together, those beneath them when all are answered.
 */
export class LinkRun {
  readonly #selections: ReadonlyMap<string, LinkSelection>;
  readonly #variables: Variables;
  readonly #calls: RequestCalls;
  readonly #subschemas: SubschemaRun;
  readonly #concurrency: collections.ConcurrencyLimit;
  /** The links that are called at the same time, each key once, by the call that answers them. */
  readonly #loaders = new Map<string, KeyLoader>();
  readonly #batchItems: number;
  readonly #asked = new Map<string, AskedLink>();
  readonly #inputs = new Map<LinkSelection, SharedInput | Refusal>();
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
    this.#concurrency = new collections.ConcurrencyLimit(limits.callsAtOnce);
    this.#batchItems = limits.batchItems;
    this.#linksLeft = limits.links;
    this.#charsLeft = limits.repeatedChars;
  }

  /** Forgets all answers: a mutation may have changed them. */
  forget(): void {
    this.#asked.clear();
    this.#loaders.clear();
  }

  /** Puts the answers of links into a value, level by level. Rejects with `CLIENT_GONE`. */
  async fill(value: unknown, walk: Walk, place: PathNode, errors: ErrorList): Promise<void> {
    await this.fillAt(linkPositionsIn(value, walk, place), errors);
  }

  /** Puts answers into these positions, and into those of links in them. Rejects as `fill` does. */
  async fillAt(first: readonly Position[], errors: ErrorList): Promise<void> {
    let positions = first;
    while (positions.length > 0) {
      const asked = positions.map((position) =>
        this.#answer(position, this.#selectionOf(position)),
      );
      await Promise.all(new Set(asked.map(({ done }) => done)));
      this.#calls.throwIfGone();
      positions = positions.flatMap((position, at) =>
        this.#put(position, this.#selectionOf(position), asked[at] ?? NOT_ASKED, errors),
      );
    }
  }

  #selectionOf(position: Position): LinkSelection {
    const id = 'id' in position ? position.id : String(position.feedValues[HIDDEN]);
    const selection = this.#selections.get(id);
    if (selection === undefined) throw new Error('a link that was not planned');
    return selection;
  }

  #answer(position: Position, selection: LinkSelection): AskedLink {
    if (this.#linksLeft === 0) return AskedLink.failed(this.#calls.refusal('links'));
    this.#linksLeft--;
    if (selection.isForbidden) return AskedLink.failed(new Refusal('FORBIDDEN'));
    const { link } = selection;
    let values: readonly FedValue[] | null;
    try {
      values = 'id' in position ? position.values : fedValues(link.feeds, position.feedValues);
    } catch (caught) {
      return AskedLink.failed(caught);
    }
    if (values === null) return NOT_ASKED;
    const input = this.#inputOf(selection);
    if (input instanceof Refusal) return AskedLink.failed(input);
    const { batch } = link;
    const [first] = values;
    if (batch === null || first === undefined) {
      return this.#askOnce(selection, withValues(input, values));
    }
    const { composite } = batch;
    const key = composite === null ? first : compositeValue(composite, link.feeds, values);
    return this.#askTogether(selection, batch, input, key);
  }

  #askOnce({ target }: LinkSelection, input: CallInput): AskedLink {
    const key = `${target.id} ${JSON.stringify([input.arguments, input.headers])}`;
    return getOrMake(this.#asked, key, () => {
      const asked: AskedLink = new AskedLink(
        this.#ask(target, input).then(
          (decoded) => {
            asked.answer = { ...decoded, failure: null };
          },
          (caught: unknown) => {
            asked.answer = failed(caught);
          },
        ),
      );
      return asked;
    });
  }

  #askTogether(
    { target }: LinkSelection,
    batch: LinkBatch,
    input: SharedInput,
    { feed, value }: FedValue,
  ): AskedLink {
    const loader = getOrMake(this.#loaders, input.batchName, () => {
      const ask = (values: readonly unknown[]): Promise<Decoded> =>
        this.#ask(target, withValues(input, [{ feed, value: values }]));
      return new KeyLoader((keys) => answerKeys(keys, feed, batch, ask), this.#batchItems);
    });
    const text = textOfKey(value, batch);
    // Objects of one key may differ in what else the operation takes.
    const name = batch.composite === null ? text : JSON.stringify(value);
    return loader.load({ text, value }, name);
  }

  #ask({ ask }: LinkTargetPlan, input: CallInput): Promise<Decoded> {
    // Fields of one subschema that are requested at the same time are one call: a concurrency limit
    // would make it many.
    if (ask.kind === 'subschema') {
      const { plan } = ask;
      return this.#calls.counted(
        () => this.#subschemas.answer(plan, input.arguments),
        plan.field.cost,
        input.arguments,
        () => this.#subschemas.takeCalls(),
      );
    }
    const { bound, reply: plan, pages = null } = ask;
    return this.#concurrency.run(() => this.#calls.call({ ...input, bound, plan, pages }));
  }

  /** The arguments that the link has in the document. */
  #inputOf(selection: LinkSelection): SharedInput | Refusal {
    const known = this.#inputs.get(selection) ?? FIXED_INPUTS.get(selection);
    if (known !== undefined) return known;
    const input = this.#readInput(selection);
    if (input instanceof Refusal || selection.nodes.some(hasVariables)) {
      this.#inputs.set(selection, input);
    } else {
      FIXED_INPUTS.set(selection, input);
    }
    return input;
  }

  #readInput({ link, nodes, target }: LinkSelection): SharedInput | Refusal {
    const [node] = nodes;
    if (node === undefined) throw new Error('a link without a node');
    try {
      const input = argumentsOf(
        link.definition,
        node,
        this.#variables,
        link.called.headersArgument,
      );
      const path = link.feeds[0]?.argument.join('.');
      return {
        ...input,
        batchName: `${target.id} ${path} ${JSON.stringify([input.arguments, input.headers])}`,
      };
    } catch (caught) {
      if (caught instanceof Refusal) return caught;
      throw caught;
    }
  }

  /** Puts an answer into its position and returns the links in it. */
  #put(
    { owner, key, place }: Position,
    { nodes, target }: LinkSelection,
    asked: AskedLink,
    errors: ErrorList,
  ): readonly LinkPosition[] {
    const answer = asked.answer ?? NO_ANSWER;
    const value = answer.value ?? null;
    const failure =
      answer.failure === null && value !== null && !this.#mayPlace(asked, value)
        ? this.#calls.refusal('repeatedChars')
        : answer.failure;
    if (failure !== null) {
      owner[key] = null;
      errors.add(() => fieldError(failure, { nodes, path: linkPath(place) }));
      return NO_POSITIONS;
    }
    for (const error of answer.errors) {
      const path = visible(error.path);
      errors.add(() => decodeError({ ...error, path }, { nodes, path: linkPath(place) }));
    }
    errors.addFurther(answer.furtherErrors);
    if (answer.restFailure !== undefined) {
      errors.add(() => fieldError(answer.restFailure, { nodes, path: linkPath(place) }));
    }
    owner[key] = target.walk === null ? value : copyAlong(value, target.walk);
    return target.walk === null ? NO_POSITIONS : linkPositionsIn(owner[key], target.walk, place);
  }

  /** Bounds the response: one answer in many places could make it far larger than all replies. */
  #mayPlace(asked: AskedLink, value: unknown): boolean {
    if (!asked.isPlaced) {
      asked.isPlaced = true;
      return true;
    }
    asked.chars ??= JSON.stringify(value).length;
    this.#charsLeft -= asked.chars;
    return this.#charsLeft >= 0;
  }
}

/** The input of selections that depends on no variable. */
const FIXED_INPUTS = new WeakMap<LinkSelection, SharedInput>();

const NO_POSITIONS: readonly LinkPosition[] = [];

/** A link whose values make no call: it is null. */
const NOT_ASKED = new AskedLink(null, NO_ANSWER);
