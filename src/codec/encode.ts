import { defaultsOf } from '../base/limit.js';
import type { Dialect } from '../soap/dialect.js';
import { ContentMarker, type EncodeLimits, type Mark, type ReadonlyRecord } from './content.js';
import { CODEC_LIMITS } from './limits.js';
import type { RequestPlan } from './plan.js';
import { render } from './render.js';

/** What the caller gave, by argument name. */
export interface RequestValues {
  readonly arguments: ReadonlyRecord;
  readonly headers: ReadonlyRecord;
}

/**
 * The envelope of one request, complete, in UTF-8. Elements are in schema order and every namespace that is needed, and
 * no other, is declared on the Envelope. Throws `InputError` where the values do not fit the plan.
 */
export function encodeRequest(
  plan: RequestPlan,
  dialect: Dialect,
  values: RequestValues,
  limits: EncodeLimits = DEFAULTS,
): Buffer {
  const blocks = new ContentMarker(limits, 'headers').elements(plan.headers, values.headers);
  const marker = new ContentMarker(limits, 'arguments');
  const body = plan.body === null ? [] : marker.object(plan.body.name, plan.body.value, values.arguments);
  const envelope = (local: string): Mark => ({ kind: 'open', name: { uri: dialect.envelopeUri, local } });
  const header: readonly Mark[] = blocks.length === 0 ? [] : [envelope('Header'), ...blocks, CLOSE];
  return render([envelope('Envelope'), ...header, envelope('Body'), ...body, CLOSE, CLOSE], dialect);
}

const CLOSE: Mark = { kind: 'close' };

const DEFAULTS: EncodeLimits = defaultsOf(CODEC_LIMITS);
