import type { RefusalCode } from '../refusals/refusals.js';
import { GATEWAY_GUIDE } from './gateway.js';
import { GRAPHQL_GUIDE } from './graphql.js';
import type { RefusalGuide } from './guide.js';
import { HTTP_GUIDE } from './http.js';
import { MESSAGE_GUIDE } from './messages.js';
import { UPSTREAM_GUIDE } from './upstream.js';

/** One guide for each row of the closed table of refusals. */
export const REFUSAL_GUIDES: Readonly<Record<RefusalCode, RefusalGuide>> = {
  ...MESSAGE_GUIDE,
  ...HTTP_GUIDE,
  ...UPSTREAM_GUIDE,
  ...GRAPHQL_GUIDE,
  ...GATEWAY_GUIDE,
};
