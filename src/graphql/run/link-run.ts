import DataLoader from 'dataloader';
import { type Decoded, InputError, type replyPlans } from '../../codec/index.js';
import { collections, getOrMake, isRecord, Refusal } from '../../core/index.js';
import { decodeError, fieldError } from '../errors.js';
import type { GraphqlLimits } from '../limits.js';
import type { FieldFeed } from '../schema/feeds/feed.js';
import { HIDDEN, hiddenAlong, hiddenKey } from '../schema/feeds/hidden-slots.js';
import type { LinkBatch, Walk } from '../schema/links/link.js';
import type { LinkSelection, LinkTargetPlan } from '../schema/links/link-plan.js';
import {
  copyAlong,
  type LinkPosition,
  linkPath,
  linkPositionsIn,
  type PathNode,
  visible,
} from '../schema/links/link-walk.js';
import type { Variables } from '../schema/output/reply-plan.js';
import { argumentsOf } from './arguments.js';
import type { ErrorList } from './error-list.js';
import { compositeValue, type FedValue, fedValues, withValues } from './fed-values.js';
import type { CallInput, RequestCalls } from './field-call.js';
import type { SubschemaRun } from './subschema-run.js';

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
  readonly #loaders = new Map<string, DataLoader<BatchKey, LinkAnswer, string>>();
  readonly #batchItems: number;
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
  async fillAt(first: readonly LinkPosition[], errors: ErrorList): Promise<void> {
    let positions = first;
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
    const { batch } = link;
    const [first] = values;
    if (batch === null || first === undefined) {
      return this.#askOnce(selection, withValues(input, values));
    }
    const { composite } = batch;
    const key = composite === null ? first : compositeValue(composite, link.feeds, values);
    return this.#askTogether(selection, batch, input, key);
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
    const key = { text: textOfKey(value, batch), value };
    const loader = getOrMake(this.#loaders, input.batchName, () => {
      const ask = (values: readonly unknown[]): Promise<Decoded> =>
        this.#ask(target, withValues(input, [{ feed, value: values }]));
      const isComposite = batch.composite !== null;
      // Objects of one key may differ in what else the operation takes.
      const cacheKeyFn = ({ text, value: object }: BatchKey): string =>
        isComposite ? JSON.stringify(object) : text;
      return new DataLoader((keys) => answerKeys(keys, feed, batch, ask), {
        maxBatchSize: this.#batchItems,
        cacheKeyFn,
      });
    });
    return loader.load(key);
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
      errors.add(() => fieldError(caught, { nodes, path: linkPath(place) }));
      return [];
    };
    if (answer.failure !== null) return fail(answer.failure);
    const value = answer.value ?? null;
    if (value !== null && !this.#mayPlace(answer)) {
      return fail(this.#calls.refusal('repeatedChars'));
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

/** The answer to one link: paths of its errors begin below that. */
interface LinkAnswer extends Pick<Decoded, 'value' | 'errors' | 'furtherErrors' | 'restFailure'> {
  /** The error that was caught; null for an answer. */
  readonly failure: unknown;
}

const NO_ANSWER: LinkAnswer = { value: null, errors: [], furtherErrors: 0, failure: null };

const failed = (failure: unknown): LinkAnswer => ({ ...NO_ANSWER, failure });

/**
 * Calls a list operation with all keys. A key that cannot be written has its own error and is left
 * out: values of one backend need not be valid for another.
 */
async function answerKeys(
  keys: readonly BatchKey[],
  feed: FieldFeed,
  batch: LinkBatch,
  ask: (values: readonly unknown[]) => Promise<Decoded>,
): Promise<readonly LinkAnswer[]> {
  const answers = new Map<BatchKey, LinkAnswer>();
  let left = keys;
  for (let attempt = 0; left.length > 0; attempt++) {
    try {
      const found = answersOf(await ask(left.map(({ value }) => value)), batch, left);
      for (const [at, key] of left.entries()) {
        answers.set(key, found[at] ?? NO_ANSWER);
      }
      break;
    } catch (caught) {
      const wrong = attempt < WRONG_KEYS_MAX ? wrongKey(caught, feed, left) : null;
      for (const key of wrong === null ? left : [wrong]) {
        answers.set(key, failed(caught));
      }
      left = wrong === null ? [] : left.filter((key) => key !== wrong);
    }
  }
  return keys.map((key) => answers.get(key) ?? NO_ANSWER);
}

/** Each wrong key costs one more attempt at writing the request. */
const WRONG_KEYS_MAX = 10;

function wrongKey(
  caught: unknown,
  { argument }: FieldFeed,
  keys: readonly BatchKey[],
): BatchKey | null {
  const index = caught instanceof InputError ? caught.path[argument.length + 1] : undefined;
  return typeof index === 'number' ? (keys[index] ?? null) : null;
}

/**
 * The answers to keys from the answer of a list operation. Items are known by their keys, in
 * whatever order.
 */
function answersOf(
  decoded: Decoded,
  batch: LinkBatch,
  keys: readonly BatchKey[],
): readonly LinkAnswer[] {
  const list = hiddenAlong(decoded.value, batch.items.length);
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  const indexes = new Map<string, number[]>();
  for (const [index, item] of items.entries()) {
    const text = isRecord(item) ? textOfItem(item, batch) : null;
    if (text === null) continue;
    collections.addToGroup(indexes, text, index);
  }
  const { byItem, others } = sorted(decoded.errors, batch.items.length);
  let stray = others;
  return keys.map(({ text }, at): LinkAnswer => {
    const furtherErrors = at === 0 ? decoded.furtherErrors : 0;
    const found = indexes.get(text);
    if (found !== undefined) return answerOf(found, items, byItem, batch, furtherErrors);
    const errors = stray;
    // Without a list every key gets the errors that are of no item, else only the first one.
    if (list !== null) {
      stray = [];
    }
    return {
      ...NO_ANSWER,
      value: batch.isGrouped && list !== null ? [] : null,
      errors,
      furtherErrors,
    };
  });
}

/** The text that a key has in items: of one with several values that of all of them. */
function textOfKey(value: unknown, { isNumeric, composite }: LinkBatch): string {
  if (composite === null || !isRecord(value)) return keyText(value, isNumeric);
  const { members, parts } = composite;
  return JSON.stringify(
    parts.map((part) => keyText(value[members[part.feed] ?? ''], part.isNumeric)),
  );
}

/** The text of the key of an item; null where a value of it is missing. */
function textOfItem(item: Record<string, unknown>, batch: LinkBatch): string | null {
  const { composite } = batch;
  const valueAt = (index: number, path: readonly string[]): unknown =>
    hiddenAlong(item[hiddenKey(index)], path.length - 1);
  if (composite === null) {
    const key = valueAt(0, batch.key);
    return key === null ? null : keyText(key, batch.isNumeric);
  }
  const values = composite.parts.map(({ path }, index) => valueAt(index, path));
  if (values.includes(null)) return null;
  return JSON.stringify(
    composite.parts.map(({ isNumeric }, index) => keyText(values[index], isNumeric)),
  );
}

type ErrorsByItem = ReadonlyMap<number, readonly replyPlans.DecodeError[]>;

function answerOf(
  indexes: readonly number[],
  items: readonly unknown[],
  errors: ErrorsByItem,
  { isGrouped, itemNonNull }: LinkBatch,
  furtherErrors: number,
): LinkAnswer {
  const valueAt = (index: number): unknown => hiddenAlong(items[index], 1);
  if (!isGrouped) {
    const [first = -1] = indexes;
    const value = valueAt(first);
    return { failure: null, value, errors: errors.get(first) ?? NO_ANSWER.errors, furtherErrors };
  }
  const values = indexes.map(valueAt);
  const inOrder = indexes.flatMap((index, position) =>
    (errors.get(index) ?? []).map((error) => ({ ...error, path: [position, ...error.path] })),
  );
  const value = itemNonNull && values.includes(null) ? null : values;
  return { failure: null, value, errors: inOrder, furtherErrors };
}

/** Errors by the item they are in, their paths beginning below it; and those that are in none. */
function sorted(
  errors: readonly replyPlans.DecodeError[],
  above: number,
): { readonly byItem: ErrorsByItem; readonly others: readonly replyPlans.DecodeError[] } {
  const byItem = new Map<number, replyPlans.DecodeError[]>();
  const others: replyPlans.DecodeError[] = [];
  for (const error of errors) {
    const index = error.path[above];
    if (typeof index !== 'number' || error.path[above + 1] !== HIDDEN) {
      others.push({ ...error, path: [] });
      continue;
    }
    const known = getOrMake(byItem, index, () => []);
    known.push({ ...error, path: error.path.slice(above + 2) });
  }
  return { byItem, others };
}

/** A number that is its own shortest text. */
const SHORTEST = /^[1-9][0-9]*$/;

/** The text by which keys are compared. Of numbers it is the shortest: 007 and 7.0 are 7. */
export function keyText(value: unknown, isNumeric: boolean): string {
  const text = String(value);
  if (isNumeric && SHORTEST.test(text)) return text;
  if (!isNumeric || !/^[+-]?[0-9]+(\.[0-9]*)?$/.test(text)) return text;
  const sign = text.startsWith('-') ? '-' : '';
  let from = sign !== '' || text.startsWith('+') ? 1 : 0;
  let to = text.length;
  if (text.includes('.')) {
    while (text[to - 1] === '0') {
      to--;
    }
  }
  if (text[to - 1] === '.') {
    to--;
  }
  while (from < to - 1 && text[from] === '0' && text[from + 1] !== '.') {
    from++;
  }
  const digits = text.slice(from, to);
  return digits === '0' ? digits : sign + digits;
}

/** The key of one object. */
interface BatchKey {
  /** Equal keys have equal texts. */
  readonly text: string;
  readonly value: unknown;
}
