import { collections, type Steps } from '../../core/index.js';
import type { DescribedOperation } from '../../graphql/index.js';
import { bytesOf, FRAME_BYTES } from './bound-value.js';
import type { Tool } from './tool.js';

/** Up to so many tools are listed as they are. */
export const LISTED_MAX = 20;

/** Tools that one search finds. */
export const FOUND_MAX = 8;

/** Names of a group that are listed. */
const NAMES_MAX = 200;

/** Characters of the names of groups in the description of the search. */
const GROUPS_CHARS_MAX = 1000;

export const SEARCH_TOOL = 'search_tools';
export const READING_TOOL = 'call_tool';
export const WRITING_TOOL = 'call_writing_tool';

/** The tools that stand for many: one that searches, and one or two that call what was found. */
export function searchTools(operations: readonly DescribedOperation[]): readonly Tool[] {
  const groups = collections.groupBy(operations, ({ service }) => service);
  const names = [...groups].map(([name, { length }]) => `${name} (${length})`);
  const hasWrites = operations.some(({ isRead }) => !isRead);
  const call = (name: string, isRead: boolean): Tool => ({
    name,
    description: isRead
      ? 'Calls a tool that only reads, found by search_tools, with the arguments ' +
        'that its inputSchema has.'
      : 'Calls a tool that may change something, found by search_tools, with the arguments ' +
        'that its inputSchema has.',
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string' }, arguments: { type: 'object' } },
      required: ['name'],
      additionalProperties: false,
    },
    annotations: {
      readOnlyHint: isRead,
      destructiveHint: !isRead,
      idempotentHint: isRead,
      openWorldHint: false,
    },
  });
  return [
    {
      name: SEARCH_TOOL,
      description:
        `Finds tools among ${operations.length} by words, or lists the names of a group. ` +
        `Groups: ${listed(names)}.`,
      inputSchema: {
        type: 'object',
        properties: {
          query: {
            type: 'string',
            description: 'Words of what is to be done: find customer by name.',
          },
          group: { type: 'string', description: 'Only tools of this group.' },
          tool: { type: 'string', description: 'The name of one tool.' },
          type: {
            type: 'string',
            description: 'With `tool`: a type of its arguments, whose schema was left out.',
          },
        },
        additionalProperties: false,
      },
      annotations: {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    },
    call(READING_TOOL, true),
    ...(hasWrites ? [call(WRITING_TOOL, false)] : []),
  ];
}

/** The names from the first on that fit. */
function listed(names: readonly string[]): string {
  let chars = 0;
  const shown = names.filter((name) => {
    chars += name.length + 2;
    return chars <= GROUPS_CHARS_MAX;
  });
  const left = names.length - shown.length;
  return shown.join(', ') + (left === 0 ? '' : ` and ${left} more`);
}

/** What a search finds: whole tools by words, or the names of all tools of a group. */
export type Found =
  | { readonly tools: readonly DescribedOperation[] }
  | { readonly names: readonly string[] };

/** The names of an answer with all of a group are at most `bytesMax` long. */
export function* findTools(
  operations: readonly DescribedOperation[],
  query: string,
  group: string | null,
  bytesMax: number,
): Steps<Found> {
  const among = group === null ? operations : operations.filter(({ service }) => service === group);
  const words = wordsOf(query);
  if (words.length === 0) {
    const names = among.map(({ field }) => field.name).slice(0, NAMES_MAX);
    return { names: fittingNames(names, bytesMax) };
  }
  const scored: { readonly each: DescribedOperation; readonly score: number }[] = [];
  for (const each of among) {
    const score = scoreOf(each, words);
    if (score > 0) {
      scored.push({ each, score });
    }
    yield;
  }
  scored.sort((one, other) => other.score - one.score);
  return { tools: scored.slice(0, FOUND_MAX).map(({ each }) => each) };
}

/** Words of a search. */
const WORDS_MAX = 20;

const wordsOf = (text: string): readonly string[] =>
  text
    .slice(0, 1000)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .slice(0, WORDS_MAX);

/** The words of an operation that searches are compared with. */
const searched = collections.makeOncePer(({ name, service, field }: DescribedOperation) => ({
  inName: wordsOf(`${name} ${field.name} ${service}`),
  beside:
    `${field.description ?? ''} ${field.args.map((argument) => argument.name).join(' ')}`.toLowerCase(),
}));

/** A word in the name counts most, then one in the description or the arguments. */
function scoreOf(described: DescribedOperation, words: readonly string[]): number {
  const { inName, beside } = searched(described);
  let score = 0;
  for (const word of words) {
    const stem = word.length > 3 ? word.replace(/s$/, '') : word;
    if (inName.includes(word) || inName.includes(stem)) {
      score += 4;
    } else if (
      inName.some((each) => each.startsWith(stem) || (each.length > 3 && stem.startsWith(each)))
    ) {
      score += 2;
    } else if (beside.includes(stem)) {
      score += 1;
    }
  }
  return score;
}

/** The first names of a list that fit into an answer, which has them twice. */
function fittingNames(names: readonly string[], bytesMax: number): readonly string[] {
  let left = bytesMax - FRAME_BYTES;
  return names.filter((name) => {
    left -= bytesOf(JSON.stringify(name)) + 2;
    return left >= 0;
  });
}
