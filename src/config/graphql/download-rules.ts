import { KIB } from '../../base/limit.js';
import { isRecord } from '../../base/record.js';
import type { Finding } from '../keys/finding.js';
import type { ClaimedPath } from '../listen/path-rules.js';

const PATH = ['graphql', 'downloads'];

/** Bytes of a request target that every address fits into. */
const URI_BYTES_MIN = 8 * KIB;

const downloadsOf = (graphql: unknown): Record<string, unknown> | null => {
  const downloads = isRecord(graphql) ? graphql['downloads'] : null;
  return isRecord(downloads) ? downloads : null;
};

/** The path of the addresses of binary content. */
export function downloadPath(graphql: unknown): readonly ClaimedPath[] {
  const downloads = downloadsOf(graphql);
  return downloads === null ? [] : [{ path: [...PATH, 'path'], claimed: downloads['path'] }];
}

/** Addresses that no request could have are not made. */
export function downloadRules({ graphql, limits }: Record<string, unknown>): readonly Finding[] {
  const http = isRecord(limits) && isRecord(limits['http']) ? limits['http'] : {};
  const { uriBytes } = http;
  if (downloadsOf(graphql) === null || typeof uriBytes !== 'number' || uriBytes >= URI_BYTES_MIN)
    return [];
  const what = `\`limits.http.uriBytes\` is less than the ${URI_BYTES_MIN} bytes that addresses of \`graphql.downloads\` may have.`;
  return [
    {
      path: ['limits', 'http', 'uriBytes'],
      part: 'value',
      what,
      remedy: 'Raise it, or remove `downloads`.',
    },
  ];
}
