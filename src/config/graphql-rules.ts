import { isRecord } from '../base/record.js';
import { type Finding, printPath } from './validate.js';
import type { ConfigPath } from './yaml-source.js';

/** Rules about the GraphQL endpoint: origins are compared as browsers write them, so nothing stands for many. */
export function graphqlRules({ graphql }: Record<string, unknown>): readonly Finding[] {
  const origins = isRecord(graphql) ? graphql['origins'] : null;
  return (Array.isArray(origins) ? [...origins.entries()] : []).flatMap(([index, origin]): readonly Finding[] => {
    // The schema has reported other forms.
    if (typeof origin !== 'string' || !/^https?:\/\/[^\s/?#@]+$/.test(origin) || isOrigin(origin)) return [];
    const path: ConfigPath = ['graphql', 'origins', index];
    const what = `${printPath(path)} is no origin that a browser could ever name.`;
    return [{ path, part: 'value', what, remedy: 'Write each by itself, without `*`: https://shop.example.' }];
  });
}

/** A name or an address, as it is after parsing. */
const HOST = /^(?:\[[0-9a-f:.]+\]|[a-z0-9_.-]+)$/;

const isOrigin = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { hostname, pathname } = new URL(text);
  return pathname === '/' && HOST.test(hostname);
};
