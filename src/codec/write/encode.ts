import type { Buffer } from 'node:buffer';
import { defaultsOf } from '../../core/index.js';
import type { Dialect, headerBlocks } from '../../soap/index.js';
import type { QName } from '../../xml/index.js';
import { CODEC_LIMITS } from '../plan/limits.js';
import { CLOSE, type ContentEvent } from '../plan/request/content-events.js';
import type { RequestPlan } from '../plan/request/request-plan.js';
import { type HeaderBlock, withoutWritten } from './addressing-blocks.js';
import type { BinaryParts } from './binary-parts.js';
import { ContentEncoder } from './content.js';
import { writeBlocks } from './header-blocks.js';
import type { ReadonlyRecord } from './input-members.js';
import type { EncodeLimits } from './leaves.js';
import { render } from './render.js';
import { NO_CONTEXT, type RequestContext } from './source.js';

/** The arguments and header arguments of a call, by name, and the context of its request. */
export interface RequestValues {
  readonly arguments: ReadonlyRecord;
  readonly headers: ReadonlyRecord;
  readonly context?: RequestContext;
  /** Blocks of the gateway itself, which come first. */
  readonly blocks?: readonly HeaderBlock[];
  /**
   * Takes binary content out of the envelope; null or absent where the message cannot be a package.
   */
  readonly parts?: BinaryParts | null;
}

/**
 * The envelope of one request, complete, in UTF-8. Elements are in schema order and every namespace
 * that is needed, and no other, is declared on the Envelope. Throws `InputError` where the values
 * do not fit the plan.
 */
export function encodeRequest(
  plan: RequestPlan,
  dialect: Dialect,
  values: RequestValues,
  limits: EncodeLimits = DEFAULTS,
): Buffer {
  const { context = NO_CONTEXT, blocks: own = [], parts = null } = values;
  const declared = new ContentEncoder({ limits, context }, 'headers').elements(
    plan.headers,
    values.headers,
  );
  const configured = plan.blocks === undefined ? [] : writeBlocks(plan.blocks, { limits, context });
  const planned = configured.length === 0 ? declared : [...configured, ...declared];
  const blocks = own.length === 0 ? planned : [...withoutWritten(own, planned), ...planned];
  const encodingUri = plan.encoded === true ? dialect.encodingUri : null;
  const encoder = new ContentEncoder({ limits, context, encodingUri, parts }, 'arguments');
  const style = encodingUri === null ? [] : [encodingStyle(dialect)];
  const body =
    plan.body === null
      ? []
      : encoder.object(plan.body.name, plan.body.value, values.arguments, style);
  const envelope = (local: string): ContentEvent => ({
    kind: 'open',
    name: { uri: dialect.envelopeUri, local },
  });
  const header: readonly ContentEvent[] =
    blocks.length === 0 ? [] : [envelope('Header'), ...blocks, CLOSE];
  return render(
    [envelope('Envelope'), ...header, envelope('Body'), ...body, CLOSE, CLOSE],
    dialect,
  );
}

/**
 * The place of further header blocks in a message that `encodeRequest` wrote: the writer escapes
 * every `>` in values, so that the first three end the XML declaration, the Envelope's tag, and
 * that of Header or Body.
 */
export function placeInRequest(
  message: Buffer,
  { envelopeUri }: Dialect,
): headerBlocks.HeaderPlace {
  const envelopeEnd = endOfTag(message, endOfTag(message, 0));
  const partEnd = endOfTag(message, envelopeEnd);
  const isInHeader = message.toString('latin1', envelopeEnd, partEnd).endsWith(':Header>');
  return {
    offsetBytes: isInHeader ? partEnd : envelopeEnd,
    isInHeader,
    envelopeUri,
    encoding: 'utf-8',
  };
}

const endOfTag = (message: Buffer, start: number): number => message.indexOf('>', start) + 1;

/** The attribute for content by the SOAP encoding. */
function encodingStyle({ envelopeUri, encodingUri }: Dialect): ContentEvent {
  const name: QName = { uri: envelopeUri, local: 'encodingStyle' };
  return { kind: 'attribute', name, value: encodingUri };
}

const DEFAULTS: EncodeLimits = defaultsOf(CODEC_LIMITS);
