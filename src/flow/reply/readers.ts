import type { SoapService } from '../../compile/soap/service.js';
import { type EnvelopeValidator, type MessageReader, mime } from '../../soap/index.js';
import type { XmlHandler, XmlReader } from '../../xml/index.js';

/**
 * The reader of one message: `xml` its envelope, to go back to the service, and `reader` all of it.
 */
export interface MessageReading {
  readonly xml: XmlReader;
  readonly reader: MessageReader;
  /** The reader of the package, which is `reader` itself; null where the message is no package. */
  readonly package: mime.MultipartReader | null;
}

/**
 * Readers for a message of a service: an envelope as it is, whose Content-Type names `charset`, or
 * the envelope in a package, whose part names its own, and whose other parts go to `attachments` as
 * far as that wants them. `handler` gets the events: the validator itself, or what passes them to
 * it. `isRequest`: it is a message of a caller. `held` collects a package before it is read.
 */
export function takeReaders(
  service: SoapService,
  envelope: EnvelopeValidator,
  charset: string | null,
  type: mime.PackageType | null,
  attachments: mime.AttachmentSink | null = null,
  handler: XmlHandler = envelope,
  isRequest = false,
  held: mime.HeldPackage | null = null,
): MessageReading {
  if (type === null) {
    const xml = take(service, handler, charset, isRequest);
    return { xml, reader: xml, package: null };
  }
  const references = new mime.References(service.mimeLimits.parts, isRequest);
  const xml = take(service, new mime.IncludeReader(handler, references), null, isRequest);
  const options = {
    type,
    limits: service.mimeLimits,
    messageBytes: service.xmlLimits.messageBytes,
    headBytes: service.gate.headBytes,
    onEnvelope: (mediaType: string, action: string | null) => envelope.expect(mediaType, action),
  };
  const parts = held?.before(xml, attachments) ?? { envelope: xml, attachments };
  const reader = new mime.MultipartReader(parts.envelope, references, {
    ...options,
    attachments: parts.attachments,
  });
  return { xml, reader, package: reader };
}

const take = (
  { readers }: SoapService,
  handler: XmlHandler,
  charset: string | null,
  isRequest: boolean,
): XmlReader =>
  isRequest ? readers.take(handler, charset) : readers.takeForReply(handler, charset);
