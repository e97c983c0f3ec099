import type { Buffer } from 'node:buffer';
import { expectedParts } from '../../compile/soap/operations/body-parts.js';
import type { SoapService } from '../../compile/soap/service.js';
import { EnvelopeValidator } from '../../soap/index.js';
import type { Operation } from '../../wsdl/index.js';
import type { XmlHandler } from '../../xml/index.js';

/** Feeds the child of Body of a request that is about to be sent to a handler. */
export function readRequest(
  service: SoapService,
  operation: Operation,
  message: Buffer,
  handler: XmlHandler,
): void {
  const parts = expectedParts([operation.input], true)(operation.input);
  const envelope = new EnvelopeValidator(service.replyRules, null, 'no detail', {
    onHeadValid: (seen) => seen.expectParts(parts),
    openBody: () => handler,
  });
  const reader = service.readers.take(envelope, null);
  reader.write(message);
  reader.end();
  service.readers.give(reader);
}
