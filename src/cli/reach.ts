import type { AnyService } from '../config/schema.js';
import { dial } from '../upstream/index.js';

/**
 * How a backend is reached, as far as it is configured: addresses, limits, and the kind of
 * credentials, never values.
 */
export function printReach(config: AnyService, operation: string | null): readonly string[] {
  const lines = [balanceOf(config), limitsOf(config, operation), healthOf(config)];
  const keyed = idempotencyOf(config, operation);
  if (keyed !== null) {
    lines.push(keyed);
  }
  const { auth, tls, proxy } = config;
  if (auth !== undefined) {
    lines.push(`credentials: ${Object.keys(auth).join(', ')}`);
  }
  if (tls !== undefined) {
    lines.push(`tls: ${Object.keys(tls).join(', ')}`);
  }
  if (proxy !== undefined) {
    lines.push(`proxy: ${proxy === 'environment' ? proxy : dial.parseProxy(proxy).url.origin}`);
  }
  return lines.filter((line) => line !== null);
}

/** How requests that are repeated are known. */
function idempotencyOf(config: AnyService, operation: string | null): string | null {
  const mapping =
    'operations' in config && operation !== null ? config.operations[operation] : undefined;
  const { idempotency } = typeof mapping === 'object' ? mapping : {};
  if (idempotency === undefined) return null;
  return (
    `idempotency: by the field ${idempotency.header}, answers are kept for ` +
    `${idempotency.keepMillis} ms`
  );
}

function balanceOf({ addresses, balance = 'leastRequests', ...config }: AnyService): string | null {
  if (addresses.length === 1) return null;
  const each = addresses.map(({ url, weight, backup, zone }) => {
    const more = [
      weight === 1 ? [] : `weight ${weight}`,
      backup ? 'backup' : [],
      zone === undefined ? [] : `zone ${zone}`,
    ];
    return [new URL(url).host, ...more.flat()].join(' ');
  });
  const sticky =
    'sticky' in config && config.sticky !== undefined
      ? `, sticky by cookie ${config.sticky.cookie}`
      : '';
  const zone = config.zone === undefined ? '' : `, from zone ${config.zone}`;
  const policy = typeof balance === 'string' ? balance : `hash of ${balance.hash}`;
  return `balance: ${policy}${sticky}${zone}: ${each.join(', ')}`;
}

function limitsOf(config: AnyService, operation: string | null): string | null {
  const mapping =
    'operations' in config && operation !== null ? config.operations[operation] : undefined;
  const own = typeof mapping === 'object' ? mapping : {};
  const timeoutMillis = own.timeoutMillis ?? config.timeoutMillis;
  const retry = own.retry ?? config.retry;
  const parts: string[] = [];
  if (timeoutMillis !== undefined) {
    parts.push(`timeout ${timeoutMillis} ms`);
  }
  if (retry !== undefined) {
    const each = retry.perTryMillis === undefined ? '' : `, ${retry.perTryMillis} ms each`;
    const may =
      own.idempotent === true || !('operations' in config) ? '' : ', while nothing was sent';
    parts.push(`${retry.times} retries on ${retry.on.join(', ')}${each}${may}`);
  }
  if (own.rate !== undefined) {
    parts.push(`${own.rate.perSecond} calls a second`);
  }
  if (config.rate !== undefined) {
    parts.push(`${config.rate.perSecond} calls of the service a second`);
  }
  if (own.requestsAtOnce !== undefined) {
    parts.push(`${own.requestsAtOnce} calls at once`);
  }
  if (config.requestsAtOnce !== undefined) {
    parts.push(`${config.requestsAtOnce} calls of the service at once`);
  }
  return parts.length === 0 ? null : `limits: ${parts.join('; ')}`;
}

function healthOf({ health }: AnyService): string | null {
  if (health === undefined) return null;
  const kind =
    'operation' in health
      ? health.operation
      : 'wsdl' in health && health.wsdl === true
        ? '?wsdl'
        : undefined;
  return `health: ${health.path ?? kind ?? 'tcp'} every ${health.everyMillis} ms`;
}
