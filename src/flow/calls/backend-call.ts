import type { SoapService } from '../../compile/soap/service.js';
import type { tolerated } from '../../core/index.js';
import type {
  Upstream,
  UpstreamCall,
  UpstreamReceiver,
  UpstreamRequest,
} from '../../upstream/index.js';
import type { Operation } from '../../wsdl/index.js';
import { BlankReceiver, mayBeBlank } from '../reply/blank-receiver.js';
import { InflatingReceiver } from '../reply/inflating-receiver.js';
import { PackageReceiver } from '../reply/package-receiver.js';
import { RepairingReceiver } from '../reply/repairing-receiver.js';
import { VerifyingReceiver } from '../reply/verifying-receiver.js';
import { type OwnBlocks, withBlocks } from './own-blocks.js';

/** One request to the backend of a service, and the receiver of its reply. */
export interface BackendCall {
  readonly service: SoapService;
  /** Absent or null for that of the service. */
  readonly upstream?: Upstream | null;
  /** Null where it is not known. */
  readonly operation: Operation | null;
  readonly request: UpstreamRequest;
  readonly receiver: UpstreamReceiver;
  /** Null where the message stays as it is. */
  readonly blocks: OwnBlocks | null;
  /** Called with each deviation of the bytes of the reply that is repaired; absent: nothing is. */
  readonly onRepaired?: (deviation: tolerated.Deviation) => void;
}

/** Calls the backend once. */
export function callBackend(call: BackendCall): UpstreamCall {
  const { service, upstream, request, receiver, blocks } = call;
  const { replyVerification } = service;
  const verifying =
    replyVerification === null ? null : new VerifyingReceiver(call, replyVerification);
  const reader = repaired(call, verifying ?? receiver);
  const inflating = new InflatingReceiver(reader, service.inflateLimits);
  verifying?.begin(inflating);
  inflating.begin(
    (upstream ?? service.upstream).call(withBlocks(request, blocks, verifying), inflating),
  );
  return inflating;
}

/** The receiver, behind those that change what comes before it is read. */
function repaired(
  { service, operation, onRepaired }: BackendCall,
  receiver: UpstreamReceiver,
): UpstreamReceiver {
  if (onRepaired === undefined) return receiver;
  const tolerance = service.toleranceOf(operation);
  const repairing = RepairingReceiver.before(receiver, service, tolerance, onRepaired);
  const reader = mayBeBlank(service, operation) ? new BlankReceiver(repairing) : repairing;
  return PackageReceiver.before(reader, service, tolerance, onRepaired);
}
