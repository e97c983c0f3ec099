import { Buffer } from 'node:buffer';
import { Policy } from '../access/policy.js';
import { Cancellation } from '../base/cancellation.js';
import { KIB } from '../base/limit.js';
import { Refusal } from '../base/refusal.js';
import { RotatingFile } from '../base/rotating-file.js';
import type { LoadedConfig } from '../config/load.js';
import { routeTo } from '../upstream/dial/dial.js';
import { postWhole } from '../upstream/post.js';
import { Upstream } from '../upstream/upstream.js';
import { compileTls } from './reach.js';

const ANSWER_BYTES_MAX = 64 * KIB;

/** Compiles `clients.authorize`; null without it. Adds to `closing` how to close its connections. */
export function compilePolicy(loaded: LoadedConfig, closing: (() => Promise<void>)[]): Policy | null {
  const config = loaded.config.clients?.authorize;
  if (config === undefined) return null;
  const { url, timeoutMillis, onError, cacheMillis, token } = config;
  const path = ['clients', 'authorize'];
  const tls = compileTls(loaded, [...path, 'tls'], config, 'The decision point');
  const file = loaded.fileAt([...path, 'token']);
  const rotating = file === null || token === undefined ? null : new RotatingFile(file, token);
  const { upstream } = loaded.config.limits;
  const endpoint = new Upstream(
    [url],
    {
      ...upstream,
      totalMillis: timeoutMillis,
      connectMillis: Math.min(upstream.connectMillis, timeoutMillis),
      headersMillis: Math.min(upstream.headersMillis, timeoutMillis),
      pendingMillis: Math.min(upstream.pendingMillis, timeoutMillis),
    },
    { routeTo: (to) => routeTo(to, null, tls) },
  );
  closing.push(() => endpoint.close());
  const ask = async (body: string): Promise<string> => {
    const bearer = rotating?.content ?? token;
    const answer = await postWhole(endpoint, {
      headers: [
        ...['content-type', 'application/json', 'accept', 'application/json'],
        ...(bearer === undefined ? [] : ['authorization', `Bearer ${bearer}`]),
      ],
      body: Buffer.from(body),
      isIdempotent: true,
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
  return new Policy({ ask, allowsOnError: onError === 'allow', cacheMillis });
}
