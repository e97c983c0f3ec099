import { isRecord, KIB } from '../../core/index.js';
import type { Finding } from '../keys/finding.js';
import type { EndpointPath } from '../listen/path-rules.js';

const PATH = ['graphql', 'downloads'];

/** Bytes of a request target that every address fits into. */
const URI_BYTES_MIN = 8 * KIB;

const downloadsOf = (graphql: unknown): Record<string, unknown> | null => {
  const downloads = isRecord(graphql) ? graphql['downloads'] : null;
  return isRecord(downloads) ? downloads : null;
};

/** The path of the addresses of binary content, which are below it. */
export function downloadPaths(graphql: unknown): readonly EndpointPath[] {
  const claimed = downloadsOf(graphql)?.['path'];
  if (typeof claimed !== 'string') return [];
  const own = { path: [...PATH, 'path'], endpoint: 'downloads' } as const;
  return [
    { ...own, claimed, reach: 'exact' },
    { ...own, claimed: `${claimed.replace(/\/+$/, '')}/`, reach: 'below' },
  ];
}

/** Addresses that no request could have are not made. */
export function downloadRules({ graphql, limits }: Record<string, unknown>): readonly Finding[] {
  const http = isRecord(limits) && isRecord(limits['http']) ? limits['http'] : {};
  const { uriBytes } = http;
  if (downloadsOf(graphql) === null || typeof uriBytes !== 'number' || uriBytes >= URI_BYTES_MIN) {
    return [];
  }
  const what =
    `\`limits.http.uriBytes\` is less than the ${URI_BYTES_MIN} bytes that addresses of ` +
    '`graphql.downloads` may have.';
  return [
    {
      path: ['limits', 'http', 'uriBytes'],
      part: 'value',
      what,
      remedy: 'Raise it, or remove `downloads`.',
    },
  ];
}
