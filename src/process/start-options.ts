import { parseAddress, parseListenAddress } from '../config/keys/address.js';
import type { Overrides } from '../config/overrides.js';
import { diagnosis } from '../core/index.js';

/** The options of `start`, as they are on the command line. */
export interface StartOptions {
  readonly workers?: string;
  readonly listen?: string;
  readonly admin?: string;
  /** The address of the bundled backend, which the services that call it follow. */
  readonly demo?: string;
}

/** The keys that the options replace. Throws `ConfigurationError` for one that is not valid. */
export function overridesOf({ workers, ...addresses }: StartOptions): Overrides {
  for (const [name, address] of Object.entries(addresses)) {
    const isAddress = name === 'demo' ? parseAddress : parseListenAddress;
    if (address === undefined || isAddress(address) !== null) continue;
    throw diagnosis.unplacedError(
      `--${name} is no address to listen at.`,
      'Give a host and a port, such as 127.0.0.1:4100.',
    );
  }
  return { ...addresses, ...(workers === undefined ? {} : { workers: processesOf(workers) }) };
}

function processesOf(workers: string): number | 'auto' {
  if (workers === 'auto') return workers;
  if (/^[1-9]\d{0,2}$/.test(workers) && Number(workers) <= 256) return Number(workers);
  throw diagnosis.unplacedError(
    '--workers is not valid.',
    'Write a number from 1 to 256, or auto.',
  );
}
