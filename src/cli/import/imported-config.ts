import { isHttpUrl } from '../../config/keys/address.js';
import { collections } from '../../core/index.js';
import type { DialectName } from '../../soap/index.js';
import { oneLine } from '../table.js';
import { type BackendKeys, isSameHost } from './backend-keys.js';
import type { ProposedPath } from './proposed-paths.js';

/** The result of reading a WSDL, for the services that `import` writes. */
export interface ImportedServices {
  /** Path or URL it came from. */
  readonly location: string;
  /** Path of the copy, seen from the configuration. */
  readonly wsdl: string;
  readonly services: readonly ImportedService[];
  /** Values that could be shown without the elements around them; absent: none. */
  readonly paths?: readonly ProposedPath[];
  /** XML names of types whose replies lose the order of a repeated choice. */
  readonly lostOrders?: readonly string[];
  /** The credentials that fetched the WSDL, for backends at its host; null for none. */
  readonly keys: BackendKeys | null;
}

/** The result of reading a WSDL, for a whole configuration that `import` writes. */
export interface Imported extends ImportedServices {
  /** Addresses for callers and for operators. */
  readonly addresses: ImportedAddresses;
  /**
   * Path of the JSON Schema from the configuration's folder, or null when it would not stay right.
   */
  readonly schema: string | null;
}

export interface ImportedAddresses {
  readonly listen: string;
  readonly admin: string;
  /** Lines of the configuration besides the services. */
  readonly more: readonly string[];
  /** Operations are offered over REST and as tools of agents as well. */
  readonly hasRestAndTools?: boolean;
}

export interface ImportedService {
  readonly name: string;
  /** The address the ports claim, or null. */
  readonly address: string | null;
  readonly versions: readonly DialectName[];
  /** One at least. */
  readonly ports: readonly string[];
  readonly operations: readonly ImportedOperation[];
  /** `file:line` of the policy that demands encrypted parts; null or absent: none does. */
  readonly encryption?: string | null;
}

/** An operation that a service of the configuration has. */
export interface ImportedOperation {
  readonly operation: string;
  readonly status: 'ok' | 'partial' | 'disabled';
  /** `Query.order`, or null when GraphQL cannot offer it. */
  readonly field: string | null;
  /** Why it is not ok, or null. */
  readonly reason: string | null;
  /** `file:line` of the reason, or null. */
  readonly place: string | null;
}

const PLACEHOLDER = 'http://127.0.0.1:8080/';

/** The text of a configuration that starts as it is. */
export function printImportedConfig(imported: Imported): string {
  const lines = [
    ...(imported.schema === null ? [] : [`# yaml-language-server: $schema=${imported.schema}`]),
    `# Imported from ${oneLine(imported.location)}`,
    '# Every key, its unit and its default: config/README.md.',
    '',
    `listen: ${imported.addresses.listen} # SOAP and GraphQL`,
    `admin: ${imported.addresses.admin} # the console, /metrics, /live, /ready`,
    ...imported.addresses.more,
    ...(imported.addresses.hasRestAndTools === true ? toolLines(imported.services) : []),
    '',
    'services:',
    ...printServices(imported, imported.addresses.hasRestAndTools).map((line) =>
      line === '' ? '' : `  ${line}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/** The entries of `services`, in lines without indentation. */
export function printServices(imported: ImportedServices, hasRest = false): readonly string[] {
  return imported.services.flatMap((service, index) => [
    ...(index === 0 ? [] : ['']),
    ...serviceLines(service, imported).map((line) => line.slice(2)),
    // A service of which GraphQL offers nothing has nothing for REST either.
    ...(hasRest && service.operations.some(({ field }) => field !== null) ? ['  rest: true'] : []),
  ]);
}

/** Makes tools of the operations that change nothing; where there are none, of the others. */
function toolLines(services: readonly ImportedService[]): readonly string[] {
  const reading = services.filter(({ operations }) =>
    operations.some(({ field }) => field?.startsWith('Query.')),
  );
  if (reading.length > 0) {
    return [`mcp: { operations: [${reading.map(({ name }) => quoted(`${name}.*`)).join(', ')}] }`];
  }
  const writing = services.flatMap(({ name, operations }) =>
    operations.flatMap(({ operation, field }) =>
      field === null ? [] : [quoted(`${name}.${operation}`)],
    ),
  );
  return writing.length === 0 ? [] : [`mcp: { write: [${writing.join(', ')}] }`];
}

function serviceLines(
  { name, address, versions, ports, operations, encryption = null }: ImportedService,
  imported: ImportedServices,
): string[] {
  const usable = address !== null && isHttpUrl(address);
  const [port = ''] = ports;
  return [
    `  ${name}: # POST /soap/${name}`,
    `    wsdl: ${scalar(imported.wsdl)}`,
    `    url: ${scalar(usable ? address : PLACEHOLDER)}` +
      `${urlComment(imported.location, address, usable)}`,
    ...(ports.length < 2
      ? [`    port: ${scalar(port)}`]
      : ['    ports:', ...ports.map((each) => `      - ${scalar(each)}`)]),
    `    versions: [${versions.map(quoted).join(', ')}]`,
    ...keyLines(imported, address),
    ...(encryption === null ? [] : encryptionLines(encryption)),
    '',
    '    # The fields of GraphQL. `false` is left out there; as SOAP every operation passes.',
    ...operationLines(operations),
    ...(imported.services.length === 1 ? schemaLines(imported) : []),
  ];
}

function keyLines({ keys, location }: ImportedServices, address: string | null): readonly string[] {
  if (keys === null) return [];
  if (!isSameHost(location, address)) {
    return [
      '    # The credentials of the WSDL are for its own host: ' +
        'see `auth`, `headers`, `tls` and `proxy`.',
    ];
  }
  const { basic, headers, proxy, passphrase } = keys;
  // TLS has no effect without an https address, which is a mistake of a configuration.
  const isTls = address !== null && /^https:/i.test(address);
  const tls = isTls
    ? [...keys.tls].map(([part, file]) => `${part}: { file: ${quoted(file)} }`)
    : [];
  if (tls.length > 0 && passphrase !== null) {
    tls.push(`passphrase: ${template(passphrase)}`);
  }
  const fields = [...headers].map(([name, value]) => `      ${quoted(name)}: ${template(value)}`);
  return [
    ...(basic === null
      ? []
      : [
          `    auth: { basic: { username: ${template(basic.username)}, password: ` +
            `${template(basic.password)} } }`,
        ]),
    ...(fields.length === 0 ? [] : ['    headers:', ...fields]),
    ...(tls.length === 0 ? [] : [`    tls: { ${tls.join(', ')} }`]),
    ...(proxy === null ? [] : [`    proxy: ${template(proxy)}`]),
  ];
}

/** Proposals for keys of encryption are comments: the files are for the owner to name. */
const encryptionLines = (place: string): readonly string[] => [
  '',
  `    # A policy demands encrypted parts (${oneLine(place)}). Name the files of the keys:`,
  '    # security:',
  '    #   verify: # SOAP callers encrypt for the gateway',
  '    #     decrypt: { keys: [{ key: { file: gateway.key }, cert: { file: gateway.pem } }] }',
  '    #   make: # calls are encrypted for the backend; SOAP calls as well by `replace: true`',
  '    #     encrypt: { cert: { file: backend.pem } }',
  '    #   verifyReplies: # replies come encrypted for the gateway',
  '    #     decrypt: { keys: [{ key: { file: gateway.key }, cert: { file: gateway.pem } }] }',
];

function operationLines(operations: readonly ImportedOperation[]): string[] {
  if (operations.length === 0) return ['    operations: {}'];
  return [
    '    operations:',
    ...operations.map(({ operation, status, field, reason, place }) => {
      const value = field === null ? 'false' : `{ field: ${scalar(field)} }`;
      const where = place === null ? '' : ` (${oneLine(place)})`;
      const comment =
        status === 'ok' ? '' : ` # ${status}: ${oneLine(reason ?? 'no reason given')}${where}`;
      return `      ${scalar(operation)}: ${value}${comment}`;
    }),
  ];
}

/** Types with a lost order that are named in a comment. */
const LOST_NAMED_MAX = 8;

/** Proposals are comments: without their signs they are a mapping. */
function schemaLines({ paths = [], lostOrders = [] }: ImportedServices): readonly string[] {
  if (paths.length === 0 && lostOrders.length === 0) return [];
  return [
    '',
    ...orderRemark(lostOrders),
    ...(paths.length === 0
      ? []
      : ['    # Elements that hold one element alone: `path` shows their value without them.']),
    '    # schema:',
    ...(lostOrders.length === 0 ? [] : ['    #   choices: union']),
    ...pathLines(paths),
  ];
}

function orderRemark(types: readonly string[]): readonly string[] {
  if (types.length === 0) return [];
  const named = types.slice(0, LOST_NAMED_MAX).map(oneLine).join(', ');
  const more = types.length - LOST_NAMED_MAX;
  return [
    '    # Branches of a repeated choice are a list each: their order is lost in replies.',
    `    # Types: ${named}${more > 0 ? `, and ${more} more` : ''}. A list of a union keeps it.`,
  ];
}

function pathLines(paths: readonly ProposedPath[]): readonly string[] {
  if (paths.length === 0) return [];
  const byType = collections.groupBy(paths, ({ type }) => type);
  return [
    '    #   types:',
    ...[...byType].flatMap(([type, fields]) => [
      `    #     ${scalar(type)}:`,
      '    #       fields:',
      ...fields.map(
        ({ field, path }) => `    #         ${scalar(field)}: { path: ${scalar(path)} }`,
      ),
    ]),
  ];
}

function urlComment(location: string, address: string | null, usable: boolean): string {
  if (!usable) return ' # put the address of the backend here: the WSDL names none for HTTP';
  if (!isHttpUrl(location) || address === null) return '';
  return new URL(location).host === new URL(address).host
    ? ''
    : ' # from the WSDL, which is on another host';
}

/**
 * A text in YAML: plain where no reading of it could be another, else in double quotes, which are
 * those of JSON.
 */
function scalar(text: string): string {
  const plain =
    /^[A-Za-z_][A-Za-z0-9_./-]*$/.test(text) &&
    !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text);
  return plain ? text : quoted(text);
}

/** A text whose `${NAME}` stand for variables. */
const template = (text: string): string =>
  JSON.stringify(text.replaceAll(/\$\{(?![A-Za-z_][A-Za-z0-9_]*\})/g, () => '$${'));

/** `${` would be taken for a variable. */
function quoted(text: string): string {
  return JSON.stringify(text.replaceAll('${', () => '$${'));
}
