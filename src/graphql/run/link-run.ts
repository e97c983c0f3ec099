import { Refusal } from '../../base/refusal.js';
import type { Decoded } from '../../codec/plan/plan.js';
import { decodeError, fieldError } from '../errors.js';
import type { GraphqlLimits } from '../limits.js';
import type { LinkBatch } from '../links/link.js';
import type { LinkSelection, LinkTargetPlan } from '../links/link-plan.js';
import { HIDDEN } from '../links/link-slots.js';
import { copyAlong, type Place, pathOf, type Site, sitesOf, visible } from '../links/link-walk.js';
import type { Walk } from '../links/walk.js';
import type { Variables } from '../output/reply-plan.js';
import { argumentsOf } from './arguments.js';
import type { ErrorList } from './error-list.js';
import { type RequestCalls, Turns } from './field-call.js';
import { answerKeys, failed, keyText, type LinkAnswer, NO_ANSWER } from './link-answer.js';
import { LinkBatches } from './link-batches.js';
import { type FedValue, fedValues, type Given, withValues } from './link-feed.js';
import type { SubschemaRun } from './subschema-run.js';

/** With what names a group of calls that differ in their keys only. */
interface GivenText extends Given {
  readonly text: string;
}

/**
 * The links of one request. The same thing is asked once, whoever needs it; links of one level are asked for together,
 * those beneath them when all are answered.
 */
export class LinkRun {
  readonly #selections: ReadonlyMap<string, LinkSelection>;
  readonly #variables: Variables;
  readonly #calls: RequestCalls;
  readonly #subschemas: SubschemaRun;
  readonly #turns: Turns;
  readonly #batches: LinkBatches<LinkAnswer>;
  readonly #asked = new Map<string, Promise<LinkAnswer>>();
  readonly #given = new Map<LinkSelection, GivenText | Refusal>();
  /** The length of answers that stand in the response already. */
  readonly #placed = new Map<LinkAnswer, number | null>();
  #sitesLeft: number;
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
    this.#turns = new Turns(limits.callsAtOnce);
    this.#batches = new LinkBatches(limits.batchItems);
    this.#sitesLeft = limits.links;
    this.#charsLeft = limits.repeatedChars;
  }

  /** What was answered before something has changed is asked again. */
  forget(): void {
    this.#asked.clear();
    this.#batches.forget();
  }

  /** Puts the answers of links into a value, level by level. Rejects with `CLIENT_GONE`. */
  async fill(value: unknown, walk: Walk, place: Place, errors: ErrorList): Promise<void> {
    let sites = sitesOf(value, walk, place);
    while (sites.length > 0) {
      const answers = await Promise.all(
        sites.map((site): Promise<LinkAnswer> | LinkAnswer => this.#answer(site, this.#selectionOf(site))),
      );
      this.#calls.throwIfGone();
      sites = sites.flatMap((site, at) => this.#put(site, this.#selectionOf(site), answers[at] ?? NO_ANSWER, errors));
    }
  }

  #selectionOf({ mark }: Site): LinkSelection {
    const selection = this.#selections.get(String(mark[HIDDEN]));
    if (selection === undefined) throw new Error('a link that was not planned');
    return selection;
  }

  #answer(site: Site, selection: LinkSelection): Promise<LinkAnswer> | LinkAnswer {
    if (this.#sitesLeft === 0) return failed(this.#calls.refusal('links'));
    this.#sitesLeft--;
    const { link } = selection;
    let values: readonly FedValue[] | null;
    try {
      values = fedValues(link.feeds, site.mark);
    } catch (caught) {
      return failed(caught);
    }
    if (values === null) return NO_ANSWER;
    const given = this.#givenTo(selection);
    if (given instanceof Refusal) return failed(given);
    const [first] = values;
    if (link.batch === null || first === undefined) return this.#askOnce(selection, withValues(given, values));
    return this.#askTogether(selection, link.batch, given, first);
  }

  #askOnce({ target }: LinkSelection, given: Given): Promise<LinkAnswer> {
    const key = `${target.id} ${JSON.stringify([given.arguments, given.headers])}`;
    const known = this.#asked.get(key);
    if (known !== undefined) return known;
    const asked = this.#ask(target, given).then(
      (decoded): LinkAnswer => ({ ...decoded, failure: null }),
      (caught: unknown) => failed(caught),
    );
    this.#asked.set(key, asked);
    return asked;
  }

  #askTogether(
    { target }: LinkSelection,
    batch: LinkBatch,
    given: GivenText,
    { feed, value }: FedValue,
  ): Promise<LinkAnswer> {
    const key = { text: keyText(value, batch.isNumeric), value };
    return this.#batches.load(given.text, key, (keys) =>
      answerKeys(keys, feed, batch, (values) => {
        return this.#ask(target, withValues(given, [{ feed, value: values }]));
      }),
    );
  }

  #ask({ ask }: LinkTargetPlan, given: Given): Promise<Decoded> {
    // What services that speak GraphQL are asked at the same time is one call: taking turns would make it many.
    if (ask.kind === 'subschema') {
      const { plan } = ask;
      return this.#calls.counted(
        () => this.#subschemas.answer(plan, given.arguments),
        plan.field.cost,
        given.arguments,
        () => this.#subschemas.takeCalls(),
      );
    }
    return this.#turns.run(() => this.#calls.call({ ...given, bound: ask.bound, plan: ask.reply }));
  }

  /** The arguments that the link has in the document. */
  #givenTo(selection: LinkSelection): GivenText | Refusal {
    let given = this.#given.get(selection);
    if (given === undefined) {
      given = this.#readGiven(selection);
      this.#given.set(selection, given);
    }
    return given;
  }

  #readGiven({ link, nodes, target }: LinkSelection): GivenText | Refusal {
    const [node] = nodes;
    if (node === undefined) throw new Error('a link without a node');
    try {
      const given = argumentsOf(link.definition, node, this.#variables, link.called.headersArgument);
      const path = link.feeds[0]?.argument.join('.');
      return { ...given, text: `${target.id} ${path} ${JSON.stringify([given.arguments, given.headers])}` };
    } catch (caught) {
      if (caught instanceof Refusal) return caught;
      throw caught;
    }
  }

  /** Puts an answer into its place and returns the links in it. */
  #put(site: Site, { nodes, target }: LinkSelection, answer: LinkAnswer, errors: ErrorList): readonly Site[] {
    const { owner, key, place } = site;
    const fail = (caught: unknown): readonly Site[] => {
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
    return target.walk === null ? [] : sitesOf(owner[key], target.walk, place);
  }

  /** Where one answer stands in many places the response could grow far beyond what backends have sent. */
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
