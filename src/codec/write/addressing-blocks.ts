import { randomUUID } from 'node:crypto';
import { type Dialect, headerBlocks } from '../../soap/index.js';
import { CLOSE, type ContentEvent } from '../plan/request/content-events.js';
import type { RequestPlan } from '../plan/request/request-plan.js';

/** The WS-Addressing of the requests of one operation, but for the MessageID. Made at start-up. */
export interface RequestAddressing {
  /** The namespace of its version. */
  readonly uri: string;
  readonly action: string;
  readonly to: string;
}

/** A header block that the gateway writes unless the plan of the request writes one of its name. */
export interface HeaderBlock {
  readonly name: { readonly uri: string; readonly local: string };
  readonly events: readonly ContentEvent[];
}

/** A MessageID that no other message has (RFC 9562 section 5.4). */
export const newMessageId = (): string => `urn:uuid:${randomUUID()}`;

/**
 * Action, To, MessageID and ReplyTo of a request whose reply comes by the same connection. A
 * backend must understand Action and To, as WCF and JAX-WS demand of it, or it would answer a
 * message that it cannot place.
 */
export function addressingBlocks(
  { uri, action, to }: RequestAddressing,
  { envelopeUri }: Dialect,
  messageId: string,
): readonly HeaderBlock[] {
  const block = (
    local: string,
    content: readonly ContentEvent[],
    isMandatory = false,
  ): HeaderBlock => {
    const name = { uri, local };
    const mandatory = {
      kind: 'attribute',
      name: { uri: envelopeUri, local: 'mustUnderstand' },
      value: '1',
    } as const;
    return {
      name,
      events: [{ kind: 'open', name }, ...(isMandatory ? [mandatory] : []), ...content, CLOSE],
    };
  };
  const text = (value: string): readonly ContentEvent[] => [{ kind: 'text', value }];
  const anonymous = uri === headerBlocks.WSA_1_0 ? `${uri}/anonymous` : `${uri}/role/anonymous`;
  return [
    block('Action', text(action), true),
    block('To', text(to), true),
    block('MessageID', text(messageId)),
    block('ReplyTo', [
      { kind: 'open', name: { uri, local: 'Address' } },
      ...text(anonymous),
      CLOSE,
    ]),
  ];
}

/** Whether the plan may write a MessageID itself: then that of the message is not known. */
export const writesMessageId = ({ headers, blocks = [] }: RequestPlan): boolean =>
  [...headers, ...blocks.map((block) => (block.kind === 'element' ? block.element : block))].some(
    ({ name }) => name.local === 'MessageID' && headerBlocks.isAddressing(name.uri),
  );

/**
 * The blocks whose names do not stand among the events of other blocks, whatever the version of
 * WS-Addressing.
 */
export function withoutWritten(
  blocks: readonly HeaderBlock[],
  written: readonly ContentEvent[],
): readonly ContentEvent[] {
  const names = new Set<string>();
  let depth = 0;
  for (const event of written) {
    if (event.kind === 'open' && depth++ === 0 && headerBlocks.isAddressing(event.name.uri)) {
      names.add(event.name.local);
    } else if (event.kind === 'close') {
      depth--;
    }
  }
  return blocks.filter(({ name }) => !names.has(name.local)).flatMap(({ events }) => events);
}
