import type { SoapService } from '../../compile/soap/service.js';
import { getOrMake } from '../../core/index.js';
import { mayHoldCredentials } from '../../gateway/credential-fields.js';
import { fieldOf } from '../record/capturing-receiver.js';
import { MessageRewriter, type MessageTypes } from '../record/message-rewriter.js';
import type { ValueReplacer } from '../record/replaced-value.js';
import type { ExchangeView, FieldView, MessageView } from './exchange-view.js';
import type { KeptExchange, KeptMessage } from './kept-exchange.js';

const REWRITERS = new WeakMap<SoapService, MessageRewriter>();

/** An exchange as an operator sees it: its values replaced, or all but those that are masked. */
export function showExchange(
  exchange: KeptExchange,
  values: ExchangeView['values'],
  replacer: ValueReplacer,
): ExchangeView {
  const { service, operation, id, requestId, startedMillis, millis, status, code } = exchange;
  const rewriter = getOrMake(
    REWRITERS,
    service,
    () => new MessageRewriter(service, service.inspection?.masked ?? new Set()),
  );
  const declared = service.operations.find(({ name }) => name === operation);
  const withheld = service.inspection?.credentialFields ?? new Set();
  const types = declared === undefined ? null : rewriter.typesOf(declared);
  const show = (message: KeptMessage, side: keyof MessageTypes): MessageView => ({
    fields: showFields(message.fields, withheld, values, replacer),
    ...showEnvelope(message, (body) =>
      types === null
        ? null
        : rewriter.rewrite(
            body,
            fieldOf(message.fields, 'content-type'),
            types[side],
            replacer,
            values === 'replaced',
          ),
    ),
  });
  return {
    id,
    requestId,
    startedMillis,
    millis,
    status,
    code,
    values,
    request: show(exchange.request, 'request'),
    reply: exchange.reply === null ? null : show(exchange.reply, 'reply'),
  };
}

type Body = NonNullable<KeptMessage['body']>;

function showEnvelope(
  { body, missing }: KeptMessage,
  rewrite: (body: Body) => Body | null,
): Pick<MessageView, 'envelope' | 'why'> {
  if (body === null) return { envelope: null, why: missing };
  const envelope = rewrite(body)?.toString('utf8') ?? null;
  return { envelope, why: envelope === null ? 'unreadable' : null };
}

/** Fields whose values are of the protocol, and tell nothing of a caller. */
const PROTOCOL: ReadonlySet<string> = new Set([
  ...['accept', 'accept-encoding', 'age', 'allow', 'cache-control', 'connection', 'date', 'expect'],
  ...['content-encoding', 'content-length', 'content-type', 'keep-alive', 'mime-version', 'server'],
  ...['retry-after', 'soapaction', 'transfer-encoding', 'user-agent', 'vary', 'via'],
]);

function showFields(
  fields: readonly string[],
  withheld: ReadonlySet<string>,
  values: ExchangeView['values'],
  replacer: ValueReplacer,
): readonly FieldView[] {
  const shown: FieldView[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [name = '', value = ''] = fields.slice(at, at + 2);
    const isOpen = values === 'kept' || PROTOCOL.has(name);
    const text = isOpen ? value : replacer.replace(value, null);
    const isWithheld = withheld.has(name) || mayHoldCredentials(name);
    shown.push({ name, value: isWithheld ? null : text });
  }
  return shown;
}
