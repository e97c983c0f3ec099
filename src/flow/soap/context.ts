import type { Exchange } from '../../base/exchange.js';
import type { SoapService } from '../../compile/service.js';
import type { GateOptions } from '../../soap/gate.js';
import type { Affinity } from '../../upstream/balancer.js';
import type { Observation } from '../calls/observation.js';
import type { SharedCalls } from '../calls/shared-calls.js';
import type { SoapAnswer } from './answer.js';

/** The data that a SOAP exchange carries from step to step. */
export interface SoapContext {
  readonly exchange: Exchange;
  readonly service: SoapService;
  readonly gate: GateOptions;
  readonly answer: SoapAnswer;
  readonly calls: SharedCalls;
  /** Null or absent where any address will do. */
  readonly affinity?: Affinity | null;
  /** Null or absent where no subscription wants its values. */
  readonly observation?: Observation | null;
}
