import { getOrMake } from '../../base/get-or-make.js';
import { GRAPHQL_LIMITS } from '../../graphql/limits.js';
import type { ExitCode, Terminal } from '../../process/terminal.js';
import { readingError, readOperatorPage } from './operator-page.js';

/**
 * Prints, as YAML for the configuration, how long lists and replies are to be taken to be, from what a gateway has
 * counted: its metrics at an address, or in a file.
 */
export async function suggest(source: string, terminal: Terminal): Promise<ExitCode> {
  let text: string;
  try {
    text = await readOperatorPage(source, '/metrics');
  } catch (caught) {
    terminal.error(readingError(source, caught));
    return 2;
  }
  const seen = readMetrics(text);
  if (seen.size === 0) {
    terminal.error('Nothing was counted yet: there must be answers of GraphQL first.');
    return 1;
  }
  terminal.out(printSuggestions(seen));
  return 0;
}

/** How much there was of something. */
interface Counted {
  count: number;
  sum: number;
  most: number;
}

/** The counts of one operation. */
interface SeenOperation {
  readonly replies: Counted;
  /** In lists of one reply together; only the most is read. */
  readonly items: Counted;
  /** The counts of each list by `Type/field` in XML names; '' for the answer itself. */
  readonly lists: Map<string, Counted>;
}

type Seen = Map<string, Map<string, SeenOperation>>;

const METRICS: ReadonlyMap<string, readonly ['replies' | 'items' | 'lists', keyof Counted]> =
  new Map([
    ['soapstone_replies_total', ['replies', 'count']],
    ['soapstone_reply_bytes_total', ['replies', 'sum']],
    ['soapstone_reply_bytes_max', ['replies', 'most']],
    ['soapstone_reply_items_max', ['items', 'most']],
    ['soapstone_lists_total', ['lists', 'count']],
    ['soapstone_list_items_total', ['lists', 'sum']],
    ['soapstone_list_items_max', ['lists', 'most']],
  ]);

/** Reads the counts by service and operation from the text format of Prometheus. */
function readMetrics(text: string): Seen {
  const seen: Seen = new Map();
  for (const line of text.split('\n')) {
    const brace = line.indexOf('{');
    const end = line.lastIndexOf('}');
    const metric = METRICS.get(line.slice(0, Math.max(0, brace)));
    if (metric === undefined || end < brace) continue;
    const labels = new Map<string, string>();
    for (const [, name = '', value = ''] of line
      .slice(brace + 1, end)
      .matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
      labels.set(
        name,
        value.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped)),
      );
    }
    const value = Number(
      line
        .slice(end + 1)
        .trim()
        .split(' ')[0],
    );
    const service = labels.get('service') ?? '';
    const operation = labels.get('operation') ?? '';
    if (
      !Number.isFinite(value) ||
      [service, operation].some((name) => name === '' || name === OTHER)
    )
      continue;
    const [group, part] = metric;
    const entry = entryOf(seen, service, operation);
    const counted =
      group !== 'lists' ? entry[group] : getOrMake(entry.lists, labels.get('list') ?? '', nothing);
    counted[part] = value;
  }
  return seen;
}

/** The label of rows beyond the limit. */
const OTHER = '_other';

const nothing = (): Counted => ({ count: 0, sum: 0, most: 0 });

const entryOf = (seen: Seen, service: string, operation: string): SeenOperation =>
  getOrMake(getOrMake(seen, service, newOperations), operation, () => ({
    replies: nothing(),
    items: nothing(),
    lists: new Map(),
  }));

const newOperations = (): Map<string, SeenOperation> => new Map();
const newFields = (): Map<string, Counted> => new Map();

function printSuggestions(seen: Seen): string {
  const lines = ['services:'];
  for (const [service, operations] of sorted(seen)) {
    lines.push(`  ${keyOf(service)}:`, '    operations:');
    const types = new Map<string, Map<string, Counted>>();
    for (const [operation, { replies, items, lists }] of sorted(operations)) {
      lines.push(`      ${keyOf(operation)}:`);
      const itself = lists.get('');
      if (itself !== undefined) lines.push(`        listSize: ${listSize(itself)}`);
      if (items.most > 0) lines.push(`        replySize: ${replySize(items.most, replies, lists)}`);
      const kib = { ...replies, sum: replies.sum / 1024, most: replies.most / 1024 };
      lines.push(`        replyKib: ${roundUp(kib.most)} # ${about(kib, 'replies', 'KiB')}`);
      for (const [list, counted] of lists) {
        const [type = '', field = ''] = list.split('/');
        if (field !== '')
          add(getOrMake(getOrMake(types, type, newFields), field, nothing), counted);
      }
    }
    if (types.size > 0) lines.push('    schema:', '      types:');
    for (const [type, fields] of sorted(types)) {
      lines.push(`        ${keyOf(type)}:`, '          fields:');
      for (const [field, counted] of sorted(fields)) {
        lines.push(`            ${keyOf(field)}:`, `              listSize: ${listSize(counted)}`);
      }
    }
  }
  return lines.join('\n');
}

/** Adds the counts of a list that several operations may read. */
function add(to: Counted, { count, sum, most }: Counted): void {
  to.count += count;
  to.sum += sum;
  to.most = Math.max(to.most, most);
}

const listSize = (counted: Counted): string =>
  `{ assumedSize: ${roundUp(counted.most)} } # ${about(counted, 'lists', 'items')}`;

/** Together with a remark where a reply costs more than an operation may by default. */
function replySize(most: number, { count }: Counted, lists: ReadonlyMap<string, Counted>): string {
  const sum = [...lists.values()].reduce((all, list) => all + list.sum, 0);
  const size = roundUp(most);
  const { default: limit } = GRAPHQL_LIMITS.cost;
  const remark =
    size < limit ? '' : `; \`limits.graphql.cost\` must be above it, its default is ${limit}`;
  return `${size} # ${about({ count, sum, most }, 'replies', 'objects in lists')}${remark}`;
}

const about = ({ count, sum, most }: Counted, things: string, unit: string): string =>
  `of ${count} ${things} the longest had ${round(most)} ${unit}, on average ${round(sum / Math.max(1, count))}`;

const round = (value: number): number => Math.round(value * 10) / 10;

/** The next of 1, 2, 3, 5, 8, 10, 20, 30 and so on: later values may be a little larger than those seen. */
function roundUp(value: number): number {
  for (let scale = 1; ; scale *= 10) {
    for (const step of [1, 2, 3, 5, 8]) if (step * scale >= value) return step * scale;
  }
}

const sorted = <T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] =>
  [...map].sort(([one], [other]) => (one < other ? -1 : 1));

/** A key as YAML reads it. */
const keyOf = (name: string): string =>
  /^[A-Za-z][\w-]*$/.test(name) ? name : JSON.stringify(name);
