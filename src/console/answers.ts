import type { schemaDocs } from '../graphql/index.js';
import type { TlsEnd } from '../listen/tls-ends.js';
import type { RecentLists } from '../observe/recent-lists.js';

// The JSON that the page asks for. The page is compiled with these types, for browsers: nothing
// here needs Node.

/** One number of a metric. */
interface MetricPoint {
  readonly labels: Readonly<Record<string, string | number | undefined>>;
  readonly value: number;
}

/** What changes from second to second: the page asks for it again and again. */
export interface ConsoleState {
  /** When it was read: milliseconds since 1970. */
  readonly atMillis: number;
  readonly loads: { readonly ok: number; readonly refused: number; readonly generation: number };
  /** The points of each metric by its name, for histograms those of its series. */
  readonly metrics: Readonly<Record<string, readonly MetricPoint[]>>;
  readonly recent: RecentLists;
}

/** An operation in a list. */
interface OperationLine {
  readonly name: string;
  readonly status: 'ok' | 'partial' | 'disabled';
  /** As in a mapping: `Query.order`; null where it is not offered. */
  readonly field: string | null;
}

/** A service, as far as operators may see it: no credentials, no values of secrets. */
export interface ServiceDescription {
  readonly name: string;
  readonly kind: 'soap' | 'graphql';
  readonly mode: 'enforce' | 'monitor' | null;
  /** Empty for GraphQL. */
  readonly dialects: readonly string[];
  /** How a message of the first dialect is sent: its media type, the action as a header field. */
  readonly message: { readonly mediaType: string; readonly hasActionField: boolean } | null;
  /** The path at the gateway; null for GraphQL. */
  readonly path: string | null;
  readonly addresses: readonly string[];
  readonly operations: readonly OperationLine[];
}

/** Deviations that pass of the replies of a service, or of one of its operations. */
export interface ToleratedLine {
  readonly service: string;
  /** '' for all operations of the service. */
  readonly operation: string;
  readonly deviations: readonly string[];
}

/** A text of a backend that is another value for callers. */
export interface ConvertedLine {
  readonly service: string;
  /** `Order.placed`, or `FindOrders(since)` of an argument. */
  readonly field: string;
  /** As configured: `date: yyyyMMdd`. */
  readonly as: string;
}

/** How the configuration departs from the contracts of services, and what it leaves open. */
export interface ContractDescription {
  readonly tolerated: readonly ToleratedLine[];
  /** At most `CONVERTED_MAX`. */
  readonly converted: readonly ConvertedLine[];
  /** The number of conversions that are configured. */
  readonly convertedCount: number;
  /** What `check` lists as open, a sentence for each. */
  readonly open: readonly string[];
}

/** A class of clients and its budget. */
export interface ClassDescription {
  readonly name: string;
  readonly maximum: number | null;
  /** Points a second. */
  readonly restoreRate: number | null;
}

/** A code of the closed table of refusals. */
export interface CodeDescription {
  /** The public text. */
  readonly text: string;
  readonly why: string;
  /** The remedy. */
  readonly change: string;
}

/** When a certificate, an authority for clients or a revocation list of a listener ends. */
export interface ListenerEnd extends TlsEnd {
  readonly key: 'listen' | 'admin';
  /** As configured. */
  readonly address: string;
}

/**
 * What stays as it is until the next reload; the ends of files that rotate are those at the time of
 * the answer.
 */
export interface ConsoleDescription {
  /** The version of the gateway. */
  readonly version: string;
  readonly services: readonly ServiceDescription[];
  readonly listenerEnds: readonly ListenerEnd[];
  readonly classes: readonly ClassDescription[];
  readonly warnings: readonly string[];
  readonly contracts: ContractDescription;
  /** Path of the GraphQL endpoint. */
  readonly graphqlPath: string;
  /** The meaning of each code. */
  readonly codes: Readonly<Record<string, CodeDescription>>;
  /** Header fields by which callers identify themselves. */
  readonly credentialFields: readonly string[];
  /** Whether exchanges of operations are kept for the page. */
  readonly inspects: boolean;
  /** Whether messages can be sent from the page. */
  readonly tryOut: boolean;
}

/** A message to begin with, for one operation. */
export interface SampleMessage {
  /** A GraphQL document; null where a value would have to be known. */
  readonly query: string | null;
  readonly envelope: string | null;
}

export interface OperationDescription extends SampleMessage {
  readonly documentation: string | null;
  readonly soapAction: string | null;
  /** Why it is not `ok`. */
  readonly reasons: readonly string[];
  /** The field in GraphQL, and the types that it names; none where GraphQL does not offer it. */
  readonly docs: readonly schemaDocs.PageEntry[];
}

export interface TriedMessage {
  readonly status: number;
  readonly millis: number;
  readonly body: string;
  /** Only the beginning of the body is here. */
  readonly isCut: boolean;
}
