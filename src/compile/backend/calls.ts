import type { AnyService, ServiceConfig } from '../../config/schema.js';
import { type CallOptions, CallPace, type CallRules, type Upstream } from '../../upstream/index.js';
import type { Operation } from '../../wsdl/index.js';

type Keys = Pick<ServiceConfig, 'timeoutMillis' | 'retry' | 'requestsAtOnce' | 'rate'>;

/** The limits of the calls of a service. */
export const callOptions = (name: string, config: AnyService): CallOptions =>
  optionsOf(`services.${name}`, config, config);

/** The limits of the operations that have their own; null for any other. */
export function compileCallRules(
  name: string,
  config: ServiceConfig,
  upstream: Upstream,
): (operation: Operation | null) => CallRules | null {
  const rules = new Map<string, CallRules>();
  for (const [operation, mapping] of Object.entries(config.operations)) {
    if (typeof mapping !== 'object') continue;
    const { timeoutMillis, retry, requestsAtOnce, rate } = mapping;
    if ((timeoutMillis ?? retry ?? requestsAtOnce ?? rate) === undefined) continue;
    const key = `services.${name}.operations.${operation}`;
    rules.set(operation, upstream.makeRules(optionsOf(key, mapping, config)));
  }
  if (rules.size === 0) return () => null;
  return (operation) => (operation === null ? null : (rules.get(operation.name) ?? null));
}

/**
 * The bulkhead of a service is around those of its operations; its other limits are in place of
 * theirs.
 */
const optionsOf = (key: string, own: Keys, service: Keys): CallOptions => {
  const retry = own.retry ?? service.retry;
  return {
    key,
    timeoutMillis: own.timeoutMillis ?? service.timeoutMillis ?? null,
    retry: retry === undefined ? null : { ...retry, perTryMillis: retry.perTryMillis ?? null },
    requestsAtOnce: own.requestsAtOnce ?? null,
    pace: own.rate === undefined ? null : new CallPace(key, own.rate),
  };
};
