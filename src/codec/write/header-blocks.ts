import { TEXT } from '../plan/lexical.js';
import type { ContentEvent } from '../plan/request/content-events.js';
import type { BlockPlan, TemplateEvent, TemplatePart } from '../plan/request/request-plan.js';
import { ContentEncoder } from './content.js';
import { type EncodeLimits, LeafEncoder } from './leaves.js';
import type { RequestContext } from './source.js';

/** Limits and context of the header blocks of one request. */
interface BlockOptions {
  readonly limits: EncodeLimits;
  readonly context: RequestContext;
}

/**
 * The events of the blocks that the configuration gives. Throws `InputError` for a value that is
 * missing or is no text.
 */
export function writeBlocks(
  blocks: readonly BlockPlan[],
  options: BlockOptions,
): readonly ContentEvent[] {
  return blocks.flatMap((block) =>
    block.kind === 'template' ? fillTemplate(block.events, options) : writeElement(block, options),
  );
}

function writeElement(
  { element, isOptional }: Extract<BlockPlan, { readonly kind: 'element' }>,
  options: BlockOptions,
): readonly ContentEvent[] {
  const events = new ContentEncoder(options, 'headers').elements([element], {});
  const isEmpty = !events.some(({ kind }) => kind === 'text' || kind === 'attribute');
  return isOptional && isEmpty ? [] : events;
}

function fillTemplate(
  events: readonly TemplateEvent[],
  { limits, context }: BlockOptions,
): readonly ContentEvent[] {
  const leaves = new LeafEncoder(limits, context);
  const textOf = (parts: readonly TemplatePart[]): string =>
    parts.map((part) => (typeof part === 'string' ? part : valueIn(leaves, part))).join('');
  return events.flatMap((event): readonly ContentEvent[] => {
    if (event.kind === 'filled attribute') {
      return [{ kind: 'attribute', name: event.name, value: textOf(event.parts) }];
    }
    if (event.kind !== 'filled text') return [event];
    const value = textOf(event.parts);
    return value === '' ? [] : [{ kind: 'text', value }];
  });
}

/** A value that is absent and not required is the empty text. */
function valueIn(
  leaves: LeafEncoder,
  { name, source, isRequired }: Exclude<TemplatePart, string>,
): string {
  const root = { above: null, step: 'headers', depth: 1 };
  return leaves.resolve(source, TEXT, isRequired, { above: root, step: name, depth: 2 }) ?? '';
}
