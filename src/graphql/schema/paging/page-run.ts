import {
  type Decoded,
  InputError,
  type replyDecoding,
  type replyPlans,
} from '../../../codec/index.js';
import { Refusal } from '../../../core/index.js';
import {
  type ConnectionParts,
  type ConnectionRow,
  connectionValue,
  pageOf,
  type RowPage,
  rowErrors,
  rowValue,
} from './connection.js';
import { type PagePosition, printCursor, readCursor } from './cursor.js';
import { pageBehind, pagesAhead } from './next-page.js';
import type { PagePlan } from './page-plan.js';

/** How pages are asked for. */
export interface PageSource {
  /**
   * Asks for a page by its lexical name; null: the first, without one. Rejects with a `Refusal`.
   */
  ask(page: string | null, isFirst: boolean): Promise<Decoded>;
  /** Throws `CLIENT_GONE` when the client has gone. */
  throwIfGone(): void;
  /** The refusal of more pages than `pagesMax`. */
  refusal(): Refusal;
  readonly pagesMax: number;
  /** Pages that are asked for side by side. */
  readonly atOnce: number;
  /** Gets the rows page by page; null where they are kept. */
  readonly items: replyDecoding.ItemReceiver | null;
  /** Resolves when `items` takes more. Rejects with `CLIENT_GONE`. */
  taken(): Promise<void>;
}

/** The rows that a client asks for. */
export interface WantedRows {
  /** How many; null: those of one page. */
  readonly first: number | null;
  /** The cursor that they stand behind; null: from the beginning. */
  readonly after: string | null;
  /** Names them in cursors (`rowsName`). */
  readonly name: string;
}

/** Answers one paged field: asks for as many pages as its rows take, and keeps their order. */
export class PageRun {
  readonly #plan: PagePlan;
  readonly #wanted: WantedRows;
  readonly #source: PageSource;
  /**
   * The key of the rows that are handed out and not kept; null where they are kept, for links among
   * others.
   */
  readonly #handedOut: string | null;
  readonly #rows: ConnectionRow[] = [];
  /** Rows that were taken, and the position behind the last. */
  #count = 0;
  #lastPlace: PagePosition | null = null;
  readonly #errors: replyPlans.DecodeError[] = [];
  readonly #digests = new Set<string>();
  readonly #names = new Set<string>();
  /** Pages that were asked for beforehand, by their names. */
  #ahead = new Map<string | null, Promise<Decoded>>();
  /** Pages that are being asked for, and how many were. */
  readonly #open = new Set<Promise<Decoded>>();
  #asked = 0;
  #atOnce: number;
  #furtherErrors = 0;
  #total: number | null = null;
  /** No further page is needed: those that wait for their turn are not asked for any more. */
  isOver = false;

  constructor(plan: PagePlan, wanted: WantedRows, source: PageSource) {
    this.#plan = plan;
    this.#wanted = wanted;
    this.#source = source;
    this.#atOnce = source.atOnce;
    const nodes = plan.fields.find((field) => field.kind === 'nodes');
    this.#handedOut = source.items === null || plan.walk !== null ? null : (nodes?.row ?? null);
  }

  /** The connection, with the failure that cut it. Rejects where no page was read. */
  async answer(): Promise<Decoded> {
    const start = this.#start();
    let end: End = { behind: start, isCut: false };
    let restFailure: unknown = null;
    try {
      for (
        let isFirst = true;
        !end.isCut && end.behind !== null && (isFirst || this.#isWanting);
        isFirst = false
      ) {
        const position: PagePosition = end.behind;
        try {
          end = this.#take(await this.#page(position, isFirst), position);
          await this.#source.taken();
        } catch (caught) {
          this.#source.throwIfGone();
          if (isFirst) throw caught;
          restFailure = caught;
          break;
        }
      }
    } finally {
      this.isOver = true;
      // Calls that were made count, so that all of them are over before the answer.
      await Promise.allSettled(this.#open);
    }
    const value = connectionValue(this.#connection(start, end), this.#plan);
    const decoded = { value, errors: this.#errors, furtherErrors: this.#furtherErrors };
    return restFailure === null ? decoded : { ...decoded, restFailure };
  }

  /**
   * Throws `BAD_USER_INPUT` for what is no cursor of these rows, and the refusal of too many pages.
   */
  #start(): PagePosition {
    const { first, after, name } = this.#wanted;
    const { kind, size, first: firstPage } = this.#plan.paging;
    if (first !== null && first < 0) {
      throw new InputError(['arguments', 'first'], 'must not be negative');
    }
    if (first !== null && Math.ceil(first / size) > this.#source.pagesMax) {
      throw this.#source.refusal();
    }
    if (after === null) return { at: kind === 'cursor' ? null : firstPage, skip: 0, before: 0 };
    const position = readCursor(after, name, kind === 'cursor');
    if (position === null) {
      throw new InputError(['arguments', 'after'], 'is no cursor of these rows');
    }
    return position;
  }

  get #isWanting(): boolean {
    return this.#wanted.first !== null && this.#count < this.#wanted.first;
  }

  async #page(position: PagePosition, isFirst: boolean): Promise<RowPage> {
    const { paging } = this.#plan;
    const name = nameOf(position);
    if (this.#ahead.size > 0 && !this.#ahead.has(name)) {
      // A page had fewer rows than its size: where the next one begins is known only behind each.
      this.#ahead = new Map();
      this.#atOnce = 1;
    }
    if (!isFirst && this.#wanted.first !== null && this.#total !== null && this.#atOnce > 1) {
      const left = this.#wanted.first - this.#count;
      for (const at of pagesAhead(position, paging, this.#total, left).slice(0, this.#atOnce)) {
        if (this.#asked < this.#source.pagesMax && !this.#ahead.has(at)) {
          this.#ahead.set(at, this.#ask(at, false));
        }
      }
    }
    const asked = this.#ahead.get(name) ?? this.#ask(name, isFirst);
    this.#ahead.delete(name);
    return pageOf(await asked, this.#plan);
  }

  #ask(name: string | null, isFirst: boolean): Promise<Decoded> {
    if (this.#asked >= this.#source.pagesMax) throw this.#source.refusal();
    this.#asked++;
    const asked = this.#source.ask(name, isFirst);
    this.#open.add(asked);
    const over = (): unknown => this.#open.delete(asked);
    // It may fail before it is waited for.
    asked.then(over, over);
    return asked;
  }

  /** Adds the rows of a page, and returns where they end. */
  #take(page: RowPage, position: PagePosition): End {
    const { paging } = this.#plan;
    if (page.digest !== null) {
      // A page that repeats an earlier one ends it all.
      if (this.#digests.has(page.digest)) return { behind: null, isCut: false };
      this.#digests.add(page.digest);
    }
    this.#total = page.total ?? this.#total;
    this.#names.add(String(position.at));
    const following = pageBehind(position, paging, page, this.#total);
    // A page that names itself, or one before it, as the next ends it all too.
    const behind =
      paging.kind === 'cursor' && this.#names.has(String(following?.at)) ? null : following;
    if (behind !== null && printCursor(behind, this.#wanted.name) === null) {
      throw new Refusal('UPSTREAM_RESPONSE_LIMIT', 'the name of the next page is too long');
    }
    const { first } = this.#wanted;
    const before = this.#count;
    const to =
      first === null
        ? page.rows.length
        : Math.min(page.rows.length, position.skip + first - before);
    for (let index = position.skip; index < to; index++) {
      const isLast = index === page.rows.length - 1;
      const place =
        isLast && behind !== null ? behind : placeBehind(position, index, paging.kind === 'offset');
      this.#add(page.rows[index], place);
    }
    for (const error of page.errors) {
      const index = Number(error.path[0]);
      if (index >= position.skip && index < to) {
        this.#errors.push(...rowErrors(error, before + index - position.skip, this.#plan));
      }
    }
    this.#furtherErrors += page.furtherErrors;
    if (to < page.rows.length) {
      return { behind: placeBehind(position, to - 1, paging.kind === 'offset'), isCut: true };
    }
    return { behind, isCut: false };
  }

  #add(value: unknown, place: PagePosition): void {
    this.#count++;
    this.#lastPlace = place;
    const { items } = this.#source;
    if (this.#handedOut === null || items === null) {
      this.#rows.push({ value, place });
    } else {
      items.item(rowValue(value, this.#handedOut, this.#plan.isKeyed));
    }
  }

  #connection(start: PagePosition, { behind }: End): ConnectionParts {
    const { name } = this.#wanted;
    const last = this.#lastPlace ?? behind;
    const isWhole = behind === null && start.skip === 0 && start.before === 0;
    const told = this.#plan.paging.total?.of === 'items' ? this.#total : null;
    const count = told ?? (isWhole ? this.#count : null);
    return {
      rows: this.#rows,
      hasNextPage: behind !== null,
      endCursor: last === null ? null : printCursor(last, name),
      totalCount: count !== null && count <= INT_MAX ? count : null,
      name,
    };
  }
}

const INT_MAX = 2_147_483_647;

/** The end of the rows that were taken. */
interface End {
  /** The position behind them; null behind the last row. */
  readonly behind: PagePosition | null;
  /** The client wants no more of the page. */
  readonly isCut: boolean;
}

const nameOf = ({ at }: PagePosition): string | null => (at === null ? null : String(at));

/** The position behind the row of a page with this index. */
function placeBehind(
  { at, skip, before }: PagePosition,
  index: number,
  isOffset: boolean,
): PagePosition {
  if (isOffset && typeof at === 'number') {
    return { at: at + index + 1, skip: 0, before: at + index + 1 };
  }
  return { at, skip: Math.max(skip, index + 1), before };
}
