import { LIMIT_TABLES } from '../../../src/config/limit-tables.js';
import { KIB, type LimitRow, type LimitTable, MIB } from '../../../src/core/limit.js';
import { IMPORT_LIMITS } from '../../../src/wsdl/documents/documents.js';

/** One limit beside the largest of its kind: as it was measured, and as stacks are known for. */
interface DefaultRow {
  /** By `test/kit/largest-seen.ts`; null where messages do not show it. */
  readonly seen: number | null;
  /** Larger ones with their source, the bounds of stacks themselves, or why none writes it. */
  readonly stacks: string;
}

const row = (seen: number | null, stacks: string): DefaultRow => ({ seen, stacks });

const OWN = 'bounds memory or time of the gateway';
const WAITS = 'CXF, WCF and PHP wait 60 s, Axis2 30 s';

/** Every limit that the messages or the habits of a stack can meet. */
export const DEFAULT_ROWS: Readonly<Record<string, DefaultRow>> = {
  'xml.messageBytes': row(5580, 'WCF reads 64 KiB, ASP.NET 4 MiB, PHP 8 MiB, IIS 28 MiB'),
  'xml.depth': row(9, '.NET reads 32 levels, CXF 100, libxml2 256'),
  'xml.children': row(13, 'CXF reads 50,000, gSOAP 100,000'),
  'xml.elements': row(90, 'a message of 10 MiB has 500,000 of 20 bytes'),
  'xml.attributes': row(4, 'rows of SharePoint have 64 to 400; 500 in replies, as CXF reads'),
  'xml.attributeValueBytes': row(103, 'CXF reads 64 KiB'),
  'xml.nameChars': row(72, 'libxml2 reads 50,000'),
  'xml.namespacesOnRoot': row(5, '39 by gSOAP and CXF, which declare all on the Envelope'),
  'xml.namespacesPerElement': row(26, 'JAXB declares those of all packages; NIEM has up to 100'),
  'xml.namespacesInScope': row(9, '126 with both rows above'),
  'xml.namespaceUriBytes': row(82, ''),
  'xml.textBytes': row(1368, '.NET reads 8 KiB, libxml2 10 MB; text that only passes has no limit'),
  'xml.commentBytes': row(814, 'the licence in a test file; no stack writes comments'),
  'soap.windowBytes': row(null, OWN),
  'soap.headerBytes': row(4927, 'an assertion of SAML with its certificate has 6 to 10 KiB'),
  'soap.headerBlocks': row(7, ''),
  'soap.bufferBytes': row(null, OWN),
  'soap.inflateRatio': row(null, 'Kong and Envoy allow 100'),
  'soap.inflateFreeBytes': row(null, OWN),
  'soap.arrayItems': row(3, 'gSOAP reads 100,000'),
  'soap.ids': row(5, 'CXF signs two to five parts'),
  'soap.securityMillis': row(null, 'WSS4J and WCF allow 5 minutes'),
  'soap.nonces': row(null, OWN),
  'mime.parts': row(null, '3 by CXF: envelope, certificate, content; CXF reads 50'),
  'mime.partHeaderBytes': row(null, '181 by Axis2; CXF reads 300 for one field'),
  'mime.boundaryChars': row(null, '61 by Axis2; RFC 2046 allows 70'),
  'mime.outsideBytes': row(null, 'a line end'),
  'codec.listItems': row(
    13,
    'WCF reads 65,536 objects, gSOAP 100,000 members; SOAP callers have no such limit',
  ),
  'codec.inputItems': row(null, 'as `codec.listItems`'),
  'codec.inputDepth': row(9, 'with the envelope it is below the 100 of CXF'),
  'codec.stringChars': row(1368, '.NET reads 8 KiB'),
  'codec.opaqueChars': row(null, 'one row of a data set of .NET'),
  'codec.encodedBytes': row(null, OWN),
  'codec.attachmentBytes': row(null, OWN),
  'codec.references': row(1, 'Axis refers to each object of a list'),
  'validity.identityValues': row(null, OWN),
  'validity.identityChars': row(null, OWN),
  'http.headerBytes': row(363, 'Tomcat and httpd read 8 KiB, IIS and Node 16 KiB'),
  'http.headerCount': row(9, 'Tomcat and httpd read 100'),
  'http.uriBytes': row(26, 'httpd and Tomcat read 8 KiB'),
  'http.soapActionBytes': row(115, ''),
  'http.headerMillis': row(null, 'stacks send a head in one packet'),
  'http.handshakeMillis': row(null, 'one to three round trips'),
  'http.handshakesPerSecond': row(null, OWN),
  'http.ticketKeyMillis': row(null, OWN),
  'http.totalMillis': row(null, 'WCF sends for 60 s'),
  'http.bodyRateBytes': row(null, 'httpd wants 500 a second'),
  'http.bodyGraceMillis': row(null, 'httpd grants 20 s'),
  'http.stallMillis': row(null, OWN),
  'http.idleMillis': row(null, 'httpd and Node keep 5 s'),
  'http.connections': row(null, OWN),
  'http.connectionsPerClient': row(null, 'a client of .NET opens 2; a load balancer is one client'),
  'http.refusalsPerSecond': row(null, OWN),
  'http.proofs': row(null, OWN),
  'http.refusalHoldMillis': row(null, OWN),
  'http.requestsPerConnection': row(null, 'httpd serves 100, nginx 1,000'),
  'http.drainMillis': row(null, OWN),
  'upstream.connectMillis': row(null, 'CXF waits 30 s; a local network takes milliseconds'),
  'upstream.headersMillis': row(null, `${WAITS}; \`timeoutMillis\` of a slow operation`),
  'upstream.headerBytes': row(225, 'Tomcat and Jetty write 8 KiB at most'),
  'upstream.headerCount': row(8, ''),
  'upstream.idleMillis': row(null, 'Envoy allows 15 s'),
  'upstream.totalMillis': row(null, WAITS),
  'upstream.keepAliveMillis': row(null, 'httpd and Node close after 5 s, Tomcat 20 s, IIS 120 s'),
  'upstream.connections': row(null, 'httpd serves 150 to 400 at once, Tomcat 200'),
  'upstream.boundConnections': row(null, OWN),
  'upstream.pending': row(null, OWN),
  'upstream.pendingMillis': row(null, OWN),
  'upstream.ageMillis': row(null, OWN),
  'upstream.resolveMillis': row(null, OWN),
  'upstream.requestsPerConnection': row(null, 'a server closes earlier where it wants to'),
  'upstream.breakerFailures': row(null, 'Envoy counts 5'),
  'upstream.breakerMillis': row(null, 'Envoy waits 30 s'),
  'import.documents': row(27, '639 schemas in one WSDL of public reports'),
  'import.bytes': row(93_810, 'those of vSphere and Cisco AXL have some MiB'),
  'import.depth': row(4, ''),
  'import.elements': row(793, 'those of vSphere and Cisco AXL have some ten thousand'),
  'graphql.bodyBytes': row(null, 'Apollo Server reads 2 MB'),
  'graphql.tokens': row(184, 'the introspection of graphql-js, which most tools send'),
  'graphql.characters': row(2075, 'the same'),
  'graphql.selections': row(230, 'the same'),
  'graphql.introspectionDepth': row(14, 'the same'),
};

/** Groups of limits on what the gateway holds or does: no stack writes what they count. */
export const OWN_GROUPS: readonly string[] = [
  'graphql',
  'persisted',
  'subscriptions',
  'cache',
  'remote',
  'rest',
  'mcp',
  'record',
  'inspect',
  'overload',
];

/** The table of the page: each limit, the largest measured, what stacks write, the default. */
export function printDefaults(): string {
  const lines = Object.entries(DEFAULT_ROWS).map(([name, { seen, stacks }]) => {
    const measured = seen === null ? '' : seen.toLocaleString('en-US');
    return `| \`${name}\` | ${measured} | ${stacks} | ${printDefault(name)} |`;
  });
  return ['| limit | measured | stacks | default |', '| --- | --- | --- | --- |', ...lines].join(
    '\n',
  );
}

/** The default of a limit as a number. */
export function defaultOf(name: string): number {
  const { default: value } = rowOf(name);
  return value;
}

function rowOf(name: string): Pick<LimitRow, 'default' | 'unit'> {
  const [group = '', key = ''] = name.split('.');
  if (group === 'import') {
    const fixed: Readonly<Record<string, number>> = IMPORT_LIMITS;
    return { default: fixed[key] ?? Number.NaN, unit: key === 'bytes' ? 'bytes' : 'count' };
  }
  const tables: Readonly<Record<string, LimitTable>> = LIMIT_TABLES;
  const found = tables[group]?.[key];
  if (found === undefined) throw new Error(`There is no limit ${name}.`);
  return found;
}

function printDefault(name: string): string {
  const { default: value, unit } = rowOf(name);
  if (unit === 'bytes' && value % MIB === 0) return `${value / MIB} MiB`;
  if (unit === 'bytes' && value % KIB === 0) return `${value / KIB} KiB`;
  if (unit === 'millis' && value >= 1000) return `${value / 1000} s`;
  return value.toLocaleString('en-US') + (unit === 'millis' ? ' ms' : '');
}
