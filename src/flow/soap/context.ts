import type { SoapService } from '../../compile/soap/service.js';
import type { Exchange } from '../../gateway/exchange.js';
import type { GateOptions } from '../../soap/index.js';
import type { Affinity, Upstream } from '../../upstream/index.js';
import type { Observation } from '../calls/observation.js';
import type { OwnBlocks } from '../calls/own-blocks.js';
import type { SharedCalls } from '../calls/shared-calls.js';
import type { SoapAnswer } from './answer.js';

/** The data that a SOAP exchange carries from step to step. */
export interface SoapContext {
  readonly exchange: Exchange;
  readonly service: SoapService;
  readonly gate: GateOptions;
  readonly answer: SoapAnswer;
  readonly calls: SharedCalls;
  /** Null where any address will do. */
  readonly affinity: Affinity | null;
  /** Header blocks of the gateway; null where the message stays as it is. */
  readonly blocks: OwnBlocks | null;
  /** The one that the connection of the caller is bound to; null for that of the service. */
  readonly upstream: Upstream | null;
  /** Null where no subscription wants its values. */
  readonly observation: Observation | null;
}
