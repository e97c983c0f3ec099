import type { Buffer } from 'node:buffer';
import { knownNamespace } from '../../compile/soap/operations/known-prefixes.js';
import type { SoapService } from '../../compile/soap/service.js';
import { tolerated } from '../../core/index.js';
import { type MessageReader, mime, mimeTypes } from '../../soap/index.js';
import type { ReplyHead, UpstreamReceiver } from '../../upstream/index.js';
import { ReplyRepair } from '../../xml/index.js';
import { withoutLength } from './changed-head.js';

/**
 * Stands before every receiver of a reply, and repairs its bytes as far as `tolerate` of the
 * operation allows. The receiver, which verifies, reads or keeps the reply, gets the repaired one.
 */
export class RepairingReceiver implements UpstreamReceiver {
  readonly #receiver: UpstreamReceiver;
  readonly #service: SoapService;
  readonly #tolerance: tolerated.Tolerance;
  readonly #onDeviation: (deviation: tolerated.Deviation) => void;
  /** Null before the head, and for content that cannot be an envelope. */
  #repair: mime.DocumentRepair | null = null;

  private constructor(
    receiver: UpstreamReceiver,
    service: SoapService,
    tolerance: tolerated.Tolerance,
    onDeviation: (deviation: tolerated.Deviation) => void,
  ) {
    this.#receiver = receiver;
    this.#service = service;
    this.#tolerance = tolerance;
    this.#onDeviation = onDeviation;
  }

  /** The receiver itself where nothing is repaired. */
  static before(
    receiver: UpstreamReceiver,
    service: SoapService,
    tolerance: tolerated.Tolerance,
    onDeviation: (deviation: tolerated.Deviation) => void,
  ): UpstreamReceiver {
    if (!tolerated.repairsBytes(tolerance)) return receiver;
    return new RepairingReceiver(receiver, service, tolerance, onDeviation);
  }

  sent(): void {
    this.#receiver.sent?.();
  }

  head(head: ReplyHead): void {
    const contentType = head.header('content-type');
    this.#repair = repairOf(contentType, this.#service, this.#tolerance, this.#onDeviation);
    this.#receiver.head(this.#repair === null ? head : withoutLength(head));
  }

  data(chunk: Buffer): void {
    this.#pass(this.#repair === null ? chunk : this.#repair.write(chunk));
  }

  end(): void {
    if (this.#repair !== null) {
      this.#pass(this.#repair.end());
    }
    this.#receiver.end();
  }

  failed(refusal: Parameters<UpstreamReceiver['failed']>[0]): void {
    this.#receiver.failed(refusal);
  }

  #pass(bytes: Buffer): void {
    if (bytes.length > 0) {
      this.#receiver.data(bytes);
    }
  }
}

/** The repair of a reply with this Content-Type; null for a package that cannot be read. */
export function repairOf(
  contentType: string | null,
  { mimeLimits, xmlLimits }: SoapService,
  tolerance: tolerated.Tolerance,
  onDeviation: (deviation: tolerated.Deviation) => void,
): mime.DocumentRepair | null {
  const seen = new Set<tolerated.Deviation>();
  const document = (charset: string | null): ReplyRepair =>
    new ReplyRepair(
      tolerance,
      charset,
      (deviation) => {
        if (seen.has(deviation)) return;
        seen.add(deviation);
        onDeviation(deviation);
      },
      knownNamespace,
      xmlLimits.messageBytes,
    );
  const type = mimeTypes.readMediaType(contentType ?? undefined);
  if (type?.name !== mime.PACKAGE) return document(type?.charset ?? null);
  try {
    return new mime.PackageRepair(
      mime.readPackageType(contentType ?? '', mimeLimits),
      (partType) => mimeTypes.readMediaType(partType ?? undefined)?.charset ?? null,
      document,
    );
  } catch {
    return null;
  }
}

/** Reads a message as it is once repaired; the message itself stays as it is: in monitor mode. */
export const readRepaired = (
  reader: MessageReader,
  repair: mime.DocumentRepair,
): MessageReader => ({
  get encoding() {
    return reader.encoding;
  },
  write: (chunk) => {
    const bytes = repair.write(chunk);
    if (bytes.length > 0) {
      reader.write(bytes);
    }
  },
  end: () => {
    const bytes = repair.end();
    if (bytes.length > 0) {
      reader.write(bytes);
    }
    reader.end();
  },
});
