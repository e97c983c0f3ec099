import { Buffer } from 'node:buffer';
import type { RequestContext } from '../../codec/index.js';
import type { SoapService } from '../../compile/soap/service.js';
import { Refusal, TimeSlices } from '../../core/index.js';
import { blocksOfSoapCall, insertionOf } from '../../flow/calls/own-blocks.js';
import { Collected } from '../../flow/http/collected.js';
import { type MessageReading, takeReaders } from '../../flow/reply/readers.js';
import { readMessageType } from '../../flow/soap/request-head.js';
import { EnvelopeValidator, Gate, type mime } from '../../soap/index.js';
import type { MakeKeys } from '../configuration-keys.js';
import type { MessageOptions } from './message-options.js';
import { messageStream, type StreamedMessage } from './message-stream.js';
import { securityService } from './security-service.js';

/** How a message is signed. */
export interface SigningOptions extends MessageOptions {
  /** Claims of the caller, for an assertion about one of them (`saml.claim`). */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** A stream through which one message goes, to come out with a Security block. */
export interface SigningStream {
  readonly writable: WritableStream<Uint8Array>;
  readonly readable: ReadableStream<Uint8Array>;
}

/**
 * Writes a Security block into one message, and signs it: `body.pipeThrough(signMessage(rules))`.
 * `rules` are the keys of `security.make` of a service; a Security block that is there is
 * replaced. A signature stands before what it signs, so that the message comes out
 * when it is whole: it is held up to `limits.soap.bufferBytes`. A message that cannot be signed
 * ends its stream with a `MessageError`, rules that cannot be used with a `ConfigurationError`.
 */
export function signingStream(rules: MakeKeys, options: SigningOptions = {}): SigningStream {
  const open = async (): Promise<StreamedMessage> =>
    new SignedStream(await securityService('make', rules, options), options);
  const { readable, writable } = messageStream(open, { failed: () => {}, ended: () => {} });
  return { readable, writable };
}

const NO_CLAIMS = {};

/** Long messages are signed in turns. */
const slices = new TimeSlices();

/** One message that is signed. */
class SignedStream implements StreamedMessage {
  readonly hasWork = false;
  readonly #service: SoapService;
  readonly #claims: RequestContext['claims'];
  readonly #packageType: mime.PackageType | null;
  readonly #validator: EnvelopeValidator;
  readonly #reading: MessageReading;
  readonly #gate: Gate;
  #message: Buffer | null = null;
  #signed: readonly Buffer[] = [];

  constructor(service: SoapService, { contentType, claims }: SigningOptions) {
    const type = contentType === undefined ? null : readMessageType(contentType, service);
    this.#service = service;
    this.#claims = claims ?? NO_CLAIMS;
    this.#packageType = type?.package ?? null;
    this.#validator = new EnvelopeValidator(
      service.requestRules,
      type?.mediaType.name ?? null,
      'no detail',
    );
    this.#reading = takeReaders(
      service,
      this.#validator,
      type?.mediaType.charset ?? null,
      this.#packageType,
    );
    const collected = new Collected(service.heldBytes);
    this.#gate = new Gate(this.#reading.reader, this.#validator, service.gate, {
      whole: (message) => {
        this.#message = message;
      },
      begin: () => {},
      data: (part) => collected.add(part),
      end: () => {
        this.#message = collected.message();
      },
    });
  }

  write(part: Buffer): void {
    this.#gate.write(part);
  }

  work(): void {}

  async end(): Promise<void> {
    this.#gate.end();
    const { encoding } = this.#reading.xml;
    const form = { encoding, packageType: this.#packageType, wasEncrypted: false };
    const blocks = blocksOfSoapCall(this.#validator, this.#service, form, this.#claims);
    const message = this.#message ?? Buffer.alloc(0);
    if (blocks === null) throw new Refusal('SOAP_NOT_ENVELOPE');
    const { offsetBytes, make, seal } = insertionOf(blocks, null);
    const whole = Buffer.concat([
      message.subarray(0, offsetBytes),
      make(),
      message.subarray(offsetBytes),
    ]);
    this.#signed = [seal === undefined ? whole : await slices.run(seal(whole))];
  }

  take(): readonly Buffer[] {
    const signed = this.#signed;
    this.#signed = [];
    return signed;
  }
}
