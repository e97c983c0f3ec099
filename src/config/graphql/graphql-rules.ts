import { isRecord } from '../../core/index.js';
import { type ConfigPath, printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';

/**
 * Rules about the GraphQL endpoint: origins are compared as browsers write them, so nothing stands
 * for some of them.
 */
export function graphqlRules({ graphql }: Record<string, unknown>): readonly Finding[] {
  if (!isRecord(graphql)) return [];
  const { origins, cors } = graphql;
  const listed = isRecord(cors) ? cors['origins'] : null;
  return [
    ...exactOrigins(origins, ['graphql', 'origins']),
    ...exactOrigins(listed, ['graphql', 'cors', 'origins']),
    ...(isRecord(cors) && Array.isArray(listed) ? everyOrigin(cors, listed) : []),
  ];
}

/** The Fetch standard has no credentials for `*`: any page could use those of the user. */
function everyOrigin(
  { credentials }: Record<string, unknown>,
  origins: readonly unknown[],
): readonly Finding[] {
  const index = origins.indexOf('*');
  if (index < 0 || (credentials !== true && origins.length === 1)) return [];
  const path: ConfigPath = ['graphql', 'cors', 'origins', index];
  const what =
    credentials === true
      ? `${printPath(path)} is \`*\`, which cannot have \`credentials\`.`
      : `${printPath(path)} is \`*\`: the other origins have no effect.`;
  return [{ path, part: 'value', what, remedy: 'List the origins: https://shop.example.' }];
}

function exactOrigins(origins: unknown, at: ConfigPath): readonly Finding[] {
  return (Array.isArray(origins) ? [...origins.entries()] : []).flatMap(
    ([index, origin]): readonly Finding[] => {
      // The schema has reported other forms.
      if (
        typeof origin !== 'string' ||
        !/^https?:\/\/[^\s/?#@]+$/.test(origin) ||
        isOrigin(origin)
      ) {
        return [];
      }
      const path: ConfigPath = [...at, index];
      const what = `${printPath(path)} is no origin that a browser could ever name.`;
      return [
        {
          path,
          part: 'value',
          what,
          remedy: 'Write each by itself, without `*`: https://shop.example.',
        },
      ];
    },
  );
}

/** A name or an address, as it is after parsing. */
const HOST = /^(?:\[[0-9a-f:.]+\]|[a-z0-9_.-]+)$/;

const isOrigin = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { hostname, pathname } = new URL(text);
  return pathname === '/' && HOST.test(hostname);
};
