import { asRefusal, type Cancellation, isRecord, Refusal, refusals } from '../../core/index.js';
import {
  admission,
  type DescribedOperation,
  type GraphqlResponse,
  type namedOperations,
} from '../../graphql/index.js';
import { charge } from '../calls/authorize.js';
import { consultAboutPath } from '../calls/consult-policy.js';
import type { HttpExchange } from '../calls/http-exchange.js';
import type { GraphqlEndpoint } from '../graphql/endpoint.js';
import { type CallerHost, hostOfRequest } from '../graphql/host.js';
import { readJsonText } from '../graphql/read-body.js';
import { sendAnswer } from '../graphql/send-answer.js';
import type { Accepted } from '../http/sentence.js';
import { isKey, KEY_FORM } from '../idempotency/keyed-request.js';
import {
  CANNOT_ASK,
  type CallToConfirm,
  type Confirmations,
  elicitation,
  endText,
} from './confirmation.js';
import {
  CODES,
  idOf,
  type McpMessage,
  ProtocolError,
  readMcpMessage,
  SUPPORTED,
  WITH_HANDSHAKE,
} from './message.js';
import type { PendingConfirmations } from './pending-confirmations.js';
import { QuestionStream } from './question-stream.js';
import { callTool, errorResult, type ToolResult } from './tool-call.js';
import type { ToolList } from './tool-list.js';

const MCP_ACCEPTED: Accepted = {
  mediaTypes: ['application/json'],
  protocol: 'the Model Context Protocol',
};

/** The parts of the endpoint for agents, made once a generation. */
export interface McpParts {
  readonly endpoint: GraphqlEndpoint;
  readonly calls: namedOperations.DescribedCalls;
  readonly tools: ToolList;
  /** Operations that a person has to confirm. */
  readonly confirmed: ReadonlySet<DescribedOperation>;
  readonly confirmations: Confirmations;
  readonly pending: PendingConfirmations;
  readonly answerBytes: number;
  readonly path: string;
  readonly serverInfo: { readonly name: string; readonly version: string };
}

/** One message in progress. */
interface Turn {
  readonly asked: HttpExchange;
  readonly host: CallerHost;
  readonly departure: Cancellation;
  /** Carries the response where a question goes out before it. */
  readonly stream: QuestionStream;
}

/** How long clients may take a list of tools for current. */
const LIST_MILLIS = 60_000;

/** Answers one message of an agent. Rejects with `CLIENT_GONE`, or with a bug. */
export async function answerMcp(parts: McpParts, asked: HttpExchange): Promise<void> {
  const { host, departure } = hostOfRequest(parts.endpoint, asked, null, 'mcp');
  const turn = { asked, host, departure, stream: new QuestionStream(asked) };
  const answer = await answerOf(parts, turn);
  if (departure.aborted) throw new Refusal('CLIENT_GONE');
  if (answer === null) return;
  await sendAnswer(parts.endpoint, asked, answer, {
    accepted: MCP_ACCEPTED,
    workMillis: () => host.workMillis,
  });
}

/** Null where the answer has gone out as a stream. */
async function answerOf(parts: McpParts, turn: Turn): Promise<GraphqlResponse | null> {
  const { asked, host, stream } = turn;
  const { request } = asked;
  let id: string | number | null = null;
  const answered = (status: number, body: unknown): GraphqlResponse | null => {
    if (!stream.hasBegun) return response(status, body);
    stream.end(body);
    return null;
  };
  try {
    const raw = await readRaw(parts.endpoint, asked);
    host.startWork();
    id = idOf(raw);
    const message = readMcpMessage(raw, request.headers);
    if (message.id === null) {
      if (message.method === '' && isRecord(raw)) {
        parts.confirmations.take(raw, asked.caller.client);
      }
      return ACCEPTED;
    }
    const result = await resultOf(parts, turn, message);
    const body = { jsonrpc: '2.0', id: message.id, result: decorated(result, message, parts) };
    return withSession(answered(200, body), parts, message, asked);
  } catch (caught) {
    if (caught instanceof ProtocolError) {
      const { code, message, status, data } = caught;
      if (asked.exchange.refusal === null) {
        host.refused(new Refusal('BAD_REQUEST', message));
      }
      const error = { code, message, ...(data === undefined ? {} : { data }) };
      return answered(status, { jsonrpc: '2.0', ...(id === null ? {} : { id }), error });
    }
    const refusal = asRefusal(caught);
    if (refusal.code === 'CLIENT_GONE') throw refusal;
    host.refused(refusal);
    return answered(refusals.wireStatus(refusal, 'http'), refusedMessage(refusal, id));
  }
}

/** The session of a client that can be asked, in which its later messages come. */
function withSession(
  answer: GraphqlResponse | null,
  { confirmed, confirmations }: McpParts,
  { method, params }: McpMessage,
  { caller }: HttpExchange,
): GraphqlResponse | null {
  if (answer === null || method !== 'initialize' || confirmed.size === 0) return answer;
  const session = confirmations.sessionFor(params, caller.client);
  return session === null
    ? answer
    : { ...answer, headers: { ...answer.headers, [SESSION]: session } };
}

const SESSION = 'mcp-session-id';

const ACCEPTED: GraphqlResponse = { status: 202, headers: {}, body: null };

/** The message of a refusal: it is none of the protocol. */
export function refusedMessage(refusal: Refusal, id: string | number | null = null): unknown {
  const isText = refusal.code === 'BAD_REQUEST';
  const own = refusal.isOfCaller ? CODES.invalidRequest : CODES.internal;
  const error = {
    code: isText ? CODES.parse : own,
    message: isText && refusal.detail !== null ? refusal.detail : refusal.message,
    data: { code: refusal.code },
  };
  return { jsonrpc: '2.0', ...(id === null ? {} : { id }), error };
}

function response(status: number, body: unknown): GraphqlResponse {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
  };
  if (status === 405) {
    headers['allow'] = 'POST';
  }
  return { status, headers, body: JSON.stringify(body) };
}

async function readRaw(
  { operations, bodyBytesMax }: GraphqlEndpoint,
  asked: HttpExchange,
): Promise<unknown> {
  if (asked.request.method !== 'POST') throw new Refusal('HTTP_METHOD');
  return admission.parseJson(
    await readJsonText(bodyBytesMax, asked),
    admission.boundsOf(operations.limits, 1),
  );
}

/** Adds what results of the revision without sessions have. */
function decorated(result: object, { isStateless }: McpMessage, { serverInfo }: McpParts): object {
  if (!isStateless) return result;
  return {
    resultType: 'complete',
    ...result,
    _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
  };
}

async function resultOf(parts: McpParts, turn: Turn, message: McpMessage): Promise<object> {
  const { asked } = turn;
  const { method, params, isStateless } = message;
  const { exchange, caller } = asked;
  switch (method) {
    case 'tools/list': {
      const callable = await parts.tools.callable(caller.client);
      await enter(parts, asked, 'tools/list', parts.tools.listPoints(callable));
      const tools = await parts.tools.list(callable);
      return isStateless ? { tools, ...cacheHints(parts) } : { tools };
    }
    case 'tools/call':
      return call(parts, turn, message);
    case 'server/discover':
      if (!isStateless) break;
      exchange.operation = 'server/discover';
      return { supportedVersions: SUPPORTED, ...describeServer(parts), ...cacheHints(parts) };
    case 'initialize': {
      if (isStateless) break;
      exchange.operation = 'initialize';
      const wanted = params['protocolVersion'];
      const protocolVersion =
        WITH_HANDSHAKE.find((version) => version === wanted) ?? WITH_HANDSHAKE[0];
      return { protocolVersion, ...describeServer(parts) };
    }
    case 'ping':
      if (isStateless) break;
      exchange.operation = 'ping';
      return {};
  }
  throw new ProtocolError(CODES.unknownMethod, 'Method not found', isStateless ? 404 : 200);
}

const describeServer = ({ serverInfo }: McpParts): object => ({
  capabilities: { tools: {} },
  serverInfo,
});

/** What one client may list another may not, where there are clients. */
const cacheHints = ({ endpoint }: McpParts): object => ({
  ttlMs: LIST_MILLIS,
  cacheScope: endpoint.callerCaching.isPrivate ? 'private' : 'public',
});

/** Lets a request pass that calls no operation, for its price. */
async function enter(
  { endpoint, path }: McpParts,
  asked: HttpExchange,
  operation: string,
  points: number,
): Promise<void> {
  asked.exchange.operation = operation;
  charge(asked.caller, points);
  await consultAboutPath(endpoint.policy, asked, null, path);
}

async function call(parts: McpParts, turn: Turn, message: McpMessage): Promise<object> {
  const { asked, host } = turn;
  const { name, arguments: given = {} } = message.params;
  const { client } = asked.caller;
  if (typeof name !== 'string') {
    throw new ProtocolError(CODES.invalidParams, 'The name of a tool is needed.', 200);
  }
  if (!isRecord(given)) {
    throw new ProtocolError(CODES.invalidParams, 'The arguments must be an object.', 200);
  }
  host.ownKey = keyOf(message.params);
  const tool = parts.tools.find(client, name);
  if (tool === null) throw unknownTool(name, host);
  if (tool.kind === 'search') return search(parts, asked, given);
  if (tool.kind === 'operation') {
    return confirmedCall(parts, turn, message, {
      described: tool.described,
      values: given,
      client,
    });
  }
  const { name: wanted, arguments: values = {} } = given;
  const found = typeof wanted === 'string' ? parts.tools.find(client, wanted) : null;
  if (found?.kind !== 'operation') {
    return refusedResult('There is no such tool: search_tools finds those that are.', host);
  }
  if (found.described.isRead !== tool.isRead) {
    return refusedResult(
      `This tool ${tool.isRead ? 'may change something' : 'only reads'}: use the other one.`,
      host,
    );
  }
  if (!isRecord(values)) return refusedResult('/arguments must be an object.', host);
  return confirmedCall(parts, turn, message, { described: found.described, values, client });
}

/** The member in which agents send the idempotency key of a call. */
const IDEMPOTENCY_KEY = 'soapstone/idempotency-key';

/** The idempotency key of a call; null without one. Throws a `ProtocolError` for what is no key. */
function keyOf({ _meta: meta }: McpMessage['params']): string | null {
  const key = isRecord(meta) ? meta[IDEMPOTENCY_KEY] : undefined;
  if (key === undefined) return null;
  if (isKey(key)) return key;
  const text = `_meta["${IDEMPOTENCY_KEY}"] must be a ${KEY_FORM}.`;
  throw new ProtocolError(CODES.invalidParams, text, 200);
}

/** The price of a question; the call itself is charged when it is made. */
const QUESTION_POINTS = 1;

/** Calls the operation of a tool, once a person has confirmed it where that is demanded. */
async function confirmedCall(
  parts: McpParts,
  turn: Turn,
  message: McpMessage,
  call: CallToConfirm,
): Promise<object> {
  const { calls, confirmed, confirmations, answerBytes } = parts;
  const { described, values } = call;
  let instead: object | null = null;
  if (confirmed.has(described)) {
    instead = message.isStateless
      ? await confirmations.required(message, call)
      : await askInStream(parts, turn, call);
  }
  if (instead !== null && !('isError' in instead)) {
    await enter(parts, turn.asked, 'tools/call question', QUESTION_POINTS);
  }
  const { schema } = parts.endpoint.operations.built;
  return instead ?? callTool(calls, { described, values }, turn.host, { answerBytes, schema });
}

/**
 * Asks a client of a revision with sessions in the stream of its request; null once a person has
 * confirmed the call.
 */
async function askInStream(
  parts: McpParts,
  { asked, departure, stream }: Turn,
  { described, values, client }: CallToConfirm,
): Promise<ToolResult | null> {
  const { confirmations, pending } = parts;
  const { [SESSION]: session, accept = '' } = asked.request.headers;
  const isAble = confirmations.canAskIn(typeof session === 'string' ? session : null, client);
  if (!isAble || !/text\/event-stream|\*\/\*/i.test(accept)) return errorResult(CANNOT_ASK);
  await enter(parts, asked, 'tools/call question', QUESTION_POINTS);
  const params = elicitation(described, values);
  const how = await stream.ask(params, pending, confirmations.limits, departure);
  if (how === 'gone') throw new Refusal('CLIENT_GONE');
  return how === 'accepted' ? null : errorResult(endText(how));
}

async function search(
  parts: McpParts,
  asked: HttpExchange,
  given: Readonly<Record<string, unknown>>,
): Promise<ToolResult> {
  const callable = await parts.tools.callable(asked.caller.client);
  await enter(parts, asked, 'tools/search', parts.tools.searchPoints(callable));
  const { query = '', group = null, tool = null, type = null } = given;
  const isText = (value: unknown): value is string | null =>
    value === null || typeof value === 'string';
  if (typeof query !== 'string' || !isText(group) || !isText(tool) || !isText(type)) {
    return errorResult('/query, /group, /tool and /type must be strings.');
  }
  const wanted = { query, group, tool, type };
  const found = await parts.tools.search(callable, wanted, parts.answerBytes);
  if (found === null) {
    return errorResult('There is no such tool, or its arguments have no such type.');
  }
  return {
    content: [{ type: 'text', text: JSON.stringify(found) }],
    structuredContent: found,
  };
}

function refusedResult(text: string, host: CallerHost): ToolResult {
  host.refused(new Refusal('BAD_USER_INPUT', 'tool'));
  return errorResult(text);
}

/** A tool that the client may not call is unknown to it. */
function unknownTool(name: string, host: CallerHost): ProtocolError {
  host.refused(new Refusal('UNKNOWN_OPERATION', 'tool', { found: name.slice(0, 128) }));
  return new ProtocolError(CODES.invalidParams, 'Unknown tool', 200);
}
