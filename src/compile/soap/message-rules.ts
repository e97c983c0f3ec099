import type { Config, ServiceConfig } from '../../config/schema.js';
import {
  DIALECT_NAMES,
  type GateOptions,
  headerBlocks,
  type InflateLimits,
  type MimeLimits,
} from '../../soap/index.js';
import type { UpstreamLimits } from '../../upstream/index.js';
import type { Operation } from '../../wsdl/index.js';
import { ReaderPool, type XmlLimits } from '../../xml/index.js';
import type { Versions } from './documents/versions.js';
import type { OperationTable } from './operations/operation-table.js';

/** The bounds of the bytes of the messages of a service. */
export interface MessageLimits {
  readonly xmlLimits: XmlLimits;
  readonly mimeLimits: MimeLimits;
  readonly inflateLimits: InflateLimits;
  /**
   * A request longer than the window whose length is not known is collected up to this; null: it
   * flows.
   */
  readonly bufferBytes: number | null;
  /** A package whose signature covers parts of it by Includes is collected up to this. */
  readonly heldBytes: number;
  readonly readers: ReaderPool;
  /** As in `enforce`; in `monitor` each request reports its own violation. */
  readonly gate: GateOptions;
}

export function messageLimits(
  { limits: { xml }, bufferRequests, security: { make } }: ServiceConfig,
  { mime, soap }: Config['limits'],
): MessageLimits {
  const { inflateRatio, inflateFreeBytes } = soap;
  return {
    xmlLimits: xml,
    mimeLimits: mime,
    inflateLimits: { messageBytes: xml.messageBytes, inflateRatio, inflateFreeBytes },
    // What is signed has to be whole: the signature stands before it.
    bufferBytes:
      bufferRequests || (make?.replace === true && make.signature !== undefined)
        ? soap.bufferBytes
        : null,
    heldBytes: soap.bufferBytes,
    readers: new ReaderPool(xml),
    gate: {
      windowBytes: soap.windowBytes,
      headBytes: soap.headerBytes,
      bufferBytes: soap.bufferBytes,
      onViolation: null,
    },
  };
}

interface EnvelopeParts {
  /** Those that callers may speak. */
  readonly versions: Versions;
  readonly requests: OperationTable;
  /** The blocks of tokens, which the gateway writes itself. */
  readonly tokenBlocks: readonly string[];
  readonly readsSecurity: boolean;
}

/**
 * The rules of envelopes: on the way to the backend strict, on the way back only what decoding
 * needs.
 */
export function envelopeRules(
  config: ServiceConfig,
  { roles, understands, limits: { soap } }: Pick<Config, 'roles' | 'understands' | 'limits'>,
  { versions, requests, tokenBlocks, readsSecurity }: EnvelopeParts,
): {
  readonly requestRules: headerBlocks.EnvelopeRules;
  readonly replyRules: headerBlocks.EnvelopeRules;
} {
  const role = config.security.verify?.role;
  const header = {
    ownTargets: new Set([...roles, ...(role === undefined || role === 'next' ? [] : [role])]),
    // A block for the gateway that it has verified is taken out.
    understoodByGateway: new Set([
      ...understands,
      ...(role === undefined ? [] : headerBlocks.SECURITY_NAMES),
    ]),
    understoodByService: config.understands === undefined ? null : new Set(config.understands),
  };
  const rules = {
    headerBlocksMax: soap.headerBlocks,
    idsMax: soap.ids,
    readsSecurity: false,
    multiRef: requests.mayBeEncoded,
    arrayItemsMax: requests.mayBeEncoded ? soap.arrayItems : null,
  };
  const checksAddressing = config.addressing.check;
  return {
    requestRules: {
      ...rules,
      dialects: new Set(versions),
      header: {
        ...header,
        enforce: true,
        checksAddressing,
        ...replacedBlocks(config, tokenBlocks),
      },
      readsSecurity,
    },
    // Some stacks fault in another version than they were asked in; that is still an answer.
    replyRules: {
      ...rules,
      dialects: new Set(DIALECT_NAMES),
      header: { ...header, enforce: false, checksAddressing: false },
    },
  };
}

/** Keys of the configuration that requests ask for as they are. */
export interface Switches {
  readonly mode: 'enforce' | 'monitor';
  /** A request for an operation that the WSDL does not have is refused. */
  readonly refusesUnknown: boolean;
  /** WS-Addressing of requests is checked. */
  readonly checksAddressing: boolean;
  /** The gateway's own address in `To` becomes that of the backend. */
  readonly rewritesTo: boolean;
  /** The Security block of a SOAP caller is replaced by that of the gateway. */
  readonly replacesSecurity: boolean;
  /** Answers to SOAP callers are encrypted with the key of their request. */
  readonly encryptsAnswers: boolean;
  /** Nonces that cannot be compared with those of other processes are accepted. */
  readonly acceptsUncomparedNonces: boolean;
  /** Messages may be multipart packages. */
  readonly acceptsPackages: boolean;
  /** A reply is read only as far as its decoding needs. */
  readonly endsEarly: boolean;
  readonly servesWsdl: boolean;
  /** The credentials of callers are for the backend: the gateway has none of its own for it. */
  readonly passesCredentials: boolean;
  /** The addresses of the configuration. */
  readonly urls: readonly string[];
  readonly upstreamLimits: UpstreamLimits;
}

export const switches = (config: ServiceConfig): Switches => ({
  mode: config.mode,
  refusesUnknown: config.unknownOperations === 'refuse',
  checksAddressing: config.addressing.check,
  rewritesTo: config.addressing.rewriteTo,
  replacesSecurity: config.security.make?.replace === true,
  encryptsAnswers: config.security.answer?.encrypt === true,
  acceptsUncomparedNonces: config.security.noncesWithoutRedis,
  acceptsPackages: config.attachments,
  // The end of a reply decides whether it is verified.
  endsEarly: config.earlyEnd && config.security.verifyReplies === undefined,
  servesWsdl: config.serveWsdl,
  passesCredentials: passesCredentials(config),
  urls: config.urls,
  upstreamLimits: config.limits.upstream,
});

/** Whether the backend gets the credentials of callers, and none of the gateway. */
function passesCredentials({ auth, headers }: ServiceConfig): boolean {
  const isFixed = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  return auth === undefined ? !isFixed : auth.passthrough === true;
}

/**
 * A SOAP call costs as much as the same call by GraphQL, unless the configuration sets another
 * weight.
 */
export function weightsOf(
  { operations, callCost }: ServiceConfig,
  gatewayCallCost: number,
): (operation: Operation | null) => number {
  const otherwise = callCost ?? gatewayCallCost;
  const weights = new Map<string, number>();
  for (const [name, mapping] of Object.entries(operations)) {
    const weight = typeof mapping === 'object' ? (mapping.weight ?? mapping.cost) : undefined;
    if (weight !== undefined) {
      weights.set(name, weight);
    }
  }
  return (operation) =>
    operation === null ? otherwise : (weights.get(operation.name) ?? otherwise);
}

/** The blocks of SOAP callers that the gateway replaces by its own. */
function replacedBlocks(
  { security }: ServiceConfig,
  tokenBlocks: readonly string[],
): { replaced?: ReadonlySet<string> } {
  const isReplaced = security.make?.replace === true || security.verify?.remove === true;
  const names = [...(isReplaced ? headerBlocks.SECURITY_NAMES : []), ...tokenBlocks];
  return names.length === 0 ? {} : { replaced: new Set(names) };
}
