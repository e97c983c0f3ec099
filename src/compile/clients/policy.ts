import { Buffer } from 'node:buffer';
import { Policy } from '../../access/policy.js';
import { Cancellation } from '../../base/cancellation.js';
import { KIB } from '../../base/limit.js';
import { Refusal } from '../../base/refusals/refusal.js';
import type { CallObserver } from '../../base/request-observer.js';
import type { Config } from '../../config/schema.js';
import type { ConfigSection } from '../../config/section.js';
import { postWhole } from '../../upstream/post.js';
import { compileAccessEndpoint } from '../backend/access-endpoint.js';

const ANSWER_BYTES_MAX = 64 * KIB;

/** Compiles `clients.authorize`; null without it. Adds to `closing` how to close its connections. */
export function compilePolicy(
  root: ConfigSection<Pick<Config, 'clients' | 'limits'>>,
  closing: (() => Promise<void>)[],
): Policy | null {
  const { clients, limits } = root.value;
  if (clients?.authorize === undefined) return null;
  const section = root.at(clients.authorize, 'clients', 'authorize');
  const { onError, cacheMillis, recheckMillis, token } = section.value;
  const tokenOf = token === undefined ? null : section.text(['token'], token);
  const endpoint = compileAccessEndpoint(section, limits.upstream, 'The decision point');
  closing.push(() => endpoint.close());
  const ask = async (body: string, observer: CallObserver | null): Promise<string> => {
    const answer = await postWhole(endpoint, {
      headers: [
        ...['content-type', 'application/json', 'accept', 'application/json'],
        ...(tokenOf === null ? [] : ['authorization', `Bearer ${tokenOf()}`]),
      ],
      body: Buffer.from(body),
      isIdempotent: true,
      observer,
      maxBytes: ANSWER_BYTES_MAX,
      maxBytesKey: 'the answer of the decision point',
      signal: new Cancellation(),
      aborted: () => new Refusal('UPSTREAM_TIMEOUT'),
      checkHead({ status }) {
        if (status !== 200) throw new Refusal('UPSTREAM_INVALID_RESPONSE', 'decision point');
      },
    });
    return answer.toString('utf8');
  };
  return new Policy({ ask, allowsOnError: onError === 'allow', cacheMillis, recheckMillis });
}
