import { Buffer } from 'node:buffer';
import { Policy } from '../../access/policy.js';
import { Cancellation } from '../../base/cancellation.js';
import { KIB } from '../../base/limit.js';
import { Refusal } from '../../base/refusals/refusal.js';
import type { CallObserver } from '../../base/request-observer.js';
import { RotatingFile } from '../../base/rotating-file.js';
import type { LoadedConfig } from '../../config/load.js';
import { postWhole } from '../../upstream/post.js';
import { compileAccessEndpoint } from '../backend/access-endpoint.js';

const ANSWER_BYTES_MAX = 64 * KIB;

/** Compiles `clients.authorize`; null without it. Adds to `closing` how to close its connections. */
export function compilePolicy(loaded: LoadedConfig, closing: (() => Promise<void>)[]): Policy | null {
  const config = loaded.config.clients?.authorize;
  if (config === undefined) return null;
  const { url, timeoutMillis, onError, cacheMillis, recheckMillis, token } = config;
  const path = ['clients', 'authorize'];
  const file = loaded.fileAt([...path, 'token']);
  const rotating = file === null || token === undefined ? null : new RotatingFile(file, token);
  const endpoint = compileAccessEndpoint(loaded, { path, url, timeoutMillis, config, name: 'The decision point' });
  closing.push(() => endpoint.close());
  const ask = async (body: string, observer: CallObserver | null): Promise<string> => {
    const bearer = rotating?.content ?? token;
    const answer = await postWhole(endpoint, {
      headers: [
        ...['content-type', 'application/json', 'accept', 'application/json'],
        ...(bearer === undefined ? [] : ['authorization', `Bearer ${bearer}`]),
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
