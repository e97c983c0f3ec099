import { createHash, randomBytes } from 'node:crypto';
import type { Client } from '../../access/client.js';
import { isRecord, jsonValues, type sharedState } from '../../core/index.js';
import { TextSeal } from '../../gateway/text-seal.js';
import type { DescribedOperation } from '../../graphql/index.js';
import { CODES, type McpMessage, ProtocolError } from './message.js';
import type { Confirmed, PendingConfirmations } from './pending-confirmations.js';
import { questionText } from './question.js';
import { errorResult, type ToolResult } from './tool-call.js';

/** The key of the one question that is asked. */
const QUESTION = 'confirm';
const VERSION = 1;

/** A call that a person has to confirm. */
export interface CallToConfirm {
  readonly described: DescribedOperation;
  readonly values: Readonly<Record<string, unknown>>;
  readonly client: Client;
}

/**
 * A result that asks the person behind the agent, who calls again with the answer and the state.
 */
interface InputRequired {
  readonly resultType: 'input_required';
  readonly inputRequests: Readonly<Record<string, unknown>>;
  readonly requestState: string;
}

/** What the confirmations of one generation are made with. */
interface ConfirmationParts {
  /** Keys of the configuration; empty: the secret of the process seals. */
  readonly keys: readonly string[];
  readonly confirmMillis: number;
  readonly pendingMax: number;
  readonly pending: PendingConfirmations;
  /** Shared by replicas; null: processes remember for themselves. */
  readonly nonces: sharedState.NonceStore | null;
}

/**
 * Has persons confirm calls. An answer counts for the call that was asked about alone: its client,
 * its tool, its arguments, for a limited time, and once. What the client keeps of that between two
 * requests is sealed (`requestState`).
 */
export class Confirmations {
  readonly #parts: ConfirmationParts;
  readonly #states: TextSeal;
  readonly #sessions: TextSeal;

  constructor(parts: ConfirmationParts) {
    const { keys, pending } = parts;
    const [first = pending.secret, ...others] = keys;
    this.#parts = parts;
    this.#states = new TextSeal('soapstone confirmation', [first, ...others]);
    this.#sessions = new TextSeal('soapstone mcp session', [first, ...others]);
  }

  get limits(): { readonly max: number; readonly millis: number } {
    return { max: this.#parts.pendingMax, millis: this.#parts.confirmMillis };
  }

  /**
   * What a call of the revision without sessions is answered instead of being made; null once a
   * person has confirmed it. Rejects with a `ProtocolError` for a client that cannot ask.
   */
  async required(
    { capabilities, params }: McpMessage,
    call: CallToConfirm,
  ): Promise<ToolResult | InputRequired | null> {
    if (!canAsk(capabilities)) {
      throw new ProtocolError(CODES.missingCapability, 'The tool asks for a confirmation', 400, {
        requiredCapabilities: { elicitation: {} },
      });
    }
    const answers = isRecord(params['inputResponses']) ? params['inputResponses'] : {};
    const answer = answers[QUESTION];
    if (!isRecord(answer)) return this.#question(call);
    if (answer['action'] !== 'accept') return errorResult(endText('declined'));
    const used = await this.#use(params['requestState'], call);
    if (used === 'new') return null;
    return used === 'unknown' ? errorResult(UNRECORDED) : this.#question(call);
  }

  /** The session of a client of an earlier revision that can ask; null for any other. */
  sessionFor(params: McpMessage['params'], client: Client): string | null {
    const capabilities = params['capabilities'];
    if (!isRecord(capabilities) || !canAsk(capabilities)) return null;
    return this.#sessions.seal(JSON.stringify([VERSION, client.id]));
  }

  /**
   * Whether the client of a session can ask. Throws a `ProtocolError` for a session of an earlier
   * start, or of another client.
   */
  canAskIn(session: string | null, client: Client): boolean {
    if (session === null) return false;
    const opened = partsOf(this.#sessions.open(session));
    if (opened?.[0] === VERSION && opened[1] === client.id) return true;
    throw new ProtocolError(CODES.invalidRequest, 'Session not found: initialize again.', 404);
  }

  /** Takes the answer to a question that a call of an earlier revision waits for. */
  take(raw: Readonly<Record<string, unknown>>, client: Client): void {
    const { id, result } = raw;
    if (typeof id !== 'string') return;
    const isAccepted = isRecord(result) && result['action'] === 'accept';
    this.#parts.pending.answer(id, client.id, isAccepted);
  }

  #question({ described, values, client }: CallToConfirm): InputRequired {
    const endsMillis = Date.now() + this.#parts.confirmMillis;
    const name = randomBytes(16).toString('base64url');
    const state = [VERSION, client.id, callName(described), digestOf(values), endsMillis, name];
    return {
      resultType: 'input_required',
      inputRequests: {
        [QUESTION]: {
          method: 'elicitation/create',
          params: { mode: 'form', ...elicitation(described, values) },
        },
      },
      requestState: this.#states.seal(JSON.stringify(state)),
    };
  }

  /** Uses the state of a question about this very call. */
  async #use(sealed: unknown, call: CallToConfirm): Promise<'new' | 'seen' | 'unknown'> {
    const state = typeof sealed === 'string' ? partsOf(this.#states.open(sealed)) : null;
    const [version, client, tool, digest, endsMillis, name] = state ?? [];
    const isOfCall =
      version === VERSION &&
      client === call.client.id &&
      tool === callName(call.described) &&
      digest === digestOf(call.values);
    const now = Date.now();
    if (!isOfCall || typeof endsMillis !== 'number' || typeof name !== 'string') return 'seen';
    if (endsMillis <= now) return 'seen';
    const { nonces, pending } = this.#parts;
    const used = await pending.use(name, endsMillis);
    if (used !== 'new' || nonces === null) return used === 'full' ? 'unknown' : used;
    return nonces.claim('mcp confirmation', { key: name, equivalentKeys: [] }, endsMillis - now);
  }
}

/** The params of a question. */
export const elicitation = (
  { field }: DescribedOperation,
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => ({
  message: questionText(field.name, values),
  requestedSchema: { type: 'object', properties: {} },
});

/** What a client is told of a call that was not made. */
export const endText = (how: Exclude<Confirmed, 'accepted'>): string => NOT_MADE[how];

const NOT_MADE: Readonly<Record<Exclude<Confirmed, 'accepted'>, string>> = {
  declined: 'It was not confirmed, and nothing was sent.',
  late: 'Nothing was sent: the question was not answered in time.',
  gone: 'Nothing was sent: the client has gone.',
  full: 'Nothing was sent: no further call can wait for a confirmation now. Try again later.',
};

/**
 * Whether the answer was used before is not known: Redis is away or late, or too many were used.
 */
const UNRECORDED =
  'Nothing was sent: the confirmation could not be recorded as used. Try again later.';

/** The tool asks a person, and the client cannot do that. */
export const CANNOT_ASK =
  'Nothing was sent: this tool asks a person for a confirmation, and the client has no ' +
  'capability `elicitation`, or takes no text/event-stream.';

/** Whether a client shows forms: a capability without modes is one for forms. */
function canAsk(capabilities: Readonly<Record<string, unknown>>): boolean {
  const { elicitation: modes } = capabilities;
  return isRecord(modes) && (Object.keys(modes).length === 0 || isRecord(modes['form']));
}

const callName = ({ service, name }: DescribedOperation): string => `${service}.${name}`;

const partsOf = (text: string | null): readonly unknown[] | null => {
  const parts: unknown = text === null ? null : jsonValues.parsedJson(text);
  return Array.isArray(parts) ? parts : null;
};

/** The arguments by their content: the order of members has no meaning. */
const digestOf = (values: unknown): string =>
  createHash('sha256').update(JSON.stringify(values, inOrder)).digest('base64url');

const inOrder = (_key: string, value: unknown): unknown =>
  isRecord(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value;
