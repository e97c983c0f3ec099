import { isRecord, jsonValues } from '../../core/index.js';
import { type ConfigPath, printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';
import { textAtKey } from '../keys/key-text.js';

/**
 * Rules between the keys of subscriptions: one source each, and one way to make an answer of an
 * event.
 */
export function subscriptionRules(data: Record<string, unknown>): readonly Finding[] {
  const subscriptions = data['subscriptions'];
  if (!isRecord(subscriptions)) return [];
  const reachesAll =
    isAlone(data) || (isRecord(data['redis']) && data['redis']['secret'] !== undefined);
  return Object.entries(subscriptions).flatMap(([name, subscription]) => {
    const path: ConfigPath = ['subscriptions', name];
    if (!isRecord(subscription)) return [];
    const sources = ['poll', 'on', 'callback'].filter((key) => subscription[key] !== undefined);
    const [first, second] = sources;
    const findings: Finding[] = [];
    if (first === undefined) {
      const remedy = 'Give it one of `poll`, `on` and `callback`.';
      findings.push({ path, part: 'key', what: `${printPath(path)} has no source.`, remedy });
    } else if (second !== undefined) {
      const what = `${printPath(path)} has both \`${first}\` and \`${second}\`.`;
      findings.push({
        path: [...path, second],
        part: 'key',
        what,
        remedy: 'Make it two subscriptions.',
      });
    }
    for (const key of ['on', 'callback'] as const) {
      const event = subscription[key];
      if (isRecord(event)) {
        findings.push(...eventRules(event, [...path, key], key));
      }
      if (event === undefined || reachesAll) continue;
      const what = `${printPath([...path, key])} would reach the subscribers of one process only.`;
      findings.push({
        path: [...path, key],
        part: 'key',
        what,
        remedy: 'Give `redis` a `secret`, or run one process.',
      });
    }
    return findings;
  });
}

/** Whether the configuration has one process. */
function isAlone({ workers = 1, redis }: Record<string, unknown>): boolean {
  const { replicas = 1 } = isRecord(redis) ? redis : {};
  return workers === 1 && replicas === 1;
}

function eventRules(
  event: Record<string, unknown>,
  path: ConfigPath,
  key: 'on' | 'callback',
): readonly Finding[] {
  const findings: Finding[] = [];
  const isPresent = (name: string): boolean => {
    const value = event[name];
    return isRecord(value) ? Object.keys(value).length > 0 : value !== undefined;
  };
  const at = (name: string | null, what: string, remedy: string): void => {
    findings.push({ path: name === null ? path : [...path, name], part: 'key', what, remedy });
  };
  if (isPresent('answer') && isPresent('fields')) {
    at('fields', `${printPath(path)} has both \`answer\` and \`fields\`.`, 'Keep one of them.');
  }
  if (!isPresent('answer') && !isPresent('fields')) {
    at(
      null,
      `${printPath(path)} sends nothing.`,
      'Name the operation to call as `answer`, or give `fields`.',
    );
  }
  if (!isPresent('answer') && isPresent('arguments')) {
    at(
      'arguments',
      `${printPath(path)} has \`arguments\` but no \`answer\`.`,
      'Name the operation they are for.',
    );
  }
  if (key === 'callback') {
    for (const [group, names] of [
      ['where', 'keys'],
      ['filter', 'values'],
      ['arguments', 'values'],
      ['fields', 'values'],
    ] as const) {
      const values = event[group];
      for (const [name, value] of jsonValues.recordEntries(values)) {
        if (!/^reply(\.|$)/.test(names === 'keys' ? name : textAtKey(value))) continue;
        const what = `${printPath([...path, group, name])} is of the reply, but a notification has none.`;
        findings.push({
          path: [...path, group, name],
          part: names === 'keys' ? 'key' : 'value',
          what,
          remedy: 'Write `request.` and the path.',
        });
      }
    }
  }
  return findings;
}
