import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { inputFiles } from '../../core/index.js';
import { ProtoWriter } from './proto-writer.js';

/** Keys of the configuration that traces, metrics and the log share for OTLP. */
export interface OtlpOptions {
  readonly otlp: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly ca?: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** The id of this process, whatever its configuration. */
const INSTANCE_ID = randomUUID();

/** A configuration has at most 128 attributes of 256 characters, in up to four bytes each. */
const ENVELOPE_BYTES_MAX = 256 * 1024;

/**
 * What comes before the items of an export request: spans, metrics and log records have the same
 * fields around them (`resource_spans`, its resource, `scope_spans`, its scope).
 */
export class Envelope {
  readonly #bytes: Uint8Array;
  readonly #resourceItems: number;
  readonly #scopeItems: number;

  constructor(attributes: OtlpOptions['attributes']) {
    const writer = new ProtoWriter(Buffer.allocUnsafeSlow(ENVELOPE_BYTES_MAX));
    this.#resourceItems = writer.begin(1);
    const resource = writer.begin(1);
    for (const [key, value] of resourceAttributes(attributes)) {
      writer.attribute(1, key, value);
    }
    writer.end(resource);
    this.#scopeItems = writer.begin(2);
    const scope = writer.begin(1);
    writer.text(1, 'soapstone');
    writer.end(scope);
    this.#bytes = Uint8Array.from(writer.bytes.subarray(0, writer.length));
  }

  /** Begins a request in an empty writer: items in the field `ITEM_FIELD` follow. */
  begin(writer: ProtoWriter): void {
    writer.copy(this.#bytes);
  }

  end(writer: ProtoWriter): void {
    writer.end(this.#scopeItems);
    writer.end(this.#resourceItems);
  }
}

/** The field of spans, metrics and log records in their scope. */
export const ITEM_FIELD = 2;

/** The process, as attributes of the resource; those of the configuration come first. */
const resourceAttributes = (
  attributes: OtlpOptions['attributes'],
): ReadonlyMap<string, string | number> =>
  new Map<string, string | number>([
    ['service.name', 'soapstone'],
    ['service.version', inputFiles.packageVersion()],
    ['service.instance.id', INSTANCE_ID],
    ['process.pid', process.pid],
    ...Object.entries(attributes),
  ]);
