import type { WsdlOffer } from '../../flow/drift/safe-changes.js';
import { type Operator, operatorFields } from '../../observe/admin.js';
import type { Log } from '../../observe/log/log.js';
import type { Reloader } from './reloader.js';
import type { UseSource, WsdlTakeover } from './wsdl-takeover.js';

/** Reloads that operators and backends ask a running gateway for. */
export const askedFrom = (
  reloader: Reloader,
  takeover: WsdlTakeover,
  use: UseSource,
  log: Log,
) => ({
  loads: reloader.loads,
  reload: (by: Operator) => {
    log.event('info', 'a reload was requested', operatorFields(by));
    return reloader.request('POST /reload');
  },
  offer: (each: WsdlOffer) => takeover.offer(each, reloader, use),
});
