import { startDemoBackend } from '../../config/demo/backend.js';
import { parseAddress } from '../config/keys/address.js';
import { type LoadedConfig, rootSection } from '../config/load.js';
import { refuseAddress } from './refuse-address.js';

/** Starts the bundled backend if the configuration wants it; returns what stops it. */
export async function startDemo(loaded: LoadedConfig): Promise<() => Promise<void>> {
  const address = parseAddress(loaded.config.demo?.listen ?? '');
  if (address === null) return async () => {};
  const demo = await startDemoBackend(address.host, address.port).catch(
    refuseAddress(rootSection(loaded), ['demo']),
  );
  return () => demo.close();
}
