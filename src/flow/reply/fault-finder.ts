import type { Buffer } from 'node:buffer';
import type { SoapService } from '../../compile/soap/service.js';
import { EnvelopeValidator } from '../../soap/index.js';
import type { ReplyHead } from '../../upstream/index.js';
import type { Operation } from '../../wsdl/index.js';
import { type MessageReading, takeReaders } from './readers.js';
import { checkReplyHead, type ReplyForm } from './reply-head.js';

/**
 * Finds out whether a reply is one of some Faults: by code, subcode, or the name of an entry of its
 * detail.
 */
export class FaultFinder {
  /** The reply is none of them: the rest need not be written. */
  isOther = false;
  readonly #service: SoapService;
  readonly #names: ReadonlySet<string>;
  readonly #envelope: EnvelopeValidator;
  #reading: MessageReading | null;
  #hasEntry = false;

  constructor(service: SoapService, names: ReadonlySet<string>, form: ReplyForm) {
    this.#service = service;
    this.#names = names;
    this.#envelope = new EnvelopeValidator(service.replyRules, null, 'all', {
      onHeadValid: ({ operation, dialect }) => {
        this.isOther = operation?.local !== 'Fault' || operation.uri !== dialect?.envelopeUri;
      },
      openBody: () => null,
      openDetailEntry: ({ local }) => {
        this.#hasEntry ||= names.has(local);
        return null;
      },
    });
    this.#reading = takeReaders(service, this.#envelope, form.type.charset, form.package);
  }

  /** A message that breaks the rules is for its receiver to refuse. */
  write(chunk: Buffer): void {
    try {
      this.#reading?.reader.write(chunk);
    } catch {
      this.isOther = true;
    }
  }

  /** The reply is over. Returns whether it is one of the Faults. */
  end(): boolean {
    const fault = this.endAny();
    if (fault === null) return false;
    const { code } = fault.parts;
    // SOAP 1.1 writes subcodes behind dots.
    const codes = [code, code.slice(code.lastIndexOf('.') + 1), ...fault.particulars.subcodes];
    return this.#hasEntry || codes.some((each) => this.#names.has(each));
  }

  /** The reply is over. Returns the Fault that it is, of any name; null for another reply. */
  endAny(): EnvelopeValidator['fault'] {
    if (this.isOther) return null;
    try {
      this.#reading?.reader.end();
    } catch {
      return null;
    }
    return this.#envelope.fault;
  }

  /** Gives its reader back. */
  release(): void {
    if (this.#reading !== null) {
      this.#service.readers.give(this.#reading.xml);
    }
    this.#reading = null;
  }
}

/** Null where no envelope can follow this head. */
export function findFault(
  head: ReplyHead,
  service: SoapService,
  names: ReadonlySet<string>,
  operation: Operation | null,
): FaultFinder | null {
  try {
    const form = checkReplyHead(head, service, service.toleranceOf(operation));
    return form === null ? null : new FaultFinder(service, names, form);
  } catch {
    return null;
  }
}
