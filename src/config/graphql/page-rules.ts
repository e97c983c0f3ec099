import { isRecord } from '../../core/index.js';
import { type ConfigPath, printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';
import { operationEntries } from './operation-entries.js';

/** Rules between the keys of `pages`, and between it and the others of its operation. */
export const pageRules = (data: Record<string, unknown>): readonly Finding[] =>
  [...operationEntries(data)].flatMap(({ path, mapping }) =>
    isRecord(mapping['pages']) ? rulesOf(mapping, mapping['pages'], path) : [],
  );

function rulesOf(
  mapping: Readonly<Record<string, unknown>>,
  pages: Record<string, unknown>,
  above: ConfigPath,
): readonly Finding[] {
  const path = [...above, 'pages'];
  const name = printPath(path);
  const findings: Finding[] = [];
  const at = (key: string | null, what: string, remedy: string): unknown =>
    findings.push({ path: key === null ? path : [...path, key], part: 'key', what, remedy });
  const [first, second] = KINDS.filter((kind) => Object.hasOwn(pages, kind));
  if (first === undefined) {
    at(null, `${name} names no argument for the page.`, 'Write `page`, `offset` or `cursor`.');
  }
  if (first !== undefined && second !== undefined) {
    at(second, `${name} has both \`${first}\` and \`${second}\`.`, 'Keep one of them.');
  }
  if (pages['first'] === 0 && first !== undefined && first !== 'page') {
    at('first', `${name} has \`first\`, which is for \`page\`.`, 'Remove it.');
  }
  const total = pages['total'];
  if (isRecord(total)) {
    const told = ['items', 'pages'].filter((key) => Object.hasOwn(total, key));
    if (told.length !== 1) {
      at('total', `${name}.total needs one of \`items\` and \`pages\`.`, 'Write one of them.');
    } else if (told[0] === 'pages' && first === 'cursor') {
      at(
        'total',
        `${name}.total counts pages, which \`cursor\` does not.`,
        'Write `items`, or remove it.',
      );
    }
  }
  const { field } = mapping;
  if (typeof field === 'string' && field.startsWith('Mutation.')) {
    at(
      null,
      `${name} is for operations that read, and ${field} writes.`,
      'Remove it, or map the field to Query.',
    );
  }
  const size = isRecord(pages['size']) ? Object.keys(pages['size']) : [];
  const cursor = isRecord(pages['cursor']) ? pages['cursor']['argument'] : null;
  for (const argument of [...KINDS.map((kind) => pages[kind]), cursor, ...size]) {
    if (typeof argument !== 'string' || !isRecord(mapping['arguments'])) continue;
    if (!Object.hasOwn(mapping['arguments'], argument)) continue;
    const what = `${name} fills \`${argument}\`, which \`arguments\` maps too.`;
    findings.push({
      path: [...above, 'arguments', argument],
      part: 'key',
      what,
      remedy: 'Remove it here.',
    });
  }
  for (const key of BESIDE) {
    if (mapping[key] === undefined || mapping[key] === false || mapping[key] === 'errors') continue;
    at(null, `${name} cannot be with \`${key}\`.`, `Remove one of them.`);
  }
  return findings;
}

const KINDS = ['page', 'offset', 'cursor'] as const;

/** Keys whose answer, or whose list, would be another one. */
const BESIDE = ['listSize', 'idempotency', 'faults', 'replyHeaders', 'oneWay'] as const;
