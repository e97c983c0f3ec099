import { getOrMake } from '../../core/index.js';
import { GRAPHQL_LIMITS } from '../../graphql/index.js';
import type { ExitCode, Terminal } from '../../process/terminal.js';
import { readingError, readOperatorPage } from './operator-page.js';

/**
 * Prints, as YAML for the configuration, how long lists and replies are to be taken to be, and the
 * deviations of replies that a backend needs in `tolerate`, from what a gateway has counted: its
 * metrics at an address, or in a file.
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
  const deviations = readDeviations(text);
  if (seen.size === 0 && deviations.size === 0) {
    terminal.error('Nothing was counted yet: there must be answers of GraphQL first.');
    return 1;
  }
  terminal.out(printSuggestions(seen, deviations));
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

/** The names that replies of a service need in `tolerate`, those it has included, by operation. */
type Deviations = Map<string, Map<string, Set<string>>>;

function readDeviations(text: string): Deviations {
  const found: Deviations = new Map();
  for (const { name, labels, value } of samplesOf(text)) {
    if (!DEVIATION_METRICS.has(name) || !(value > 0)) continue;
    const service = labels.get('service') ?? '';
    const operation = labels.get('operation') ?? '';
    const deviation = labels.get('deviation') ?? '';
    if ([service, operation, deviation].some((label) => label === '' || label === OTHER)) continue;
    const operations = getOrMake(found, service, () => new Map<string, Set<string>>());
    getOrMake(operations, operation, () => new Set<string>()).add(deviation);
  }
  return found;
}

const DEVIATION_METRICS: ReadonlySet<string> = new Set([
  'soapstone_tolerated_total',
  'soapstone_tolerable_total',
]);

/** One line of the text format of Prometheus. */
interface Sample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

function* samplesOf(text: string): Iterable<Sample> {
  for (const line of text.split('\n')) {
    const brace = line.indexOf('{');
    const end = line.lastIndexOf('}');
    const name = line.slice(0, Math.max(0, brace));
    if (end < brace || !(METRICS.has(name) || DEVIATION_METRICS.has(name))) continue;
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
    yield { name, labels, value };
  }
}

/** Reads the counts by service and operation from the text format of Prometheus. */
function readMetrics(text: string): Seen {
  const seen: Seen = new Map();
  for (const { name, labels, value } of samplesOf(text)) {
    const metric = METRICS.get(name);
    if (metric === undefined) continue;
    const service = labels.get('service') ?? '';
    const operation = labels.get('operation') ?? '';
    if (
      !Number.isFinite(value) ||
      [service, operation].some((name) => name === '' || name === OTHER)
    ) {
      continue;
    }
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

function printSuggestions(seen: Seen, deviations: Deviations): string {
  const lines = ['services:'];
  const services = new Set([...seen.keys(), ...deviations.keys()]);
  for (const service of [...services].sort()) {
    const operations = seen.get(service) ?? new Map<string, SeenOperation>();
    const needed = deviations.get(service) ?? new Map<string, Set<string>>();
    lines.push(`  ${keyOf(service)}:`, '    operations:');
    const types = new Map<string, Map<string, Counted>>();
    for (const operation of [...new Set([...operations.keys(), ...needed.keys()])].sort()) {
      lines.push(`      ${keyOf(operation)}:`);
      const names = needed.get(operation);
      if (names !== undefined) {
        lines.push(`        tolerate: [${[...names].sort().join(', ')}]`);
      }
      const counted = operations.get(operation);
      if (counted === undefined) continue;
      const { replies, items, lists } = counted;
      const itself = lists.get('');
      if (itself !== undefined) {
        lines.push(`        listSize: ${listSize(itself)}`);
      }
      if (items.most > 0) {
        lines.push(`        replySize: ${replySize(items.most, replies, lists)}`);
      }
      const kib = { ...replies, sum: replies.sum / 1024, most: replies.most / 1024 };
      lines.push(`        replyKib: ${roundUp(kib.most)} # ${about(kib, 'replies', 'KiB')}`);
      for (const [list, items] of lists) {
        const [type = '', field = ''] = list.split('/');
        if (field !== '') {
          add(getOrMake(getOrMake(types, type, newFields), field, nothing), items);
        }
      }
    }
    if (types.size > 0) {
      lines.push('    schema:', '      types:');
    }
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
  `of ${count} ${things} the longest had ${round(most)} ${unit}, on average ` +
  `${round(sum / Math.max(1, count))}`;

const round = (value: number): number => Math.round(value * 10) / 10;

/**
 * The next of 1, 2, 3, 5, 8, 10, 20, 30 and so on: later values may be a little larger than those
 * seen.
 */
function roundUp(value: number): number {
  for (let scale = 1; ; scale *= 10) {
    for (const step of [1, 2, 3, 5, 8]) {
      if (step * scale >= value) return step * scale;
    }
  }
}

const sorted = <T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] =>
  [...map].sort(([one], [other]) => (one < other ? -1 : 1));

/** A key as YAML reads it. */
const keyOf = (name: string): string =>
  /^[A-Za-z][\w-]*$/.test(name) ? name : JSON.stringify(name);
