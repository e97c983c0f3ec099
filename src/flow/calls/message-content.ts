import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { ReadRule } from '../../cache/rules.js';
import { scalars } from '../../codec/index.js';
import type { SoapService } from '../../compile/soap/service.js';
import { EnvelopeValidator, headerBlocks } from '../../soap/index.js';

/**
 * The meaning of a message: two messages with one text are the same to a backend, however they are
 * written.
 */
export interface MessageContent {
  readonly text: string;
  /** Whether the reply may name its own request. */
  readonly isNumbered: boolean;
}

/** An envelope that was read, as far as its meaning needs it. */
export interface ReadMessage {
  readonly envelope: EnvelopeValidator;
  /** Null where the Body is empty. */
  readonly content: scalars.CanonicalHash | null;
  /** There are elements beside those that belong to the operation. */
  readonly hasFurther: boolean;
  /** The requested action, in the head of HTTP. */
  readonly action: string | null;
}

/** The content of a message; null where it holds more than is compared. */
export function messageContent({
  envelope,
  content,
  hasFurther,
  action,
}: ReadMessage): MessageContent | null {
  if (!envelope.isBare || hasFurther) return null;
  const digest = content === null ? '' : content.digest();
  if (digest === null || (content === null && envelope.operation !== null)) return null;
  return withHead(envelope, action, digest);
}

/** `content`: stands for the rest of the message. */
function withHead(
  { dialect, addressing, header }: EnvelopeValidator,
  action: string | null,
  content: string,
): MessageContent | null {
  if (dialect === null) return null;
  const delivery =
    addressing === null
      ? null
      : [
          orNone(addressing.to),
          addressing.action,
          orNone(addressing.replyTo),
          header?.deliveryBlocks ?? [],
        ];
  const text = JSON.stringify([dialect.name, action ?? '', content, delivery]);
  return { text, isNumbered: addressing !== null };
}

/** No address means the same as the anonymous one. */
const orNone = (address: string | null): string =>
  address === null || headerBlocks.isAnonymous(address) ? '' : address;

/** How the message of a GraphQL field is sent. */
interface SentBy {
  readonly action: string | null;
  /** The gateway writes the WS-Addressing of the message. */
  readonly isAddressed: boolean;
}

/**
 * The content of an envelope that was written for a GraphQL field. With header blocks, as a mapping
 * writes them, its bytes are compared: the same values are always written the same way. `message`
 * is without the WS-Addressing of the gateway. Null where it cannot be compared.
 */
export function envelopeContent(
  rule: ReadRule,
  service: SoapService,
  message: Buffer,
  { action, isAddressed }: SentBy,
): MessageContent | null {
  const read = readEnvelope(rule, service, message, action);
  if (read === null || !isAddressed) return read;
  // Replies to addressed calls have blocks that other callers do not expect, and name their own
  // request.
  return { text: `addressed ${read.text}`, isNumbered: true };
}

function readEnvelope(
  rule: ReadRule,
  service: SoapService,
  message: Buffer,
  action: string | null,
): MessageContent | null {
  const content = new scalars.CanonicalHash(rule);
  let hasFurther = false;
  const envelope = new EnvelopeValidator(service.replyRules, null, 'no detail', {
    onHeadValid: (seen) => seen.expectParts(service.requests.find(seen.operation)?.parts ?? null),
    openBody: () => content,
    openMultiRef: () => {
      hasFurther = true;
      return null;
    },
  });
  const reader = service.readers.take(envelope, null);
  try {
    reader.write(message);
    reader.end();
  } catch {
    // The backend will refuse it.
    return null;
  } finally {
    service.readers.give(reader);
  }
  if (!envelope.isBare) {
    return withHead(envelope, action, createHash('sha256').update(message).digest('base64url'));
  }
  return messageContent({
    envelope,
    content: envelope.operation === null ? null : content,
    hasFurther,
    action,
  });
}
