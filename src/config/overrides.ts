import { isRecord } from '../core/index.js';
import type { Config } from './schema.js';

/** The keys that options of the command line replace, whatever the file says. */
export type Overrides = Partial<Record<'listen' | 'admin' | 'demo', string>> &
  Partial<Pick<Config, 'workers'>>;

/** Puts the options of the command line into a configuration that is not checked yet. */
export function override(value: unknown, { demo, ...keys }: Overrides): void {
  if (!isRecord(value)) return;
  Object.assign(value, keys);
  if (demo !== undefined && isRecord(value['demo'])) {
    moveDemo(value, value['demo'], demo);
  }
}

/** The services that call the bundled backend call it at its new address. */
function moveDemo(
  { services }: Record<string, unknown>,
  demo: Record<string, unknown>,
  address: string,
): void {
  const before = `http://${demo['listen']}/`;
  demo['listen'] = address;
  for (const service of isRecord(services) ? Object.values(services) : []) {
    const url = isRecord(service) ? service['url'] : undefined;
    if (isRecord(service) && typeof url === 'string' && url.startsWith(before)) {
      service['url'] = `http://${address}/${url.slice(before.length)}`;
    }
  }
}
