import { Buffer } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { isRecord } from '../../core/index.js';

/** The revision without sessions: each request says its version. */
const STATELESS = '2026-07-28';

/** Revisions with a handshake, the latest first. */
export const WITH_HANDSHAKE = ['2025-11-25', '2025-06-18'] as const;

/**
 * Requests of 2025-03-26 have no header with their version; the server is to take that for them.
 */
const HEADERLESS = '2025-03-26';

export const SUPPORTED: readonly string[] = [STATELESS, ...WITH_HANDSHAKE];

/** Codes of JSON-RPC, and those of the protocol. */
export const CODES = {
  parse: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

/** A failure of the protocol, with the status of its answer. */
export class ProtocolError extends Error {
  readonly code: number;
  readonly status: number;
  readonly data: unknown;

  constructor(code: number, message: string, status = 400, data: unknown = undefined) {
    super(message);
    this.name = 'ProtocolError';
    this.code = code;
    this.status = status;
    this.data = data;
  }
}

export interface McpMessage {
  /** Null for a notification, and for a response. */
  readonly id: string | number | null;
  /** '' for a response. */
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The message is of the revision without sessions. */
  readonly isStateless: boolean;
  /** What the client says it can do, with each message of that revision. */
  readonly capabilities: Readonly<Record<string, unknown>>;
}

/** The id of a message that may be none of the protocol, for the answer to it; null without one. */
export const idOf = (raw: unknown): string | number | null => {
  const id = isRecord(raw) ? raw['id'] : null;
  return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id)) ? id : null;
};

/** Checks a message and the header fields that repeat parts of it. Throws a `ProtocolError`. */
export function readMcpMessage(raw: unknown, headers: IncomingHttpHeaders): McpMessage {
  if (Array.isArray(raw)) {
    throw new ProtocolError(CODES.invalidRequest, 'Batches are not accepted.');
  }
  if (!isRecord(raw) || raw['jsonrpc'] !== '2.0') {
    throw new ProtocolError(CODES.invalidRequest, 'It is no message of JSON-RPC 2.0.');
  }
  const { method = '', params = {} } = raw;
  const isResponse = method === '' && ('result' in raw || 'error' in raw);
  if (typeof method !== 'string' || (method === '' && !isResponse)) {
    throw new ProtocolError(CODES.invalidRequest, 'The method must be a string.');
  }
  if (!isRecord(params)) {
    throw new ProtocolError(CODES.invalidParams, 'The params must be an object.');
  }
  const id = idOf(raw);
  if ('id' in raw && id === null) {
    throw new ProtocolError(CODES.invalidRequest, 'The id must be a string or a number.');
  }
  const meta = isRecord(params['_meta']) ? params['_meta'] : {};
  const version = headerOf(headers, 'mcp-protocol-version');
  const declared = meta[VERSION];
  const isStateless = declared !== undefined || version === STATELESS;
  const capabilities = isRecord(meta[CAPABILITIES]) ? meta[CAPABILITIES] : {};
  const message: McpMessage = {
    id: isResponse ? null : id,
    method,
    params,
    isStateless,
    capabilities,
  };
  if (isStateless && id !== null) {
    checkStateless(message, meta, headers);
  } else if (
    version !== null &&
    !isStateless &&
    version !== HEADERLESS &&
    !SUPPORTED.includes(version)
  ) {
    throw unsupported(version);
  }
  return message;
}

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

function checkStateless(
  { method, params }: McpMessage,
  meta: Readonly<Record<string, unknown>>,
  headers: IncomingHttpHeaders,
): void {
  const version = headerOf(headers, 'mcp-protocol-version');
  const { [VERSION]: declared } = meta;
  if (version === null) throw mismatch('MCP-Protocol-Version');
  if (typeof declared !== 'string') {
    throw new ProtocolError(CODES.invalidParams, `_meta must have ${VERSION}.`);
  }
  if (version !== declared) throw mismatch('MCP-Protocol-Version');
  if (declared !== STATELESS) throw unsupported(declared);
  if (!isRecord(meta[CAPABILITIES])) {
    throw new ProtocolError(CODES.invalidParams, `_meta must have ${CAPABILITIES}.`);
  }
  if (headerOf(headers, 'mcp-method') !== method) throw mismatch('Mcp-Method');
  if (method !== 'tools/call') return;
  const name = headerOf(headers, 'mcp-name');
  if (name === null || decoded(name) !== params['name']) throw mismatch('Mcp-Name');
}

const headerOf = (headers: IncomingHttpHeaders, name: string): string | null => {
  const value = headers[name];
  return typeof value === 'string' ? value : null;
};

/** Values that are no plain ASCII are sent in base64. */
function decoded(value: string): string {
  const [, base64] = /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/.exec(value) ?? [];
  return base64 === undefined ? value : Buffer.from(base64, 'base64').toString();
}

const mismatch = (field: string): ProtocolError =>
  new ProtocolError(
    CODES.headerMismatch,
    `Header mismatch: ${field} is missing, or is not what the message says.`,
  );

const unsupported = (requested: string): ProtocolError =>
  new ProtocolError(CODES.unsupportedVersion, 'Unsupported protocol version', 400, {
    supported: SUPPORTED,
    requested: requested.slice(0, 32),
  });
