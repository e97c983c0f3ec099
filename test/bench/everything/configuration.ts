import { element, wrapper, wsdlOf } from '../../kit/wsdl.js';

/** The services of the run: the same operations, each with another protection. */
export const SERVICES = ['plain', 'signed', 'verified', 'tokens'] as const;
export type ServiceName = (typeof SERVICES)[number];

export const CLIENTS = 8;
export const keyOfClient = (client: number): string => `client-${client}-key-0123456789`;

export const PAGE_ROWS = 10;
export const ROWS = 35;

const MANY = 'minOccurs="0" maxOccurs="unbounded"';
const ID = element('id', 'xs:int');

const SCHEMA = `<xs:complexType name="Row"><xs:sequence>${ID}${element('ask', 'xs:int')}\
</xs:sequence></xs:complexType>
${['Read', 'Content', 'Watch', 'Own'].map((name) => wrapper(name, ID)).join('\n')}
${wrapper('Write', `${ID}${element('sum', 'xs:int')}`)}
${wrapper('List', ['page', 'size', 'ask'].map((name) => element(name, 'xs:int')).join(''))}
${wrapper('Save', `${ID}${element('content', 'xs:base64Binary')}`)}
${wrapper('ReadResponse', `${ID}${element('value', 'xs:string')}${element('child', 'xs:int')}`)}
${wrapper('WriteResponse', `${ID}${element('receipt', 'xs:string')}`)}
${wrapper('ListResponse', `${element('row', 't:Row', MANY)}${element('pages', 'xs:int')}`)}
${wrapper('ContentResponse', element('content', 'xs:base64Binary'))}
${wrapper('SaveResponse', `${ID}${element('size', 'xs:int')}`)}
${wrapper('WatchResponse', `${ID}${element('version', 'xs:long')}`)}
${wrapper('OwnResponse', `${ID}${element('user', 'xs:string')}`)}`;

export const wsdlOfService = (name: ServiceName): string =>
  wsdlOf(`urn:${name}`, SCHEMA, ['Read', 'Write', 'List', 'Content', 'Save', 'Watch', 'Own']);

/** The files and addresses that the configuration names. */
export interface ConfigurationParts {
  readonly folder: string;
  readonly backendUrls: Readonly<Record<ServiceName, string>>;
  readonly tokenUrl: string;
  readonly redisUrl: string;
  /** The key `clients.jwt`. */
  readonly jwt: string;
}

/** `turn` is another number in each reload. */
export function configurationOf(parts: ConfigurationParts, turn: number): string {
  const { folder, tokenUrl, redisUrl, jwt } = parts;
  const pem = (name: string): string => `{ file: ${folder}/${name}.pem }`;
  const further: Readonly<Record<ServiceName, string>> = {
    plain: 'mtom: true',
    signed:
      'security: { make: { timestamp: true, replace: true, signature: ' +
      `{ cert: ${pem('gateway')}, key: ${pem('gateway-key')} } } }`,
    verified:
      `security: { verify: { timestamp: { required: true }, signature: { authorities: ` +
      `${pem('ca')}, subjects: ["CN=caller"], required: [Body, Timestamp] } } }`,
    tokens:
      'auth: { oauth2: { grant: tokenExchange, tokenUrl: ' +
      `"${tokenUrl}", clientId: gw, clientSecret: s3cret } }`,
  };
  return `workers: 2
redis: { url: "${redisUrl}", secret: a-secret-of-all-workers, replicas: 2,
  operationMillis: 200 }
audit: { file: ${folder}/audit.jsonl }
reload: { watch: false }
graphql: { downloads: { keys: ["${'k'.repeat(32)}"] }, batch: 5 }
mcp:
  operations: [plain.Read]
  write: [plain.Write]
  confirm: [plain.Write]
  keys: ["${'m'.repeat(40)}"]
subscriptions: { watched: { poll: { operation: plain.Watch, everyMillis: 500 } } }
links: { ReadResult.childRead: { operation: plain.Read, arguments: { id: child } } }
limits:
  overload: { eventLoopMillis: 0 }
  http: { refusalsPerSecond: 0 }
services:
${SERVICES.map((name) => serviceOf(name, parts, further[name], turn)).join('')}
clients:
  ${jwt}
  apiKeys:
    clients:
${Array.from(
  { length: CLIENTS },
  (_, client) => `      c${client}: { class: all, keys: [${keyOfClient(client)}] }\n`,
).join('')}
  classes: { all: {} }
`;
}

function serviceOf(
  name: ServiceName,
  { folder, backendUrls }: ConfigurationParts,
  further: string,
  turn: number,
): string {
  const pages = `page: page, size: { size: ${PAGE_ROWS} }, items: row, total: { pages: pages }`;
  return `  ${name}:
    wsdl: ${folder}/${name}.wsdl
    url: ${backendUrls[name]}/${name}
    tls: { ca: { file: ${folder}/ca.pem } }
    versions: ["1.1", "1.2"]
    rest: true
    validate: { requests: enforce, replies: enforce }
    timeoutMillis: ${20_000 + turn}
    operations:
      Read: { field: Query.${name}Read, read: { cacheMillis: 2000, scope: shared } }
      Write: { field: Mutation.${name}Write, idempotency: {} }
      List: { field: Query.${name}List, pages: { ${pages} } }
      Content: { field: Query.${name}Content, read: {} }
      Save: { field: Mutation.${name}Save }
      Watch: { field: Query.${name}Watch, read: {} }
      Own: { field: Query.${name}Own, read: {} }
    ${further}
`;
}
