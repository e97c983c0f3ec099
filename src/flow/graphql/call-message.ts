import { Buffer } from 'node:buffer';
import type { Readable } from 'node:stream';
import { encodeRequest, type RequestContext, requestEncoding } from '../../codec/index.js';
import { Refusal } from '../../core/index.js';
import type { run } from '../../graphql/index.js';
import { mime } from '../../soap/index.js';
import { isOfAsker } from '../calls/call-parts.js';
import type { CallContext } from './call-context.js';
import { bodyOf, collectBody, withFiles } from './uploads/message-body.js';

type Writing = Pick<CallContext, 'service' | 'headers' | 'claims' | 'limits'>;

/** The message of one call. */
export interface CallMessage {
  /** The envelope by itself, with Includes for what is in parts, and placeholders for files. */
  readonly envelope: Buffer;
  /** Added to an offset in it, the offset in the body. */
  readonly envelopeOffset: number;
  /** The type of the body where that is a package; null: it is the envelope. */
  readonly packageType: mime.PackageType | null;
  /** Names and values of header fields in turn. */
  readonly headers: string[];
  /** Flows where files are in it whose length is not known. */
  readonly body: Buffer | Readable;
  /** It may be compared with those of other calls. */
  readonly isCompared: boolean;
  /** Files of the request are sent with it, which cannot be sent twice. */
  readonly hasFiles: boolean;
  /**
   * The envelope with all values in it and without the MessageID, which is another in each call. It
   * is written once.
   */
  plain(): Buffer;
  /** `plain` without values that name one request: an idempotency key stands for it. */
  keyed(): Buffer;
}

/**
 * Throws `InputError`, or another `Refusal`, where the arguments of a call cannot be written. Sends
 * nothing.
 */
export function checkCallArguments(call: run.CallToCheck, writing: Writing): void {
  write(call, writing, null);
}

/**
 * Writes the message of a call; a file in it flows when the message is sent. Throws as
 * `checkCallArguments` does.
 */
export function writeCallMessage(
  call: run.CallToCheck,
  writing: Writing,
  messageId: string | null,
): CallMessage {
  const { service, headers, claims, limits } = writing;
  const { envelope, head, parts, attachments } = write(call, writing, messageId);
  const [dialect] = service.dialects;
  const included = parts.parts;
  // Stacks that read the root of a package as text (spyne) refuse a declaration there.
  const skippedBytes = included.length > 0 ? requestEncoding.XML_DECLARATION.length : 0;
  const pieces = withFiles(envelope.subarray(skippedBytes), parts.files);
  const isPackage = included.length + attachments.length > 0;
  const form = {
    mediaType: dialect.mediaType,
    action: dialect.actionHeader ? null : head.action,
    isXop: included.length > 0,
  };
  const packaged = isPackage
    ? mime.writePackage(pieces, form, [...included, ...attachments])
    : null;
  const written = packaged?.pieces ?? pieces;
  const body = bodyOf(written);
  const isFlowing = !Buffer.isBuffer(body);
  let plain = messageId === null && included.length === 0 ? envelope : null;
  const writeWith = (fields: Writing['headers']): Buffer =>
    encodeRequest(
      call.bound.requestPlan,
      dialect,
      valuesOf(call, { headers: fields, claims }, [], new requestEncoding.BinaryParts('none')),
      limits,
    );
  return {
    envelope,
    envelopeOffset: packaged === null ? 0 : packaged.envelopeOffset - skippedBytes,
    packageType: packaged === null ? null : packaged.type,
    headers:
      packaged === null
        ? [...head.fields]
        : ['content-type', packaged.contentType, ...withoutType(head.fields)],
    body,
    // Attachments are not compared, and files cannot be before they are sent.
    isCompared: attachments.length === 0 && !isFlowing,
    hasFiles: isFlowing,
    plain() {
      plain ??= writeWith(headers);
      return plain;
    },
    keyed() {
      if (service.callerFields.inRequests.every(isOfAsker)) return this.plain();
      try {
        return writeWith(withoutRequestNames(headers));
      } catch (caught) {
        // The type of an element may not have the value that stands for all.
        if (caught instanceof Refusal) return this.plain();
        throw caught;
      }
    },
  };
}

/**
 * The message with a known length, where its backend wants one: files are collected, up to
 * `bufferBytes`. Null: they flow. Rejects with a refusal of the files.
 */
export async function withLength(
  message: CallMessage,
  bufferBytes: number | null,
): Promise<CallMessage> {
  if (bufferBytes === null || Buffer.isBuffer(message.body)) return message;
  return { ...message, body: await collectBody(message.body, bufferBytes) };
}

function write(
  call: run.CallToCheck,
  { service, headers, claims, limits }: Writing,
  messageId: string | null,
) {
  const { operation, requestPlan } = call.bound;
  const [dialect] = service.dialects;
  const head = service.callHead(operation);
  const addressing = service.addressing?.get(operation) ?? null;
  const blocks =
    addressing === null || messageId === null
      ? []
      : requestEncoding.addressingBlocks(addressing, dialect, messageId);
  const parts = new requestEncoding.BinaryParts(head.included);
  const values = valuesOf(call, { headers, claims }, blocks, parts);
  const envelope = encodeRequest(requestPlan, dialect, values, limits);
  return {
    envelope,
    head,
    parts,
    attachments: requestEncoding.encodeAttachments(requestPlan.attachments ?? [], values, limits),
  };
}

/** Written out and not spread: a spread takes some microseconds of each call. */
const valuesOf = (
  call: run.CallToCheck,
  { headers, claims }: Pick<RequestContext, 'headers' | 'claims'>,
  blocks: readonly requestEncoding.HeaderBlock[],
  parts: requestEncoding.BinaryParts,
): Required<requestEncoding.RequestValues> => ({
  arguments: call.arguments,
  headers: call.headers,
  context: { headers, claims, page: call.page ?? null },
  blocks,
  parts,
});

/** The fields of a request with one value for all that name one request. */
const withoutRequestNames = (headers: Writing['headers']): Writing['headers'] =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isOfAsker(name) ? value : '0']),
  );

/** Names and values in turn, without the media type. */
const withoutType = (fields: readonly string[]): readonly string[] =>
  fields.filter((_, at) => fields[at - (at % 2)] !== 'content-type');
