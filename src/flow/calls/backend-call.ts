import type { Buffer } from 'node:buffer';
import type { SoapService } from '../../compile/soap/service.js';
import type { UpstreamCall, UpstreamReceiver, UpstreamRequest } from '../../upstream/reply.js';
import type { Upstream } from '../../upstream/upstream.js';
import { InflatingReceiver } from './inflating-receiver.js';
import { type OwnBlocks, withBlocks } from './own-blocks.js';
import { VerifyingReceiver } from './verifying-receiver.js';

/** One request to the backend of a service, and the receiver of its reply. */
export interface BackendCall {
  readonly service: SoapService;
  /** Absent or null for that of the service. */
  readonly upstream?: Upstream | null;
  readonly request: UpstreamRequest;
  readonly receiver: UpstreamReceiver;
  /** Null where the message stays as it is. */
  readonly blocks: OwnBlocks | null;
}

/** Calls the backend once. */
export function callBackend({ service, upstream, request, receiver, blocks }: BackendCall): UpstreamCall {
  let signedValue: Buffer | null = null;
  const sent = withBlocks(request, blocks, (value) => {
    // A try that follows is signed anew, and the reply is to the last.
    signedValue = value;
  });
  const verified =
    service.replyVerification === null
      ? receiver
      : new VerifyingReceiver(
          receiver,
          service,
          service.replyVerification,
          request.operation ?? null,
          () => signedValue,
        );
  const inflating = new InflatingReceiver(verified, service.inflateLimits);
  inflating.begin((upstream ?? service.upstream).call(sent, inflating));
  return inflating;
}
