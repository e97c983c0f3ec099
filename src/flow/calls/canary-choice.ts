import type { CallerIdentity, Client } from '../../access/client.js';
import type { Canary, SoapService } from '../../compile/soap/service.js';
import type { Exchange } from '../../gateway/exchange.js';
import { cookieOf } from './affinity.js';

/** The caller, as far as the backend of its calls depends on it. */
export interface CanaryCaller {
  readonly client: Pick<Client, 'id' | 'isAuthenticated'>;
  readonly headers: CallerIdentity['headers'];
  readonly exchange: Pick<Exchange, 'client' | 'upstream'>;
}

/** The service as it is called for this caller. Resolves where that is known only later. */
export function backendOf(
  service: SoapService,
  caller: CanaryCaller,
): SoapService | Promise<SoapService> {
  const { canary } = service;
  if (canary === null) return service;
  const chosen = chooseBackend(service, canary, caller);
  return withRoom(service, canary, chosen, caller);
}

/** The backend of a caller, whether or not it takes a call now. */
export function chooseBackend(
  service: SoapService,
  canary: Canary,
  { client, headers, exchange }: CanaryCaller,
): SoapService {
  const { share, header, cookie } = canary;
  if (header !== null && isNamed(headers[header.name], header.value)) return canary.byHeader;
  const last = cookie === null ? null : cookieOf(headers['cookie'], cookie);
  if (last !== null && share.share > 0) {
    if (hasAddress(canary.upstream, last)) return canary.byShare;
    if (hasAddress(service.upstream, last)) return service;
  }
  const name = client.isAuthenticated ? `client ${client.id}` : `address ${exchange.client}`;
  return share.isChosen(share.isSticky ? name : null) ? canary.byShare : service;
}

/**
 * A call that was chosen for the new backend, before that has answered those under way: it goes to
 * that of the service where it may (`mayMove`), else it waits.
 */
export function withRoom(
  service: SoapService,
  canary: Canary,
  chosen: SoapService,
  { exchange }: Pick<CanaryCaller, 'exchange'>,
  mayMove = !canary.share.isSticky,
): SoapService | Promise<SoapService> {
  const { share } = canary;
  if (chosen !== canary.byShare || share.hasRoom) return noted(chosen, exchange);
  return mayMove ? noted(service, exchange) : waitForRoom(service, canary, exchange);
}

/** The backend of a poll that was chosen when it began, as far as that gets calls now. */
export function backendOfPoll(
  service: SoapService,
  canary: Canary,
  chosen: SoapService,
  exchange: CanaryCaller['exchange'],
): SoapService | Promise<SoapService> {
  const { share } = canary.share;
  const isAsked = chosen.chosen?.isAsked === true;
  const present =
    isAsked || (share > 0 && share < 1) ? chosen : share >= 1 ? canary.byShare : service;
  return withRoom(service, canary, present, { exchange }, false);
}

async function waitForRoom(
  service: SoapService,
  { share, byShare }: Canary,
  exchange: CanaryCaller['exchange'],
): Promise<SoapService> {
  await share.room();
  return noted(share.share > 0 ? byShare : service, exchange);
}

/** For the log and the traces. */
function noted(service: SoapService, { upstream }: CanaryCaller['exchange']): SoapService {
  const name = service.chosen === null ? 'stable' : 'canary';
  upstream.backend = upstream.backend === null || upstream.backend === name ? name : 'both';
  return service;
}

const hasAddress = ({ addresses }: SoapService['upstream'], id: string): boolean =>
  addresses.all.some((address) => address.id === id);

/** Whether a field has this value: one of several, where it came more than once. */
const isNamed = (field: string | readonly string[] | undefined, value: string): boolean =>
  field !== undefined &&
  [field].flat().some((text) => text.split(',').some((each) => each.trim() === value));
