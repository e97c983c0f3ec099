import type { ReplySize } from '../../gateway/exchange.js';
import type { MetricBook } from './metric-book.js';
import type { Labels } from './retired-labels.js';
import { TallyTable } from './tally.js';

interface Lengths {
  count: number;
  sum: number;
  most: number;
}

interface ReplyLengths extends Lengths {
  /** The most items that the lists of one reply had together. */
  mostItems: number;
}

const makeLengths = (): Lengths => ({ count: 0, sum: 0, most: 0 });

/** How much the backends send to GraphQL: `soapstone suggest` works out list sizes from it. */
export class ReplySizes {
  readonly #replies = new TallyTable<ReplyLengths>(2, () => ({ ...makeLengths(), mostItems: 0 }));
  readonly #lists = new TallyTable<Lengths>(3, makeLengths);

  constructor(book: MetricBook) {
    const replies = { table: this.#replies, labels: ['service', 'operation'] };
    const lists = { table: this.#lists, labels: ['service', 'operation', 'list'] };
    addLengths(book, replies, [
      ['soapstone_replies_total', 'Replies of backends that were read for GraphQL.'],
      ['soapstone_reply_bytes_total', 'Bytes that they had, decoded.'],
      ['soapstone_reply_bytes_max', 'Bytes of the longest of them.'],
    ]);
    const help = 'Items of all lists together of the largest reply.';
    const items = {
      name: 'soapstone_reply_items_max',
      help,
      labels: replies.labels,
      aggregator: 'max',
    } as const;
    book.addSampled('gauge', items, () =>
      this.#replies.rows.map(({ values, tally }) => ({ labels: values, value: tally.mostItems })),
    );
    addLengths(book, lists, [
      [
        'soapstone_lists_total',
        'Lists that were read for GraphQL, by `Type.field`; empty for the answer itself.',
      ],
      ['soapstone_list_items_total', 'Items that they had.'],
      ['soapstone_list_items_max', 'Items of the longest of them.'],
    ]);
  }

  /** Drops what is counted under labels that are retired. */
  retire(isRetired: (labels: Labels) => boolean): void {
    for (const table of [this.#replies, this.#lists]) {
      table.drop(([service = '', operation = '']) => isRetired({ service, operation }));
    }
  }

  record({ service, operation, bytes, lists }: ReplySize): void {
    const reply = this.#replies.find(service, operation);
    add(reply, 1, bytes, bytes);
    let all = 0;
    for (const [list, { count, items, longest }] of lists) {
      add(this.#lists.find(service, operation, list), count, items, longest);
      all += items;
    }
    reply.mostItems = Math.max(reply.mostItems, all);
  }
}

function add(lengths: Lengths, count: number, sum: number, most: number): void {
  lengths.count += count;
  lengths.sum += sum;
  lengths.most = Math.max(lengths.most, most);
}

type Text = readonly [name: string, help: string];

function addLengths(
  book: MetricBook,
  { table, labels }: { readonly table: TallyTable<Lengths>; readonly labels: readonly string[] },
  [count, sum, most]: readonly [Text, Text, Text],
): void {
  const add = (
    kind: 'counter' | 'gauge',
    [name, help]: Text,
    amountOf: (lengths: Lengths) => number,
  ): void => {
    const aggregator = kind === 'gauge' ? 'max' : undefined;
    book.addSampled(kind, { name, help, labels, aggregator }, () =>
      table.rows.map(({ values, tally }) => ({ labels: values, value: amountOf(tally) })),
    );
  };
  add('counter', count, (lengths) => lengths.count);
  add('counter', sum, (lengths) => lengths.sum);
  add('gauge', most, (lengths) => lengths.most);
}
