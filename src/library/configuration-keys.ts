/**
 * The keys of a configuration as types, made from its JSON Schema by "npm run generate". Editors
 * complete and check keys by them; values are checked when the configuration is read.
 */

/** A text, where an editor proposes some: numbers with units, and values of the environment. */
type Text = string & {};

/** The content of a file, without its last line break. */
interface FromFile {
  readonly file: string;
}

export interface ConfigurationKeys {
  /** Further files of this configuration, relative to it. */
  readonly include?: readonly (string | IncludeKeys | FromFile)[] | undefined;
  /**
   * Address for callers, SOAP and GraphQL, as host:port, unix:/path or `{ address, tls,
   * proxyProtocol }`; or a list of these.
   */
  readonly listen?:
    | string
    | ListenKeys
    | readonly (string | ConfigurationListenKeys | FromFile)[]
    | FromFile
    | undefined;
  /** Address for operators, metrics and health; same form, and credentials. */
  readonly admin?:
    | string
    | AdminKeys
    | readonly (string | ConfigurationAdminKeys | FromFile)[]
    | FromFile
    | undefined;
  /**
   * Host names by which operators reach `admin`, besides IP addresses, localhost and the host of
   * `admin`.
   */
  readonly adminHosts?: readonly (string | FromFile)[] | undefined;
  /**
   * Host names by which callers reach `listen`, besides IP addresses, localhost, the host of
   * `listen` and that of `publicUrl`.
   */
  readonly hosts?: readonly (string | FromFile)[] | undefined;
  /**
   * Address at which callers reach the gateway, for the WSDLs it serves; else the Host they named.
   */
  readonly publicUrl?: string | FromFile | undefined;
  /** Processes that share the traffic address; `auto` is one for each processor. */
  readonly workers?: number | string | FromFile | undefined;
  /**
   * After SIGTERM, the time in milliseconds in which `/ready` fails and requests are still taken,
   * until load balancers have noticed.
   */
  readonly drainDelayMillis?: number | string | FromFile | undefined;
  /** URIs by which header blocks name the gateway (actor, role), besides the standard `next`. */
  readonly roles?: readonly (string | FromFile)[] | undefined;
  /**
   * Header blocks for the gateway, as `{uri}local`, that it may take away even if they must be
   * understood; those of WS-Addressing are known.
   */
  readonly understands?: readonly (string | FromFile)[] | undefined;
  /** The backends, by the name that paths, metrics and logs use. */
  readonly services?: Readonly<Record<string, ServiceKeys | GraphqlServiceKeys>> | undefined;
  /** Clients, what identifies them, their rights and budgets. */
  readonly clients?: ClientsKeys | string | FromFile | undefined;
  /** State that replicas share. */
  readonly redis?: RedisKeys | string | FromFile | undefined;
  /** By `Type.field`. */
  readonly links?: Readonly<Record<string, LinksKeys>> | undefined;
  /** The fields of Subscription, each with one source. */
  readonly subscriptions?: Readonly<Record<string, ConfigurationSubscriptionsKeys>> | undefined;
  /** How the names of header fields to callers are written. */
  readonly headerCase?: 'usual' | 'lower' | Text | FromFile | undefined;
  /** Paths that hold no envelope (documents, pages). */
  readonly routes?: readonly RoutesKeys[] | undefined;
  /** The GraphQL endpoint. */
  readonly graphql?: GraphqlKeys | undefined;
  /** Offers operations as tools of the Model Context Protocol. */
  readonly mcp?: McpKeys | undefined;
  /** Limits. */
  readonly limits?: ConfigurationLimitsKeys | undefined;
  /** How a changed configuration comes into use, besides SIGHUP and `POST /reload`. */
  readonly reload?: ReloadKeys | undefined;
  /** A folder for compiled forms of WSDLs, by which a later start is faster; `none`. */
  readonly compiled?: string | FromFile | undefined;
  /** What callers are told of refused requests. */
  readonly faults?: FaultsKeys | undefined;
  /** Traces. */
  readonly traces?: TracesKeys | undefined;
  /** The console, a page for operators at `/` of the admin address. */
  readonly console?: ConsoleKeys | undefined;
  /** A record of each decision that denied a request or withheld or masked a field. */
  readonly audit?: AuditKeys | undefined;
  /** Logging, as JSON lines on standard output. */
  readonly log?: LogKeys | undefined;
  /** Metrics that are sent by OTLP, besides `/metrics` of the admin address. */
  readonly metrics?: MetricsKeys | undefined;
  /** Whether `/` of the traffic address is a page that lists what the caller may use. */
  readonly home?: boolean | Text | FromFile | undefined;
  /** Starts the bundled demonstration backend. */
  readonly demo?: DemoKeys | undefined;
}

interface IncludeKeys {
  /** A file, or a pattern. */
  readonly files: string | FromFile;
  /** Whether there may be none. */
  readonly optional?: boolean | Text | FromFile | undefined;
}

interface ListenKeys {
  /**
   * The address, as host:port or unix:/path; or `systemd:` and the name of a socket that systemd
   * passes.
   */
  readonly address: string | FromFile;
  /** TLS. */
  readonly tls?: TlsKeys | undefined;
  /**
   * Addresses and networks of proxies that begin each connection with a PROXY header (version 1 or
   * 2).
   */
  readonly proxyProtocol?: readonly (string | FromFile)[] | undefined;
}

interface TlsKeys {
  /** The certificate with its chain, as PEM. */
  readonly cert: string | FromFile;
  /** Its private key, as PEM. */
  readonly key: string | FromFile;
  /** Certificates of other server names (SNI), such as b.example or *.b.example. */
  readonly names?: Readonly<Record<string, NamesKeys>> | undefined;
  /** The least version of TLS. */
  readonly minVersion?: '1.2' | '1.3' | Text | FromFile | undefined;
  /** Cipher suites in the notation of OpenSSL; by default those with forward secrecy and AEAD. */
  readonly ciphers?: string | FromFile | undefined;
  /** Whether clients are asked for a certificate. */
  readonly clientCertificate?: 'none' | 'optional' | 'required' | Text | FromFile | undefined;
  /** The authorities that sign the certificates of clients, as PEM. */
  readonly clientCa?: string | FromFile | undefined;
  /** Revocation lists, as PEM, one of each authority in the chains of clients. */
  readonly clientCrl?: string | FromFile | undefined;
}

interface NamesKeys {
  /** The certificate with its chain, as PEM. */
  readonly cert: string | FromFile;
  /** Its private key, as PEM. */
  readonly key: string | FromFile;
}

interface ConfigurationListenKeys {
  /**
   * The address, as host:port or unix:/path; or `systemd:` and the name of a socket that systemd
   * passes.
   */
  readonly address: string | FromFile;
  /** TLS. */
  readonly tls?: TlsKeys | undefined;
  /**
   * Addresses and networks of proxies that begin each connection with a PROXY header (version 1 or
   * 2).
   */
  readonly proxyProtocol?: readonly (string | FromFile)[] | undefined;
}

interface AdminKeys {
  /**
   * The address, as host:port or unix:/path; or `systemd:` and the name of a socket that systemd
   * passes.
   */
  readonly address: string | FromFile;
  /** TLS, with the keys of `listen.tls`. */
  readonly tls?: TlsKeys | undefined;
  /**
   * Addresses and networks of proxies that begin each connection with a PROXY header (version 1 or
   * 2).
   */
  readonly proxyProtocol?: readonly (string | FromFile)[] | undefined;
  /** Operators with a password, by HTTP Basic. */
  readonly basic?: BasicKeys | undefined;
  /** Tools with a fixed token. */
  readonly bearer?: BearerKeys | undefined;
}

interface BasicKeys {
  /** By name. */
  readonly users: Readonly<Record<string, UsersKeys>>;
}

interface UsersKeys {
  /** The hash of the password, which `soapstone hash-password` prints. */
  readonly password: string | FromFile;
}

interface BearerKeys {
  /** From the environment or a file; several while one replaces the other. */
  readonly tokens: readonly (string | FromFile)[];
}

interface ConfigurationAdminKeys {
  /**
   * The address, as host:port or unix:/path; or `systemd:` and the name of a socket that systemd
   * passes.
   */
  readonly address: string | FromFile;
  /** TLS, with the keys of `listen.tls`. */
  readonly tls?: TlsKeys | undefined;
  /**
   * Addresses and networks of proxies that begin each connection with a PROXY header (version 1 or
   * 2).
   */
  readonly proxyProtocol?: readonly (string | FromFile)[] | undefined;
  /** Operators with a password, by HTTP Basic. */
  readonly basic?: BasicKeys | undefined;
  /** Tools with a fixed token. */
  readonly bearer?: BearerKeys | undefined;
}

export interface ServiceKeys {
  /** The protocol of the service; with `graphql` it has keys of its own. */
  readonly kind?: 'soap' | 'graphql' | Text | FromFile | undefined;
  /**
   * The WSDL, a path beside this file; `demo:legacy.wsdl` is that of the demonstration in the
   * package.
   */
  readonly wsdl?: string | FromFile | undefined;
  /** Address of the backend, http or https. */
  readonly url?: string | FromFile | undefined;
  /** Several addresses of the same backend, in place of `url`. */
  readonly urls?: readonly (string | UrlsKeys | FromFile)[] | undefined;
  /** Dialects that callers may speak; GraphQL calls the backend in the first. */
  readonly versions?: readonly ('2001-12' | '1.1' | '1.2' | Text | FromFile)[] | undefined;
  /** Dialects that callers may speak besides `versions`. */
  readonly bridge?: readonly ('2001-12' | '1.1' | '1.2' | Text | FromFile)[] | undefined;
  /** Path of the service on the traffic address. */
  readonly path?: string | FromFile | undefined;
  /** `enforce` refuses what breaks the rules; `monitor` counts and logs it and lets it through. */
  readonly mode?: 'enforce' | 'monitor' | Text | FromFile | undefined;
  /** By operation name. */
  readonly operations?: Readonly<Record<string, boolean | OperationsKeys>> | undefined;
  /** Types in SDL, instead of `wsdl`. */
  readonly types?: string | FromFile | undefined;
  /** The port of the WSDL to call; by default the first of the first dialect. */
  readonly port?: string | FromFile | undefined;
  /** Several ports of the WSDL that have the address of this service; instead of `port`. */
  readonly ports?: readonly (string | FromFile)[] | undefined;
  /** Namespace of the request and reply elements, for types in SDL. */
  readonly namespace?: string | FromFile | undefined;
  /** `camel` makes field names lowerCamelCase; `exact` keeps the names of the XML. */
  readonly naming?: 'camel' | 'exact' | Text | FromFile | undefined;
  /** How GraphQL shows what the WSDL declares. */
  readonly schema?: SchemaKeys | undefined;
  /** Whether `?wsdl` and `?xsd=` of the path answer with the documents of `wsdl`. */
  readonly serveWsdl?: boolean | Text | FromFile | undefined;
  /** How much of a Fault's detail callers see. */
  readonly faultDetail?: 'unsafe:pass' | 'declared' | 'none' | Text | FromFile | undefined;
  /**
   * Header blocks the backend understands, as `{uri}local`; others that must be understood are
   * refused.
   */
  readonly understands?: readonly (string | FromFile)[] | undefined;
  /** Whether messages may be packages of an envelope and other parts. */
  readonly attachments?: boolean | Text | FromFile | undefined;
  /**
   * Whether the binary content of calls from GraphQL goes into parts of a package (MTOM); by
   * default where a policy of the WSDL demands it.
   */
  readonly mtom?: boolean | Text | FromFile | undefined;
  /**
   * The cost of one call from GraphQL whose operation has none; by default
   * `limits.graphql.callCost`.
   */
  readonly callCost?: number | Text | FromFile | undefined;
  /** Operations that read, by name or pattern (`Export*`). */
  readonly reads?: readonly (string | FromFile)[] | undefined;
  /**
   * Header fields of a GraphQL caller's request that operations may put into their messages, with
   * `header`.
   */
  readonly callerHeaders?: readonly (string | FromFile)[] | undefined;
  /**
   * Header blocks of the calls of GraphQL fields, by `{namespace}Name` or a path inside the block.
   */
  readonly soapHeaders?: Readonly<Record<string, SoapHeadersKeys>> | undefined;
  /** Header blocks of replies that callers may select. */
  readonly replyHeaders?: boolean | readonly (string | FromFile)[] | undefined;
  /** HTTP header fields sent with every call, in place of those of callers by the same names. */
  readonly headers?: Readonly<Record<string, string | FromFile>> | undefined;
  /** HTTP header fields of the caller's request that are sent on. */
  readonly forwardHeaders?: readonly (string | FromFile)[] | undefined;
  /**
   * Whether the backend is sent `X-Forwarded-For`, `-Proto`, `-Host` and `Forwarded`, as the
   * gateway saw them; those of callers count only from `trustedProxies`.
   */
  readonly forwarded?: boolean | Text | FromFile | undefined;
  /** `forward`. */
  readonly cookies?: 'none' | 'forward' | Text | FromFile | undefined;
  /** With several addresses. */
  readonly sticky?: StickyKeys | undefined;
  /** Credentials of the gateway at the backend, of exactly one kind. */
  readonly auth?: AuthKeys | undefined;
  /** TLS to the backend. */
  readonly tls?: ServiceTlsKeys | undefined;
  /** The HTTP proxy on the way to the backend, `http://user:password@host:port`; `environment`. */
  readonly proxy?: string | FromFile | undefined;
  /** Whether the backend is sent `Via` (RFC 9110), with a name of this gateway. */
  readonly via?: boolean | Text | FromFile | undefined;
  /** How the names of header fields to the backend are written. */
  readonly headerCase?: 'usual' | 'lower' | Text | FromFile | undefined;
  /** With several addresses. */
  readonly balance?: string | BalanceKeys | FromFile | undefined;
  /** Where the gateway is. */
  readonly zone?: string | FromFile | undefined;
  /** Time for a whole call with its retries; by default `limits.upstream.totalMillis`. */
  readonly timeoutMillis?: number | string | FromFile | undefined;
  /** When a call is made again. */
  readonly retry?: RetryKeys | undefined;
  /** Calls that may be in flight or wait; one more is refused with `Retry-After`. */
  readonly requestsAtOnce?: number | Text | FromFile | undefined;
  /** The rate of calls that the service bears, over all workers. */
  readonly rate?: RateKeys | undefined;
  /** Checks of the addresses, whether they are called or not. */
  readonly health?: HealthKeys | undefined;
  /** Collects requests whose length is not known, so that they go on with one. */
  readonly bufferRequests?: boolean | Text | FromFile | undefined;
  /**
   * Whether the reading of a long reply ends, and its connection, as soon as all values that a
   * query selects have been read; the rest is not validated then.
   */
  readonly earlyEnd?: boolean | Text | FromFile | undefined;
  /**
   * Whether elements of replies may stand for others by `Id` and `Ref` of .NET data contracts
   * although the WSDL does not declare these.
   */
  readonly dataContractReferences?: boolean | Text | FromFile | undefined;
  /**
   * The treatment of a Body child that is the input of no operation of the WSDL; `pass` where the
   * WSDL is incomplete, or Bodies are encrypted.
   */
  readonly unknownOperations?: 'refuse' | 'pass' | Text | FromFile | undefined;
  /** Offers the operations of the service as JSON over HTTP as well. */
  readonly rest?: boolean | RestKeys | undefined;
  /** WS-Addressing headers of messages; a word alone is that of `calls`. */
  readonly addressing?: AddressingKeys | string | FromFile | undefined;
  /** WS-Security headers of requests, besides their structure. */
  readonly security?: SecurityKeys | undefined;
  /** Whether Bodies are validated against the schema of the WSDL. */
  readonly validate?: ValidateKeys | undefined;
  /** Deviations of replies that pass, by name. */
  readonly tolerate?:
    | readonly (
        | 'wrapper'
        | 'wrapper-name'
        | 'media-type'
        | 'leading-space'
        | 'declared-encoding'
        | 'trailing-bytes'
        | 'control-characters'
        | 'undeclared-prefix'
        | 'unqualified-header'
        | 'empty-body'
        | 'missing'
        | Text
        | FromFile
      )[]
    | undefined;
  /**
   * Compares the WSDL that the backend serves with `wsdl`, and reports differences in log and
   * metrics.
   */
  readonly drift?: DriftKeys | undefined;
  /** A new backend that gets a share of the calls, and gives it back when it fails. */
  readonly canary?: CanaryKeys | undefined;
  /** Records exchanges with the backend as files, for `soapstone replay` and `soapstone mock`. */
  readonly record?: RecordKeys | undefined;
  /** A second backend that gets the reads as well. */
  readonly shadow?: ShadowKeys | undefined;
  /** Limits of this service where they differ from those of the gateway. */
  readonly limits?: LimitsKeys | undefined;
}

interface UrlsKeys {
  /** The address, http or https. */
  readonly url: string | FromFile;
  /** Its share of the calls, against those of the others; 0 for none. */
  readonly weight?: number | Text | FromFile | undefined;
  /** Called only while no other address is ready. */
  readonly backup?: boolean | Text | FromFile | undefined;
  /** Where it is; see `zone` of the service. */
  readonly zone?: string | FromFile | undefined;
}

interface OperationsKeys {
  /** Root type and name of the field. */
  readonly field?: string | FromFile | undefined;
  /** Description of the field, instead of the documentation of the WSDL. */
  readonly description?: string | FromFile | undefined;
  /** Marks the field as deprecated, for this reason. */
  readonly deprecated?: string | FromFile | undefined;
  /** Calling it twice does no harm. */
  readonly idempotent?: boolean | Text | FromFile | undefined;
  /**
   * Points that one call of a SOAP client takes from its budget; by default its `cost`, or
   * `callCost` of the service or of `limits.graphql`.
   */
  readonly weight?: number | Text | FromFile | undefined;
  /** Requests of one client under one key are one call. */
  readonly idempotency?: IdempotencyKeys | undefined;
  /** The backend hands out pages. */
  readonly pages?: PagesKeys | undefined;
  /** The operation changes nothing. */
  readonly read?: ReadKeys | undefined;
  /** The operation changes what others answer. */
  readonly write?: WriteKeys | undefined;
  /** Local name of the request element; without a WSDL by default the name of the operation. */
  readonly request?: string | FromFile | undefined;
  /**
   * Local name of the reply element; without a WSDL by default the request element plus `Response`.
   */
  readonly response?: string | FromFile | undefined;
  /** Namespace of the request and reply elements, instead of that of the service. */
  readonly namespace?: string | FromFile | undefined;
  /** Whether the children are in the namespace too (without a WSDL; default true). */
  readonly qualified?: boolean | Text | FromFile | undefined;
  /** The backend answers without an envelope. */
  readonly oneWay?: boolean | Text | FromFile | undefined;
  /** Deviations of its replies that pass, besides those of the service. */
  readonly tolerate?:
    | readonly (
        | 'wrapper'
        | 'wrapper-name'
        | 'media-type'
        | 'leading-space'
        | 'declared-encoding'
        | 'trailing-bytes'
        | 'control-characters'
        | 'undeclared-prefix'
        | 'unqualified-header'
        | 'empty-body'
        | 'missing'
        | Text
        | FromFile
      )[]
    | undefined;
  /** The action to send, instead of that of the WSDL. */
  readonly soapAction?: string | FromFile | undefined;
  /** How callers meet the Faults that the WSDL declares. */
  readonly faults?: 'errors' | 'union' | Text | FromFile | undefined;
  /** Its own method and path over REST. */
  readonly rest?: string | FromFile | undefined;
  /** Scopes of the token that callers must have. */
  readonly scopes?: readonly (string | readonly (string | FromFile)[] | FromFile)[] | undefined;
  /** Callers must be identified by credentials. */
  readonly authenticated?: boolean | Text | FromFile | undefined;
  /** Time for a whole call with its retries; by default `limits.upstream.totalMillis`. */
  readonly timeoutMillis?: number | string | FromFile | undefined;
  /** When a call is made again. */
  readonly retry?: RetryKeys | undefined;
  /** Calls that may be in flight or wait; one more is refused with `Retry-After`. */
  readonly requestsAtOnce?: number | Text | FromFile | undefined;
  /** The rate of calls that the service bears, over all workers. */
  readonly rate?: RateKeys | undefined;
  /**
   * The cost of one call from GraphQL; by default its `weight`, or `callCost` of the service or of
   * `limits.graphql`.
   */
  readonly cost?: number | Text | FromFile | undefined;
  /** Further cost of arguments that are present, by GraphQL name or path into them. */
  readonly argumentCosts?: Readonly<Record<string, number | Text | FromFile>> | undefined;
  /** How long the list is, for the cost before anything is called. */
  readonly listSize?: ListSizeKeys | undefined;
  /**
   * The most objects of a reply, in lists without slicing arguments; by default
   * `limits.graphql.assumedReplySize`, in lists without `listSize`.
   */
  readonly replySize?: number | Text | FromFile | undefined;
  /** KiB that a reply is taken to have, for the cost before it is called. */
  readonly replyKib?: number | Text | FromFile | undefined;
  /** By XML name, or path (`Order/Customer/@id`). */
  readonly arguments?: Readonly<Record<string, ArgumentsKeys>> | undefined;
  /**
   * The same for header blocks (`AuthHeader/password`), also for `{namespace}Name` as in
   * `soapHeaders` of the service, of which a path here goes before.
   */
  readonly headers?: Readonly<Record<string, boolean | HeadersKeys>> | undefined;
  /**
   * The same for this operation, also by the name alone of a block that the WSDL declares; `false`.
   */
  readonly replyHeaders?: boolean | readonly (string | FromFile)[] | undefined;
}

interface IdempotencyKeys {
  /** The header field of the request with its key, which is optional. */
  readonly header?: string | FromFile | undefined;
  /** How long the answer to a key is kept. */
  readonly keepMillis?: number | string | FromFile | undefined;
}

interface PagesKeys {
  /** The argument, or path to it, with the number of the page. */
  readonly page?: string | FromFile | undefined;
  /** The argument, or path to it, with the number of rows before the page. */
  readonly offset?: string | FromFile | undefined;
  /** The backend names each next page itself. */
  readonly cursor?: CursorKeys | undefined;
  /** The number of the first page, for `page`. */
  readonly first?: number | Text | FromFile | undefined;
  /** The argument, or path to it, with the rows of a page, and how many it asks for. */
  readonly size: Readonly<Record<string, number | Text | FromFile>>;
  /** The path in the reply to the repeated element, which is a row. */
  readonly items: string | FromFile;
  /** What the reply tells about all of it. */
  readonly total?: TotalKeys | undefined;
}

interface CursorKeys {
  /** The argument, or path to it, that names the next page. */
  readonly argument: string | FromFile;
  /**
   * The path in the reply to the value that names the next page; empty or absent after the last.
   */
  readonly next: string | FromFile;
}

interface TotalKeys {
  /** The path in the reply to the number of all rows. */
  readonly items?: string | FromFile | undefined;
  /** The path in the reply to the number of all pages. */
  readonly pages?: string | FromFile | undefined;
}

interface ReadKeys {
  /** How long a reply is remembered; 0. */
  readonly cacheMillis?: number | string | FromFile | undefined;
  /** How long after that it is still the answer when the backend cannot be reached or is silent. */
  readonly staleMillis?: number | string | FromFile | undefined;
  /** The clients that share a reply. */
  readonly scope?: 'client' | 'shared' | Text | FromFile | undefined;
}

interface WriteKeys {
  /** The calls that invalidate it, by SOAP or GraphQL. */
  readonly invalidates: readonly (string | FromFile)[];
}

interface RetryKeys {
  /** Attempts besides the first. */
  readonly times?: number | Text | FromFile | undefined;
  /** Reasons. */
  readonly on?:
    | readonly ('refused' | 'reset' | '502' | '503' | '504' | Text | FromFile)[]
    | undefined;
  /** An attempt whose answer has not begun by then is given up, and another one made. */
  readonly perTryMillis?: number | string | FromFile | undefined;
}

interface RateKeys {
  /** Calls in a second, and never more than one besides in any second. */
  readonly perSecond: number | Text | FromFile;
  /** Calls that may be made at once after a pause; at most `perSecond`. */
  readonly burst?: number | Text | FromFile | undefined;
  /** Faults that say that there were too many calls, as status 429 does. */
  readonly backOffOn?: readonly (string | FromFile)[] | undefined;
  /** Longest time that a call waits for its turn. */
  readonly waitMillis?: number | string | FromFile | undefined;
}

interface ListSizeKeys {
  /** Where no argument sets it; `limits.graphql.assumedListSize` unless set. */
  readonly assumedSize?: number | Text | FromFile | undefined;
  /**
   * Arguments, or paths into them (`page.first`), that set it, from 1 to
   * `limits.graphql.sliceItems`.
   */
  readonly slicingArguments?: readonly (string | FromFile)[] | undefined;
  /**
   * Fields below this one, or paths to them, that are the list; by default it is the field itself.
   */
  readonly sizedFields?: readonly (string | FromFile)[] | undefined;
  /** Whether exactly one of `slicingArguments` must be provided; otherwise the largest counts. */
  readonly requireOneSlicingArgument?: boolean | Text | FromFile | undefined;
}

interface ArgumentsKeys {
  /** The name of the argument, instead of that by rule. */
  readonly name?: string | FromFile | undefined;
  /** What the texts of its values mean, in replies and requests. */
  readonly convert?: ConvertKeys | undefined;
  /** The way to the value in the request, which callers give without the elements around it. */
  readonly path?: string | FromFile | undefined;
  /** A constant in place of the argument, which callers then do not see. */
  readonly value?: string | FromFile | undefined;
  /** The header field of the caller's request to take it from, one of `callerHeaders`. */
  readonly header?: string | FromFile | undefined;
  /** The claim of the caller to take it from. */
  readonly claim?: string | FromFile | undefined;
}

interface ConvertKeys {
  /** Two texts as Boolean. */
  readonly boolean?: BooleanKeys | undefined;
  /** Texts as an enumeration. */
  readonly enum?: Readonly<Record<string, string | FromFile>> | undefined;
  /** Texts of this pattern as Date. */
  readonly date?: string | FromFile | undefined;
  /** Texts of this pattern as Time. */
  readonly time?: string | FromFile | undefined;
  /** Texts of this pattern as DateTime. */
  readonly dateTime?: string | FromFile | undefined;
  /** The time zone of `dateTime`, of the IANA database, or an offset. */
  readonly zone?: string | FromFile | undefined;
  /** Digits without a point as Decimal, the last so many behind the point. */
  readonly decimal?: number | Text | FromFile | undefined;
  /** `true`. */
  readonly integer?: boolean | Text | FromFile | undefined;
  /** The width of `decimal` or `integer`. */
  readonly digits?: number | Text | FromFile | undefined;
  /** White space at both ends is no part of the value. */
  readonly trim?: boolean | Text | FromFile | undefined;
  /** Texts that stand for null, compared after `trim`. */
  readonly nullWhen?: readonly (string | FromFile)[] | undefined;
}

interface BooleanKeys {
  /** The text of true. */
  readonly true: string | FromFile;
  /** The text of false. */
  readonly false: string | FromFile;
}

interface HeadersKeys {
  /** The name of the argument, instead of that by rule. */
  readonly name?: string | FromFile | undefined;
  /** A constant in place of the argument, which callers then do not see. */
  readonly value?: string | FromFile | undefined;
  /** The header field of the caller's request to take it from, one of `callerHeaders`. */
  readonly header?: string | FromFile | undefined;
  /** The claim of the caller to take it from. */
  readonly claim?: string | FromFile | undefined;
  /** Refuse callers without the header field or the claim. */
  readonly required?: boolean | Text | FromFile | undefined;
  /** The whole block as XML. */
  readonly xml?: string | FromFile | undefined;
  /** The values of `xml`, by name. */
  readonly values?: Readonly<Record<string, ValuesKeys>> | undefined;
}

interface ValuesKeys {
  /** A constant in place of the argument, which callers then do not see. */
  readonly value?: string | FromFile | undefined;
  /** The header field of the caller's request to take it from, one of `callerHeaders`. */
  readonly header?: string | FromFile | undefined;
  /** The claim of the caller to take it from. */
  readonly claim?: string | FromFile | undefined;
  /** Refuse callers without the header field or the claim. */
  readonly required?: boolean | Text | FromFile | undefined;
}

interface SchemaKeys {
  /** A choice in replies. */
  readonly choices?: 'fields' | 'union' | Text | FromFile | undefined;
  /** Every field may be null in replies. */
  readonly nullable?: boolean | Text | FromFile | undefined;
  /**
   * SOAP calls whose replies may hold fields that the caller may not read, or that are masked for
   * its class.
   */
  readonly restrictedReplies?: 'pass' | 'refuse' | Text | FromFile | undefined;
  /**
   * By the XML name of a type, or of the element of a type without a name; `{uri}name` where that
   * is ambiguous.
   */
  readonly types?: Readonly<Record<string, TypesKeys>> | undefined;
}

interface TypesKeys {
  /** Its name in GraphQL; that of the input type ends in `Input`. */
  readonly name?: string | FromFile | undefined;
  /** Instead of its documentation. */
  readonly description?: string | FromFile | undefined;
  /** Leaves out every field of this type. */
  readonly hide?: boolean | Text | FromFile | undefined;
  /** `true`. */
  readonly nullable?: boolean | Text | FromFile | undefined;
  /** The cost of each object of the type; 1 by default. */
  readonly cost?: number | Text | FromFile | undefined;
  /** By the XML name of an element or attribute; `@name` is the attribute where both exist. */
  readonly fields?: Readonly<Record<string, FieldsKeys>> | undefined;
}

interface FieldsKeys {
  /** Its name in GraphQL. */
  readonly name?: string | FromFile | undefined;
  /** The scalar it is shown as. */
  readonly type?:
    | 'ID'
    | 'String'
    | 'Int'
    | 'Float'
    | 'Long'
    | 'BigInt'
    | 'Decimal'
    | 'Date'
    | 'DateTime'
    | 'Time'
    | 'Duration'
    | 'URI'
    | Text
    | FromFile
    | undefined;
  /** What the texts of its values mean, in replies and requests. */
  readonly convert?: ConvertKeys | undefined;
  /**
   * The way from an element of the type to the value, which the field shows without the elements
   * around it.
   */
  readonly path?: string | FromFile | undefined;
  /** Leaves it out of replies, and of requests unless it must be provided. */
  readonly hide?: boolean | Text | FromFile | undefined;
  /** `true`. */
  readonly nullable?: boolean | Text | FromFile | undefined;
  /** Marks it as deprecated, for this reason. */
  readonly deprecated?: string | FromFile | undefined;
  /** Instead of its documentation. */
  readonly description?: string | FromFile | undefined;
  /** Its cost each time it is selected of an object; nothing by default. */
  readonly cost?: number | Text | FromFile | undefined;
  /** How long the list is, for the cost before anything is called. */
  readonly listSize?: ListSizeKeys | undefined;
  /** Scopes of the token that callers must have. */
  readonly scopes?: readonly (string | readonly (string | FromFile)[] | FromFile)[] | undefined;
  /** Callers must be identified by credentials. */
  readonly authenticated?: boolean | Text | FromFile | undefined;
  /** What clients get of the value. */
  readonly mask?:
    | Readonly<Record<string, 'none' | 'last4' | 'hash' | 'null' | 'remove' | Text | FromFile>>
    | string
    | FromFile
    | undefined;
}

interface SoapHeadersKeys {
  /** The name of the argument, instead of that by rule. */
  readonly name?: string | FromFile | undefined;
  /** A constant in place of the argument, which callers then do not see. */
  readonly value?: string | FromFile | undefined;
  /** The header field of the caller's request to take it from, one of `callerHeaders`. */
  readonly header?: string | FromFile | undefined;
  /** The claim of the caller to take it from. */
  readonly claim?: string | FromFile | undefined;
  /** Refuse callers without the header field or the claim. */
  readonly required?: boolean | Text | FromFile | undefined;
  /** The whole block as XML. */
  readonly xml?: string | FromFile | undefined;
  /** The values of `xml`, by name. */
  readonly values?: Readonly<Record<string, ValuesKeys>> | undefined;
}

interface StickyKeys {
  /** The name of the cookie. */
  readonly cookie: string | FromFile;
}

interface AuthKeys {
  /** HTTP Basic (RFC 7617). */
  readonly basic?: AuthBasicKeys | undefined;
  /** A bearer token (RFC 6750). */
  readonly bearer?: AuthBearerKeys | undefined;
  /** HTTP Digest (RFC 7616). */
  readonly digest?: AuthBasicKeys | undefined;
  /** Tokens of OAuth 2.0, shared and renewed before they end. */
  readonly oauth2?: Oauth2Keys | undefined;
  /** NTLM, version 2 (MS-NLMP). */
  readonly ntlm?: NtlmKeys | undefined;
  /** Kerberos (RFC 4559), by the optional package `kerberos`. */
  readonly negotiate?: NegotiateKeys | undefined;
  /** A token of a login session, shared by all calls. */
  readonly login?: LoginKeys | undefined;
  /** `true`. */
  readonly passthrough?: boolean | Text | FromFile | undefined;
}

interface AuthBasicKeys {
  /** The user. */
  readonly username: string | FromFile;
  /** The password; from the environment or a file. */
  readonly password: string | FromFile;
}

interface AuthBearerKeys {
  /** The token. */
  readonly token: string | FromFile;
}

interface Oauth2Keys {
  /** What the token is asked for with. */
  readonly grant?:
    | 'clientCredentials'
    | 'jwtBearer'
    | 'tokenExchange'
    | Text
    | FromFile
    | undefined;
  /** The token endpoint. */
  readonly tokenUrl: string | FromFile;
  /** The client. */
  readonly clientId: string | FromFile;
  /** Its secret; a file may rotate. */
  readonly clientSecret?: string | FromFile | undefined;
  /** How the client identifies itself. */
  readonly clientAuth?: 'basic' | 'post' | 'privateKeyJwt' | 'tls' | Text | FromFile | undefined;
  /** The private key that signs assertions, PEM. */
  readonly key?: string | FromFile | undefined;
  /** What the assertion of `grant. */
  readonly assertion?: AssertionKeys | undefined;
  /** The scopes that the token is to have. */
  readonly scopes?: readonly (string | FromFile)[] | undefined;
  /** The service that the token is for. */
  readonly audience?: string | FromFile | undefined;
  /**
   * Bind tokens to a key that the gateway makes at its start, and prove it with each request and
   * each call (DPoP, RFC 9449).
   */
  readonly dpop?: boolean | Text | FromFile | undefined;
  /** Where calls carry the token. */
  readonly place?: string | FromFile | undefined;
  /** Faults after which a new token is asked for and the call is repeated once. */
  readonly renewOn?: readonly (string | FromFile)[] | undefined;
}

interface AssertionKeys {
  /** Who asserts; by default `clientId`. */
  readonly issuer?: string | FromFile | undefined;
  /** The user that the token is for. */
  readonly subject: string | FromFile;
  /** Who is to read it; by default `tokenUrl`. */
  readonly audience?: string | FromFile | undefined;
  /** How long it is good. */
  readonly lifetimeMillis?: number | string | FromFile | undefined;
}

interface NtlmKeys {
  /** The user. */
  readonly username: string | FromFile;
  /** The password; a file may rotate. */
  readonly password: string | FromFile;
  /** The domain of the user. */
  readonly domain?: string | FromFile | undefined;
}

interface NegotiateKeys {
  /** The principal of the backend. */
  readonly principal: string | FromFile;
  /** The keys of the gateway, as `{ file. */
  readonly keytab?: string | FromFile | undefined;
}

interface LoginKeys {
  /** The operation that is called. */
  readonly operation: string | FromFile;
  /** Its arguments, by XML name or path (`Credentials/user`). */
  readonly arguments?: Readonly<Record<string, string | FromFile>> | undefined;
  /** Where its reply has the token. */
  readonly token?: string | FromFile | undefined;
  /** A word before the token in a field of HTTP. */
  readonly scheme?: string | FromFile | undefined;
  /** Where its reply has the address of further calls, as `token`. */
  readonly url?: string | FromFile | undefined;
  /** The addresses that `url` may be at; `*` stands for one or more names. */
  readonly urlsAllowed?: readonly (string | FromFile)[] | undefined;
  /** Where calls carry the token. */
  readonly place: string | FromFile;
  /** Faults after which the operation is called again and the call is repeated once. */
  readonly renewOn?: readonly (string | FromFile)[] | undefined;
  /** How long a token is used; by default until it is refused. */
  readonly maxAgeMillis?: number | string | FromFile | undefined;
  /** The operation that ends the session when the gateway stops or reloads. */
  readonly logout?: string | FromFile | undefined;
}

interface ServiceTlsKeys {
  /** The authorities that are trusted, as PEM, instead of those of Node. */
  readonly ca?: string | FromFile | undefined;
  /** The certificate of the gateway with its chain, as PEM. */
  readonly cert?: string | FromFile | undefined;
  /** Its private key, as PEM. */
  readonly key?: string | FromFile | undefined;
  /** Certificate and key as PKCS #12. */
  readonly pfx?: string | FromFile | undefined;
  /** Of `key` or `pfx`; from the environment or a file. */
  readonly passphrase?: string | FromFile | undefined;
  /**
   * The name that the certificate of the backend must have; the host of its address unless given.
   */
  readonly servername?: string | FromFile | undefined;
  /** The least version of TLS. */
  readonly minVersion?: '1.2' | '1.3' | Text | FromFile | undefined;
  /** What is verified of the certificate of the backend. */
  readonly verify?: 'full' | 'chain' | 'unsafe:none' | Text | FromFile | undefined;
}

interface BalanceKeys {
  /** Calls with the same value go to the same address. */
  readonly hash: string | FromFile;
}

interface HealthKeys {
  /** How often each address is checked, of several processes by one, or up to a fifth sooner. */
  readonly everyMillis?: number | string | FromFile | undefined;
  /** How long a check may take. */
  readonly timeoutMillis?: number | string | FromFile | undefined;
  /** Path and query that are asked for by GET; a status below 400 is healthy. */
  readonly path?: string | FromFile | undefined;
  /** Whether a connection is enough, of TLS at an https address. */
  readonly tcp?: boolean | Text | FromFile | undefined;
  /** Checks in a row that succeed before an address is called again. */
  readonly up?: number | Text | FromFile | undefined;
  /** Checks in a row that fail before an address is no longer called. */
  readonly down?: number | Text | FromFile | undefined;
  /** Whether `?wsdl` is asked for; a WSDL document is healthy. */
  readonly wsdl?: boolean | Text | FromFile | undefined;
  /** An operation of the service that is called, with the credentials of the service. */
  readonly operation?: string | FromFile | undefined;
  /** Its arguments, by XML name or path. */
  readonly arguments?: Readonly<Record<string, string | FromFile>> | undefined;
  /** Texts that its reply must have, such as `reply.status. */
  readonly expect?: Readonly<Record<string, string | FromFile>> | undefined;
  /** What a Fault as its reply means; `down` unless given. */
  readonly faults?: 'down' | 'up' | Text | FromFile | undefined;
}

interface RestKeys {
  /**
   * What their paths begin with, before a slash and the name of the operation; by default
   * `/rest/<service>`.
   */
  readonly path?: string | FromFile | undefined;
  /**
   * The operations that are offered, by the names of the WSDL; by default all that GraphQL offers.
   */
  readonly operations?: readonly (string | FromFile)[] | undefined;
}

interface AddressingKeys {
  /** Whether calls of GraphQL fields carry Action, To, MessageID and ReplyTo. */
  readonly calls?: 'auto' | 'send' | 'never' | Text | FromFile | undefined;
  /** The WS-Addressing of those calls. */
  readonly version?: '2005/08' | '2004/08' | Text | FromFile | undefined;
  /**
   * Refuse answers to elsewhere, other destinations, actions of another operation and blocks that
   * come twice.
   */
  readonly check?: boolean | Text | FromFile | undefined;
  /**
   * Replace a `To` that names the gateway by the address of the backend (the first of several);
   * never in a signed message.
   */
  readonly rewriteTo?: boolean | Text | FromFile | undefined;
  /** Addresses that `To` may name besides the gateway and the backend. */
  readonly destinations?: readonly (string | FromFile)[] | undefined;
}

interface SecurityKeys {
  /** Refuse messages whose Created is too far from now, or whose Expires has passed. */
  readonly timestamps?: boolean | Text | FromFile | undefined;
  /**
   * Refuse a nonce of a UsernameToken that came before, however its base64 is written, or without
   * Created.
   */
  readonly nonces?: boolean | Text | FromFile | undefined;
  /** While Redis is away, take nonces that are new to this process. */
  readonly noncesWithoutRedis?: boolean | Text | FromFile | undefined;
  /** Refuse requests whose Security block is not as it says here (WS-Security 1.1). */
  readonly verify?: VerifyKeys | undefined;
  /** Take replies only whose Security block is as it says here, Faults as well. */
  readonly verifyReplies?: VerifyRepliesKeys | undefined;
  /** A Security block that the gateway writes into the calls that it makes. */
  readonly make?: MakeKeys | undefined;
  /** What the gateway does to the answers that SOAP callers get. */
  readonly answer?: AnswerKeys | undefined;
}

export interface VerifyKeys {
  /**
   * Decrypt the content of Body, header blocks and parts of the Security block (XML Encryption
   * 1.1).
   */
  readonly decrypt?: DecryptKeys | undefined;
  /** Demand a signature (XML Signature 1.1) that covers what is `required`. */
  readonly signature?: SignatureKeys | undefined;
  /** The Timestamp of a message. */
  readonly timestamp?: TimestampKeys | undefined;
  /** Demand a UsernameToken (UsernameToken Profile 1.1) of one of these users. */
  readonly usernameToken?: UsernameTokenKeys | undefined;
  /** Demand an assertion of SAML 2.0, signed by its issuer. */
  readonly saml?: SamlKeys | undefined;
  /** The actor or role of the Security block that is meant, or `next`. */
  readonly role?: string | FromFile | undefined;
  /** Take a signed message once. */
  readonly once?: boolean | Text | FromFile | undefined;
  /** Take the block out of a message once it is verified. */
  readonly remove?: boolean | Text | FromFile | undefined;
  /** Messages with encrypted parts that no key of `decrypt` opens. */
  readonly encrypted?: 'refuse' | 'pass' | Text | FromFile | undefined;
}

interface DecryptKeys {
  /** The keys that messages are encrypted for. */
  readonly keys: readonly KeysKeys[];
  /** What must have been encrypted. */
  readonly required?: readonly ('Body' | Text | FromFile)[] | undefined;
  /** Algorithms of the content. */
  readonly algorithms?:
    | readonly (
        | 'aes128-gcm'
        | 'aes192-gcm'
        | 'aes256-gcm'
        | 'unsafe:aes128-cbc'
        | 'unsafe:aes192-cbc'
        | 'unsafe:aes256-cbc'
        | Text
        | FromFile
      )[]
    | undefined;
  /** How the key of the content is encrypted. */
  readonly keyTransports?:
    | readonly ('rsa-oaep' | 'ecdh-es' | 'unsafe:rsa-1_5' | Text | FromFile)[]
    | undefined;
}

interface KeysKeys {
  /** The private key, PEM. */
  readonly key: string | FromFile;
  /** Its certificate, PEM, which messages name; both may rotate. */
  readonly cert: string | FromFile;
  /** The passphrase of the key. */
  readonly passphrase?: string | FromFile | undefined;
}

interface SignatureKeys {
  /** The authorities whose certificates may sign, PEM. */
  readonly authorities: string | FromFile;
  /** Authorities below those, by which chains are built. */
  readonly intermediates?: string | FromFile | undefined;
  /** Revocation lists, PEM. */
  readonly revocations?: string | FromFile | undefined;
  /** SignerCertificates that a message names without bringing them. */
  readonly known?: string | FromFile | undefined;
  /** What one signature must cover, by its place in the envelope. */
  readonly required?: readonly (string | FromFile)[] | undefined;
  /** Subjects that may sign, by some attributes of their name. */
  readonly subjects?: readonly (string | FromFile)[] | undefined;
  /** Algorithms of signatures. */
  readonly algorithms?:
    | readonly (
        | 'rsa-sha1'
        | 'rsa-sha256'
        | 'rsa-sha384'
        | 'rsa-sha512'
        | 'rsa-pss-sha256'
        | 'rsa-pss-sha384'
        | 'rsa-pss-sha512'
        | 'ecdsa-sha1'
        | 'ecdsa-sha256'
        | 'ecdsa-sha384'
        | 'ecdsa-sha512'
        | 'ed25519'
        | Text
        | FromFile
      )[]
    | undefined;
  /** Digests of what is signed. */
  readonly digests?:
    | readonly ('sha1' | 'sha256' | 'sha384' | 'sha512' | Text | FromFile)[]
    | undefined;
  /** Digests by which the certificates of a chain, and revocation lists, may be signed. */
  readonly chainDigests?:
    | readonly ('sha1' | 'sha256' | 'sha384' | 'sha512' | Text | FromFile)[]
    | undefined;
  /** Ways of canonical XML. */
  readonly canonicalizations?: readonly ('exclusive' | 'inclusive' | Text | FromFile)[] | undefined;
  /** How a signature may name its certificate. */
  readonly keyReferences?:
    | readonly (
        | 'token'
        | 'issuerSerial'
        | 'keyIdentifier'
        | 'thumbprint'
        | 'embedded'
        | 'x509Data'
        | Text
        | FromFile
      )[]
    | undefined;
  /** A bare key in place of a certificate. */
  readonly keyValues?: 'none' | 'known' | Text | FromFile | undefined;
}

interface TimestampKeys {
  /** Demand one. */
  readonly required?: boolean | Text | FromFile | undefined;
  /** How far clocks may differ. */
  readonly toleranceMillis?: number | string | FromFile | undefined;
  /** The age up to which a message is taken; `none`. */
  readonly maxAgeMillis?: number | string | FromFile | undefined;
}

interface UsernameTokenKeys {
  /** Users by name, each with a `password` or its `hash`. */
  readonly users?: Readonly<Record<string, UsernameTokenUsersKeys>> | undefined;
  /**
   * A decision point that is asked about the user and the password, as text, of a token whose user
   * is not among `users`.
   */
  readonly url?: string | FromFile | undefined;
  /** Time for its answer; without one the message is refused. */
  readonly timeoutMillis?: number | string | FromFile | undefined;
  /** TLS to it, with the keys of `tls` of a service. */
  readonly tls?: ServiceTlsKeys | undefined;
  /** How a password may be sent. */
  readonly types?: readonly ('digest' | 'text' | Text | FromFile)[] | undefined;
  /** The age up to which a token with Created is taken; `none`. */
  readonly maxAgeMillis?: number | string | FromFile | undefined;
}

interface UsernameTokenUsersKeys {
  /** The password; from the environment or a file. */
  readonly password?: string | FromFile | undefined;
  /** Its hash, as `soapstone hash-password` prints it. */
  readonly hash?: string | FromFile | undefined;
}

interface SamlKeys {
  /** Issuers by name, each with its certificates. */
  readonly issuers: Readonly<Record<string, IssuersKeys>>;
  /** The audience that assertions must name. */
  readonly audience: string | FromFile;
  /** How the subject may be confirmed. */
  readonly confirmations?:
    | readonly ('bearer' | 'holder-of-key' | 'sender-vouches' | Text | FromFile)[]
    | undefined;
}

interface IssuersKeys {
  /** SignerCertificates of the keys that sign its assertions, PEM. */
  readonly cert: string | FromFile;
}

interface VerifyRepliesKeys {
  /**
   * Decrypt the content of Body, header blocks and parts of the Security block (XML Encryption
   * 1.1).
   */
  readonly decrypt?: DecryptKeys | undefined;
  /** Demand a signature (XML Signature 1.1) that covers what is `required`. */
  readonly signature?: SignatureKeys | undefined;
  /** The Timestamp of a message. */
  readonly timestamp?: TimestampKeys | undefined;
  /**
   * Demand that a reply confirms, signed, the signature of the request that it answers
   * (SignatureConfirmation).
   */
  readonly signatureConfirmation?: boolean | Text | FromFile | undefined;
  /** Take the block out of a reply once it is verified. */
  readonly remove?: boolean | Text | FromFile | undefined;
  /** Replies with encrypted parts that no key of `decrypt` opens. */
  readonly encrypted?: 'refuse' | 'pass' | Text | FromFile | undefined;
}

export interface MakeKeys {
  /** Write a Timestamp. */
  readonly timestamp?: boolean | Text | FromFile | undefined;
  /** How long a message is valid by its Timestamp. */
  readonly expiresMillis?: number | Text | FromFile | undefined;
  /** Write a UsernameToken (UsernameToken Profile 1.1) with a fresh nonce. */
  readonly usernameToken?: MakeUsernameTokenKeys | undefined;
  /** Write a bearer assertion of SAML 2.0. */
  readonly saml?: MakeSamlKeys | undefined;
  /** Sign (XML Signature 1.1, by exclusive canonicalization). */
  readonly signature?: MakeSignatureKeys | undefined;
  /** Encrypt calls for the backend (XML Encryption 1.1). */
  readonly encrypt?: EncryptKeys | undefined;
  /** Whether the backend must understand the block. */
  readonly mustUnderstand?: boolean | Text | FromFile | undefined;
  /** The actor or role that the block is for. */
  readonly actor?: string | FromFile | undefined;
  /** Write the block into SOAP calls as well, and remove that of the caller for the backend. */
  readonly replace?: boolean | Text | FromFile | undefined;
}

interface MakeUsernameTokenKeys {
  /** The user. */
  readonly username: string | FromFile;
  /** The password; from the environment or a file, which may rotate. */
  readonly password: string | FromFile;
  /** `text` sends the password, `digest` its SHA-1 with nonce and time. */
  readonly type?: 'text' | 'digest' | Text | FromFile | undefined;
}

interface MakeSamlKeys {
  /** An assertion as its issuer gave it. */
  readonly assertion?: string | FromFile | undefined;
  /** The name of the gateway as an issuer. */
  readonly issuer?: string | FromFile | undefined;
  /** The subject of all calls. */
  readonly subject?: string | FromFile | undefined;
  /** The claim of the caller that is the subject. */
  readonly claim?: string | FromFile | undefined;
  /** The audience. */
  readonly audience?: string | FromFile | undefined;
  /** How long an assertion is valid. */
  readonly lifetimeMillis?: number | Text | FromFile | undefined;
  /** The certificate of the issuer, PEM; it may rotate, together with its key. */
  readonly cert?: string | FromFile | undefined;
  /** Its private key, PEM. */
  readonly key?: string | FromFile | undefined;
  /** The passphrase of the key. */
  readonly passphrase?: string | FromFile | undefined;
}

interface MakeSignatureKeys {
  /** The certificate, PEM. */
  readonly cert: string | FromFile;
  /** Its private key, PEM. */
  readonly key: string | FromFile;
  /** The passphrase of the key. */
  readonly passphrase?: string | FromFile | undefined;
  /** What is signed. */
  readonly parts?: readonly (string | FromFile)[] | undefined;
  /** How the signature names its certificate; `token` and `embedded` bring it along. */
  readonly keyReference?:
    | 'token'
    | 'issuerSerial'
    | 'keyIdentifier'
    | 'thumbprint'
    | 'embedded'
    | 'x509Data'
    | Text
    | FromFile
    | undefined;
  /** The algorithm. */
  readonly algorithm?:
    | 'rsa-sha1'
    | 'rsa-sha256'
    | 'rsa-sha384'
    | 'rsa-sha512'
    | 'rsa-pss-sha256'
    | 'rsa-pss-sha384'
    | 'rsa-pss-sha512'
    | 'ecdsa-sha1'
    | 'ecdsa-sha256'
    | 'ecdsa-sha384'
    | 'ecdsa-sha512'
    | 'ed25519'
    | Text
    | FromFile
    | undefined;
  /** The digest of what is signed. */
  readonly digest?: 'sha1' | 'sha256' | 'sha384' | 'sha512' | Text | FromFile | undefined;
}

interface EncryptKeys {
  /** The certificate of the backend, PEM. */
  readonly cert: string | FromFile;
  /** What is encrypted, as far as a message has it. */
  readonly parts?: readonly (string | FromFile)[] | undefined;
  /** The algorithm of the content. */
  readonly algorithm?: 'aes128-gcm' | 'aes192-gcm' | 'aes256-gcm' | Text | FromFile | undefined;
  /** How the key of the content is encrypted. */
  readonly keyTransport?:
    | 'rsa-oaep-mgf1p'
    | 'rsa-oaep-sha256'
    | 'ecdh-es'
    | Text
    | FromFile
    | undefined;
  /** How a message names the certificate. */
  readonly keyReference?:
    | 'token'
    | 'issuerSerial'
    | 'keyIdentifier'
    | 'thumbprint'
    | 'embedded'
    | 'x509Data'
    | Text
    | FromFile
    | undefined;
  /** Encrypt first, and sign what is encrypted. */
  readonly beforeSigning?: boolean | Text | FromFile | undefined;
}

interface AnswerKeys {
  /**
   * Encrypt the content of Body with the key that came with the request, by AES-GCM; Faults of the
   * backend as well.
   */
  readonly encrypt?: boolean | Text | FromFile | undefined;
}

interface ValidateKeys {
  /** Of callers. */
  readonly requests?: 'off' | 'report' | 'enforce' | Text | FromFile | undefined;
  /** Of the backend, alike. */
  readonly replies?: 'off' | 'report' | 'enforce' | Text | FromFile | undefined;
}

interface DriftKeys {
  /** Where the backend serves its WSDL. */
  readonly url: string | FromFile;
  /** Header fields for that host, such as credentials. */
  readonly headers?: Readonly<Record<string, string | FromFile>> | undefined;
  /** Time between two comparisons. */
  readonly everyMillis?: number | string | FromFile | undefined;
  /**
   * Whether the WSDL of the backend is taken in place of `wsdl`, as a reload, when all of its
   * changes are safe.
   */
  readonly apply?: 'never' | 'safe' | Text | FromFile | undefined;
  /** A folder that keeps what was taken beyond a restart; without it that is kept in memory. */
  readonly folder?: string | FromFile | undefined;
  /**
   * Comparisons in a row, at most 2 s apart, that must find the same changes before they are taken.
   */
  readonly looks?: number | Text | FromFile | undefined;
  /** Reloads that this may cause in an hour. */
  readonly reloadsPerHour?: number | Text | FromFile | undefined;
}

interface CanaryKeys {
  /** Its address, http or https. */
  readonly url: string | FromFile;
  /** Credentials of the gateway at this backend, of exactly one kind. */
  readonly auth?: CanaryAuthKeys | undefined;
  /** HTTP header fields sent with every call. */
  readonly headers?: Readonly<Record<string, string | FromFile>> | undefined;
  /** TLS to the backend. */
  readonly tls?: ServiceTlsKeys | undefined;
  /** The HTTP proxy on the way to the backend, `http://user:password@host:port`; `environment`. */
  readonly proxy?: string | FromFile | undefined;
  /** Time for a whole call with its retries; by default that of the service. */
  readonly timeoutMillis?: number | string | FromFile | undefined;
  /** Whether messages have the Security block of `security.make`. */
  readonly security?: 'same' | 'none' | Text | FromFile | undefined;
  /** The share of calls that it gets, from 0 to 1. */
  readonly share?: number | Text | FromFile | undefined;
  /** A header field of callers whose calls all go there, with its value. */
  readonly header?: string | FromFile | undefined;
  /** `true`. */
  readonly sticky?: boolean | Text | FromFile | undefined;
  /** When the calls go back to the backend of the service by themselves. */
  readonly back?: BackKeys | undefined;
}

interface CanaryAuthKeys {
  /** HTTP Basic (RFC 7617). */
  readonly basic?: AuthBasicKeys | undefined;
  /** A bearer token (RFC 6750). */
  readonly bearer?: AuthBearerKeys | undefined;
  /** HTTP Digest (RFC 7616). */
  readonly digest?: AuthBasicKeys | undefined;
  /** Tokens of OAuth 2.0, shared and renewed before they end. */
  readonly oauth2?: Oauth2Keys | undefined;
  /** NTLM, version 2 (MS-NLMP). */
  readonly ntlm?: NtlmKeys | undefined;
  /** Kerberos (RFC 4559), by the optional package `kerberos`. */
  readonly negotiate?: NegotiateKeys | undefined;
}

interface BackKeys {
  /** Calls in a row without an answer that the service may give. */
  readonly failures?: number | Text | FromFile | undefined;
  /**
   * The share of answers that are Faults, of at least ten calls of `windowMillis`; beyond it the
   * calls go back.
   */
  readonly faultShare?: number | Text | FromFile | undefined;
  /** The time that 99 of 100 calls of `windowMillis` must have ended in; absent. */
  readonly p99Millis?: number | string | FromFile | undefined;
  /** The time that `faultShare` and `p99Millis` look back over. */
  readonly windowMillis?: number | string | FromFile | undefined;
}

interface RecordKeys {
  /** The folder that exchanges are written to. */
  readonly folder: string | FromFile;
  /** Share of the exchanges that are recorded, from 0 to 1. */
  readonly share?: number | Text | FromFile | undefined;
  /** Operations that are recorded; none. */
  readonly operations?: readonly (string | FromFile)[] | undefined;
  /**
   * `replace` writes other values of the same class and length, the same value always the same way;
   * `keep` writes the values of callers and backends.
   */
  readonly values?: 'replace' | 'keep' | Text | FromFile | undefined;
}

interface ShadowKeys {
  /** Its address, http or https. */
  readonly url: string | FromFile;
  /** Credentials of the gateway at this backend, of exactly one kind. */
  readonly auth?: CanaryAuthKeys | undefined;
  /** HTTP header fields sent with every call. */
  readonly headers?: Readonly<Record<string, string | FromFile>> | undefined;
  /** TLS to the backend. */
  readonly tls?: ServiceTlsKeys | undefined;
  /** The HTTP proxy on the way to the backend, `http://user:password@host:port`; `environment`. */
  readonly proxy?: string | FromFile | undefined;
  /** Time for a whole call with its retries; by default that of the service. */
  readonly timeoutMillis?: number | string | FromFile | undefined;
  /** Whether messages have the Security block of `security.make`. */
  readonly security?: 'same' | 'none' | Text | FromFile | undefined;
  /** The share of the reads that are sent there too, from 0 to 1. */
  readonly share?: number | Text | FromFile | undefined;
  /** The operations that are sent there, each with `read`. */
  readonly operations?: readonly (string | FromFile)[] | undefined;
  /** How replies are compared. */
  readonly compare?: 'meaning' | Text | FromFile | undefined;
  /** Paths that may differ, with all below them. */
  readonly ignore?: readonly (string | FromFile)[] | undefined;
  /** Calls that may be under way or compared; others are skipped. */
  readonly callsAtOnce?: number | Text | FromFile | undefined;
  /** Bytes of replies that may wait to be compared, of all calls; a call beyond is skipped. */
  readonly waitingBytes?: number | Text | FromFile | undefined;
}

interface LimitsKeys {
  /** Where it differs from `limits.xml`; the same keys. */
  readonly xml?: XmlKeys | undefined;
  /** Where it differs from `limits.upstream`; the same keys. */
  readonly upstream?: UpstreamKeys | undefined;
}

interface XmlKeys {
  /** Bytes of one message. */
  readonly messageBytes?: number | string | FromFile | undefined;
  /** Elements open at once. */
  readonly depth?: number | Text | FromFile | undefined;
  /** Child elements of one element. */
  readonly children?: number | Text | FromFile | undefined;
  /** Elements of one message. */
  readonly elements?: number | Text | FromFile | undefined;
  /** Attributes of one element, namespace declarations not counted. */
  readonly attributes?: number | Text | FromFile | undefined;
  /** Bytes of one attribute value as written. */
  readonly attributeValueBytes?: number | string | FromFile | undefined;
  /** Length of one name with its prefix, in UTF-8 bytes as written. */
  readonly nameChars?: number | Text | FromFile | undefined;
  /** Namespace declarations on the document element. */
  readonly namespacesOnRoot?: number | Text | FromFile | undefined;
  /** Namespace declarations in force at once. */
  readonly namespacesInScope?: number | Text | FromFile | undefined;
  /** Bytes of one text that is read as a value (GraphQL fields, fault parts). */
  readonly textBytes?: number | string | FromFile | undefined;
}

interface UpstreamKeys {
  /** Time for a connection to be made. */
  readonly connectMillis?: number | string | FromFile | undefined;
  /** Time from the end of the request to the first line of the answer. */
  readonly headersMillis?: number | string | FromFile | undefined;
  /** Status line and header fields of an answer. */
  readonly headerBytes?: number | string | FromFile | undefined;
  /** Header fields of an answer. */
  readonly headerCount?: number | Text | FromFile | undefined;
  /** Silence within an answer. */
  readonly idleMillis?: number | string | FromFile | undefined;
  /** Time for the whole call, the upload of the request included. */
  readonly totalMillis?: number | string | FromFile | undefined;
  /** How long an idle connection is kept. */
  readonly keepAliveMillis?: number | string | FromFile | undefined;
  /** Connections to one upstream. */
  readonly connections?: number | Text | FromFile | undefined;
  /** Connections of callers that have a connection to the upstream of their own. */
  readonly boundConnections?: number | Text | FromFile | undefined;
  /** Calls that wait for a connection. */
  readonly pending?: number | Text | FromFile | undefined;
  /** How long a call waits for a connection. */
  readonly pendingMillis?: number | string | FromFile | undefined;
  /**
   * How often the names of addresses are looked up again, give or take a fifth; all A and AAAA
   * records are used.
   */
  readonly resolveMillis?: number | string | FromFile | undefined;
  /** Calls on one connection before it is closed. */
  readonly requestsPerConnection?: number | Text | FromFile | undefined;
  /**
   * Failures in a row that open the circuit breaker of an address, which it does when four fifths
   * of the latest calls failed; 0 never opens it.
   */
  readonly breakerFailures?: number | Text | FromFile | undefined;
  /**
   * How long the breaker stays open, less up to a fifth; then it admits one call, two, four, and is
   * closed.
   */
  readonly breakerMillis?: number | string | FromFile | undefined;
}

/** A service that speaks GraphQL. */
interface GraphqlServiceKeys {
  /** The protocol of the service. */
  readonly kind: 'soap' | 'graphql' | Text | FromFile;
  /** Address of its endpoint, http or https. */
  readonly url?: string | FromFile | undefined;
  /** Several addresses of the same service, in place of `url`. */
  readonly urls?: readonly (string | UrlsKeys | FromFile)[] | undefined;
  /** Its schema in SDL, a path beside this file. */
  readonly schema?: string | FromFile | undefined;
  /** In front of the names of its types and root fields. */
  readonly prefix?: string | FromFile | undefined;
  /** By `Type` or `Type.field` as the service has them (roots as Query, Mutation, Subscription). */
  readonly rename?: Readonly<Record<string, string | FromFile>> | undefined;
  /** Types and fields, as the service has them, that callers do not see. */
  readonly hide?: readonly (string | FromFile)[] | undefined;
  /** HTTP header fields sent with every call, in place of those of callers by the same names. */
  readonly headers?: Readonly<Record<string, string | FromFile>> | undefined;
  /** HTTP header fields of the caller's request that are sent on. */
  readonly forwardHeaders?: readonly (string | FromFile)[] | undefined;
  /** Credentials of the gateway at the backend, of exactly one kind. */
  readonly auth?: AuthKeys | undefined;
  /** TLS to the backend. */
  readonly tls?: ServiceTlsKeys | undefined;
  /** The HTTP proxy on the way to the backend, `http://user:password@host:port`; `environment`. */
  readonly proxy?: string | FromFile | undefined;
  /** Whether the backend is sent `Via` (RFC 9110), with a name of this gateway. */
  readonly via?: boolean | Text | FromFile | undefined;
  /** How the names of header fields to the backend are written. */
  readonly headerCase?: 'usual' | 'lower' | Text | FromFile | undefined;
  /** With several addresses. */
  readonly balance?: string | BalanceKeys | FromFile | undefined;
  /** Where the gateway is. */
  readonly zone?: string | FromFile | undefined;
  /** Time for a whole call with its retries; by default `limits.upstream.totalMillis`. */
  readonly timeoutMillis?: number | string | FromFile | undefined;
  /** When a call is made again. */
  readonly retry?: RetryKeys | undefined;
  /** Calls that may be in flight or wait; one more is refused with `Retry-After`. */
  readonly requestsAtOnce?: number | Text | FromFile | undefined;
  /** The rate of calls that the service bears, over all workers. */
  readonly rate?: RateKeys | undefined;
  /** Checks of the addresses, whether they are called or not. */
  readonly health?: ServiceHealthKeys | undefined;
  /** `true` (default). */
  readonly subscriptions?: boolean | SubscriptionsKeys | undefined;
  /** The cost of one call of it; `limits.graphql.callCost` by default. */
  readonly callCost?: number | Text | FromFile | undefined;
  /** By `Type` or `Type.field` as the service has them. */
  readonly costs?: Readonly<Record<string, CostsKeys | ServiceCostsKeys>> | undefined;
  /** By `Type.field` as the service has them. */
  readonly fields?: Readonly<Record<string, ServiceFieldsKeys>> | undefined;
  /** Limits of this service where they differ from those of the gateway. */
  readonly limits?: ServiceLimitsKeys | undefined;
}

interface ServiceHealthKeys {
  /** How often each address is checked, of several processes by one, or up to a fifth sooner. */
  readonly everyMillis?: number | string | FromFile | undefined;
  /** How long a check may take. */
  readonly timeoutMillis?: number | string | FromFile | undefined;
  /** Path and query that are asked for by GET; a status below 400 is healthy. */
  readonly path?: string | FromFile | undefined;
  /** Whether a connection is enough, of TLS at an https address. */
  readonly tcp?: boolean | Text | FromFile | undefined;
  /** Checks in a row that succeed before an address is called again. */
  readonly up?: number | Text | FromFile | undefined;
  /** Checks in a row that fail before an address is no longer called. */
  readonly down?: number | Text | FromFile | undefined;
}

interface SubscriptionsKeys {
  /** Their address, http, https, ws or wss; that of the service unless set. */
  readonly url?: string | FromFile | undefined;
  /** The protocol. */
  readonly protocol?: 'sse' | 'graphql-transport-ws' | Text | FromFile | undefined;
  /** The payload of `connection_init`, over a WebSocket. */
  readonly connectionParams?: Readonly<Record<string, string | FromFile>> | undefined;
}

interface CostsKeys {
  /**
   * Of a field of a root each call, of another each time it is answered; of a type, which takes
   * this key alone, each object.
   */
  readonly cost?: number | Text | FromFile | undefined;
  /** Further cost of arguments that are present, by GraphQL name or path into them. */
  readonly argumentCosts?: Readonly<Record<string, number | Text | FromFile>> | undefined;
  /** How long the list is, for the cost before anything is called. */
  readonly listSize?: ListSizeKeys | undefined;
}

interface ServiceCostsKeys {
  /** Each object of the type. */
  readonly cost?: number | Text | FromFile | undefined;
}

interface ServiceFieldsKeys {
  /** Scopes of the token that callers must have. */
  readonly scopes?: readonly (string | readonly (string | FromFile)[] | FromFile)[] | undefined;
  /** Callers must be identified by credentials. */
  readonly authenticated?: boolean | Text | FromFile | undefined;
  /** What clients get of the value. */
  readonly mask?:
    | Readonly<Record<string, 'none' | 'last4' | 'hash' | 'null' | 'remove' | Text | FromFile>>
    | string
    | FromFile
    | undefined;
}

interface ServiceLimitsKeys {
  /** Where it differs from `limits.remote`; the same keys. */
  readonly remote?: RemoteKeys | undefined;
  /** Where it differs from `limits.upstream`; the same keys. */
  readonly upstream?: UpstreamKeys | undefined;
}

interface RemoteKeys {
  /** Bytes of one answer. */
  readonly responseBytes?: number | string | FromFile | undefined;
  /**
   * Subscriptions of one process at one service at the same time, each over a connection of its
   * own.
   */
  readonly subscriptions?: number | Text | FromFile | undefined;
  /** Bytes of one event of a subscription; a larger one ends it. */
  readonly eventBytes?: number | string | FromFile | undefined;
  /** Silence of an event stream, comments included, after which it counts as dead. */
  readonly silenceMillis?: number | string | FromFile | undefined;
}

interface ClientsKeys {
  /** How clients are identified. */
  readonly order?:
    | readonly (
        | 'apiKey'
        | 'basic'
        | 'jwt'
        | 'introspection'
        | 'certificate'
        | 'wsSecurity'
        | 'network'
        | 'address'
        | Text
        | FromFile
      )[]
    | undefined;
  /** Clients that send a key of their own in a header field. */
  readonly apiKeys?: ApiKeysKeys | undefined;
  /** Clients that send a user and a password by HTTP Basic (RFC 7617). */
  readonly basic?: ClientsBasicKeys | undefined;
  /** Clients that send a signed token. */
  readonly jwt?: JwtKeys | readonly ClientsJwtKeys[] | undefined;
  /** Clients that send a token which the authorization server is asked about (RFC 7662). */
  readonly introspection?: IntrospectionKeys | undefined;
  /** Clients with a certificate, which `listen` or a proxy has verified. */
  readonly certificate?: CertificateKeys | undefined;
  /** Clients that services with `security.verify` know by their messages. */
  readonly wsSecurity?: WsSecurityKeys | undefined;
  /**
   * Clients without credentials whose address is in a network; the first network that fits counts,
   * each address is a client.
   */
  readonly networks?: Readonly<Record<string, NetworksKeys>> | undefined;
  /**
   * Clients without credentials, identified by their address (of IPv6, by the first 64 bits);
   * without it they are refused.
   */
  readonly address?: AddressKeys | undefined;
  /** Addresses (10.0.0.7) and networks (10.0.0.0/8) of proxies in front. */
  readonly trustedProxies?: readonly (string | FromFile)[] | undefined;
  /** Clients whose budgets are remembered; beyond that those that spent least are forgotten. */
  readonly remembered?: number | Text | FromFile | undefined;
  /** By name, which metrics use. */
  readonly classes?: Readonly<Record<string, ClassesKeys>> | undefined;
  /**
   * A decision point that is asked about each SOAP call, GraphQL operation, plain route and WSDL,
   * after the rights of the class.
   */
  readonly authorize?: AuthorizeKeys | undefined;
  /** The key of hashes by `mask. */
  readonly maskKey?: string | FromFile | undefined;
}

interface ApiKeysKeys {
  /** The header field. */
  readonly header?: string | FromFile | undefined;
  /** By name, which the log uses. */
  readonly clients: Readonly<Record<string, ApiKeysClientsKeys>>;
}

interface ApiKeysClientsKeys {
  /** Its class, one of `classes`. */
  readonly class: string | FromFile;
  /** Its keys, from the environment or a file; several while one replaces the other. */
  readonly keys: readonly (string | FromFile)[];
}

interface ClientsBasicKeys {
  /** By name, which the log uses. */
  readonly users: Readonly<Record<string, BasicUsersKeys>>;
}

interface BasicUsersKeys {
  /** Its class, one of `classes`. */
  readonly class: string | FromFile;
  /** The hash of the password, which `soapstone hash-password` prints. */
  readonly password: string | FromFile;
}

interface JwtKeys {
  /** Its `iss`. */
  readonly issuer: string | FromFile;
  /** The value that its `aud` must be or hold. */
  readonly audience: string | FromFile;
  /** The keys of the issuer as a JSON Web Key Set. */
  readonly jwks?: string | FromFile | undefined;
  /** Where the issuer shows its keys. */
  readonly jwksUrl?: string | FromFile | undefined;
  /** Signatures that are accepted, of public keys only. */
  readonly algorithms?:
    | readonly (
        | 'RS256'
        | 'RS384'
        | 'RS512'
        | 'PS256'
        | 'PS384'
        | 'PS512'
        | 'ES256'
        | 'ES384'
        | 'ES512'
        | 'EdDSA'
        | Text
        | FromFile
      )[]
    | undefined;
  /** How much the clocks of issuer and gateway may differ. */
  readonly toleranceMillis?: number | string | FromFile | undefined;
  /** Whether a token without `nbf` is refused; one without `exp` always is. */
  readonly requireNotBefore?: boolean | Text | FromFile | undefined;
  /** How tokens must be bound to their client. */
  readonly proof?: 'none' | 'dpop' | 'mtls' | 'either' | Text | FromFile | undefined;
  /** Proofs that a client has the key of its token. */
  readonly dpop?: DpopKeys | undefined;
  /** Whether the token goes on to backends of SOAP callers and plain routes. */
  readonly forward?: boolean | Text | FromFile | undefined;
  /** The claim that names the client. */
  readonly clientClaim?: string | FromFile | undefined;
  /** How log and audit name the client. */
  readonly logAs?: 'digest' | 'claim' | Text | FromFile | undefined;
  /** The claim with the scopes of the client. */
  readonly scopesClaim?: string | FromFile | undefined;
  /** The claim whose text names the class of the client. */
  readonly classClaim?: string | FromFile | undefined;
  /** The class of clients whose token names none of `classes`; without it they are refused. */
  readonly class?: string | FromFile | undefined;
}

interface DpopKeys {
  /** Whether proofs need a nonce of the gateway, which ends with `maxAgeMillis`. */
  readonly nonce?: boolean | Text | FromFile | undefined;
  /** How long ago a proof may have been made. */
  readonly maxAgeMillis?: number | string | FromFile | undefined;
  /** The secrets that nonces are sealed with, the same in all replicas. */
  readonly keys?: readonly (string | FromFile)[] | undefined;
}

interface ClientsJwtKeys {
  /** Its `iss`. */
  readonly issuer: string | FromFile;
  /** The value that its `aud` must be or hold. */
  readonly audience: string | FromFile;
  /** The keys of the issuer as a JSON Web Key Set. */
  readonly jwks?: string | FromFile | undefined;
  /** Where the issuer shows its keys. */
  readonly jwksUrl?: string | FromFile | undefined;
  /** Signatures that are accepted, of public keys only. */
  readonly algorithms?:
    | readonly (
        | 'RS256'
        | 'RS384'
        | 'RS512'
        | 'PS256'
        | 'PS384'
        | 'PS512'
        | 'ES256'
        | 'ES384'
        | 'ES512'
        | 'EdDSA'
        | Text
        | FromFile
      )[]
    | undefined;
  /** How much the clocks of issuer and gateway may differ. */
  readonly toleranceMillis?: number | string | FromFile | undefined;
  /** Whether a token without `nbf` is refused; one without `exp` always is. */
  readonly requireNotBefore?: boolean | Text | FromFile | undefined;
  /** How tokens must be bound to their client. */
  readonly proof?: 'none' | 'dpop' | 'mtls' | 'either' | Text | FromFile | undefined;
  /** Proofs that a client has the key of its token. */
  readonly dpop?: DpopKeys | undefined;
  /** Whether the token goes on to backends of SOAP callers and plain routes. */
  readonly forward?: boolean | Text | FromFile | undefined;
  /** The claim that names the client. */
  readonly clientClaim?: string | FromFile | undefined;
  /** How log and audit name the client. */
  readonly logAs?: 'digest' | 'claim' | Text | FromFile | undefined;
  /** The claim with the scopes of the client. */
  readonly scopesClaim?: string | FromFile | undefined;
  /** The claim whose text names the class of the client. */
  readonly classClaim?: string | FromFile | undefined;
  /** The class of clients whose token names none of `classes`; without it they are refused. */
  readonly class?: string | FromFile | undefined;
}

interface IntrospectionKeys {
  /** The introspection endpoint. */
  readonly url: string | FromFile;
  /** The issuer of its tokens, which clients of MCP are told. */
  readonly issuer?: string | FromFile | undefined;
  /** The gateway, as the server knows it. */
  readonly clientId: string | FromFile;
  /** Its secret; a file may rotate. */
  readonly clientSecret: string | FromFile;
  /** How the gateway identifies itself. */
  readonly clientAuth?: 'basic' | 'post' | Text | FromFile | undefined;
  /** TLS to the endpoint, with the keys of `tls` of a service. */
  readonly tls?: ServiceTlsKeys | undefined;
  /** The value that `aud` must be or hold; by default the server decides. */
  readonly audience?: string | FromFile | undefined;
  /** How tokens must be bound to their client. */
  readonly proof?: 'none' | 'dpop' | 'mtls' | 'either' | Text | FromFile | undefined;
  /** Proofs that a client has the key of its token. */
  readonly dpop?: DpopKeys | undefined;
  /** Whether the token goes on to backends of SOAP callers and plain routes. */
  readonly forward?: boolean | Text | FromFile | undefined;
  /** The claim that names the client. */
  readonly clientClaim?: string | FromFile | undefined;
  /** How log and audit name the client. */
  readonly logAs?: 'digest' | 'claim' | Text | FromFile | undefined;
  /** The claim with the scopes of the client. */
  readonly scopesClaim?: string | FromFile | undefined;
  /** The claim whose text names the class of the client. */
  readonly classClaim?: string | FromFile | undefined;
  /** The class of clients whose token names none of `classes`; without it they are refused. */
  readonly class?: string | FromFile | undefined;
  /** Time for an answer. */
  readonly timeoutMillis?: number | string | FromFile | undefined;
  /** How long an active token is not asked about again; never beyond its `exp`. */
  readonly activeMillis?: number | string | FromFile | undefined;
  /** How long a token that is not active is not asked about again. */
  readonly inactiveMillis?: number | string | FromFile | undefined;
}

interface CertificateKeys {
  /** The header field with the subject (or fingerprint), read from `trustedProxies` only. */
  readonly header?: string | FromFile | undefined;
  /** By name, which the log uses. */
  readonly clients?: Readonly<Record<string, CertificateClientsKeys>> | undefined;
  /** The class of clients with other certificates; without it they are refused. */
  readonly class?: string | FromFile | undefined;
}

interface CertificateClientsKeys {
  /** Its class, one of `classes`. */
  readonly class: string | FromFile;
  /**
   * The subject as in RFC 4514 (CN=erp,O=Example), its parts in any order; else the value of the
   * field, to the letter.
   */
  readonly subject: string | FromFile;
}

interface WsSecurityKeys {
  /** Clients by their name, which logs and metrics use. */
  readonly clients?: Readonly<Record<string, WsSecurityClientsKeys>> | undefined;
  /** The class of senders that are not listed; without it they are refused. */
  readonly class?: string | FromFile | undefined;
}

interface WsSecurityClientsKeys {
  /** Its class, one of `classes`. */
  readonly class: string | FromFile;
  /**
   * The subject of the certificate that signs, as in RFC 4514 (CN=erp,O=Example), its parts in any
   * order.
   */
  readonly certificate?: string | FromFile | undefined;
  /** The user of its UsernameToken. */
  readonly user?: string | FromFile | undefined;
  /** The subject of its assertion. */
  readonly saml?: ClientsSamlKeys | undefined;
}

interface ClientsSamlKeys {
  /** The issuer, as `issuers` of the service names it. */
  readonly issuer: string | FromFile;
  /** The subject (NameID). */
  readonly subject: string | FromFile;
}

interface NetworksKeys {
  /** Its class, one of `classes`. */
  readonly class: string | FromFile;
  /** Its addresses and networks. */
  readonly addresses: readonly (string | FromFile)[];
}

interface AddressKeys {
  /** Its class, one of `classes`. */
  readonly class: string | FromFile;
}

interface ClassesKeys {
  /**
   * The budget of each client of the class, for SOAP and GraphQL; without it there is no budget.
   */
  readonly budget?: BudgetKeys | undefined;
  /**
   * Requests of one client in progress at once, by SOAP or GraphQL; without it there is no bound.
   */
  readonly requestsAtOnce?: number | Text | FromFile | undefined;
  /**
   * Services, operations (`orders`, `orders.GetOrder`) and plain routes (`/files`) it may call; by
   * default all.
   */
  readonly allow?: readonly (string | FromFile)[] | undefined;
  /** Whether it may ask, with `soapstone-cost-breakdown. */
  readonly costBreakdown?: boolean | Text | FromFile | undefined;
  /** Scopes that all its clients have, besides those of their tokens. */
  readonly scopes?: readonly (string | FromFile)[] | undefined;
  /** Those it may not call, even if they are allowed. */
  readonly deny?: readonly (string | FromFile)[] | undefined;
}

interface BudgetKeys {
  /** The most points that a client can have at once. */
  readonly maximum?: number | Text | FromFile | undefined;
  /** Points restored each second. */
  readonly restoreRate?: number | Text | FromFile | undefined;
}

interface AuthorizeKeys {
  /** Its address. */
  readonly url: string | FromFile;
  /** Time for an answer. */
  readonly timeoutMillis?: number | string | FromFile | undefined;
  /** Whether requests are refused while it does not answer, or pass. */
  readonly onError?: 'deny' | 'allow' | Text | FromFile | undefined;
  /** How long a decision holds for requests with equal input; 0. */
  readonly cacheMillis?: number | string | FromFile | undefined;
  /** How long a subscription goes on before it is asked about again; 0. */
  readonly recheckMillis?: number | string | FromFile | undefined;
  /** Sent as `Authorization. */
  readonly token?: string | FromFile | undefined;
  /** TLS to it, with the keys of `tls` of a service. */
  readonly tls?: ServiceTlsKeys | undefined;
}

interface RedisKeys {
  /** Address of one server. */
  readonly url?: string | FromFile | undefined;
  /** Redis behind Sentinel, instead of `url`. */
  readonly sentinel?: SentinelKeys | undefined;
  /** Redis Cluster, instead of `url`. */
  readonly cluster?: ClusterKeys | undefined;
  /** The user of Redis (ACL). */
  readonly username?: string | FromFile | undefined;
  /** Its password, from the environment or a file, which may rotate. */
  readonly password?: string | FromFile | undefined;
  /** Number of the database. */
  readonly database?: number | Text | FromFile | undefined;
  /** TLS to the servers that have the data, with the keys of `services.tls`. */
  readonly tls?: ServiceTlsKeys | undefined;
  /** Earlier spelling of `tls.ca`. */
  readonly ca?: string | FromFile | undefined;
  /** Prefix of every key and channel. */
  readonly prefix?: string | FromFile | undefined;
  /** Time limit of an operation that a request waits for (a persisted document, a nonce). */
  readonly operationMillis?: number | string | FromFile | undefined;
  /** Number of processes that share the budgets, at least that of `workers`. */
  readonly replicas?: number | Text | FromFile | undefined;
  /**
   * Secret that signs events and replies of polls (HMAC-SHA-256), from the environment or a file.
   */
  readonly secret?: string | FromFile | undefined;
}

interface SentinelKeys {
  /** The name of the primary in the configuration of the sentinels. */
  readonly master: string | FromFile;
  /** The sentinels, all of them, as host:port. */
  readonly nodes: readonly (string | FromFile)[];
  /** The user at the sentinels. */
  readonly username?: string | FromFile | undefined;
  /** Its password; a file may rotate. */
  readonly password?: string | FromFile | undefined;
  /**
   * TLS to the sentinels, which is used where this key is present; the keys are those of
   * `services.tls`.
   */
  readonly tls?: ServiceTlsKeys | undefined;
}

interface ClusterKeys {
  /** Some of its nodes, as host:port. */
  readonly nodes: readonly (string | FromFile)[];
}

interface LinksKeys {
  /** Service and operation. */
  readonly operation: string | FromFile;
  /**
   * By argument of the operation (or path into it, `criteria.id`), the field of the object (or
   * path) that fills it.
   */
  readonly arguments: Readonly<Record<string, string | FromFile>>;
  /** A list operation that answers many objects in one call. */
  readonly batch?: BatchKeys | undefined;
  /** The description of the field; that of the operation unless set. */
  readonly description?: string | FromFile | undefined;
  /** Why the field should not be used any more. */
  readonly deprecated?: string | FromFile | undefined;
  /** How long its list is, for the cost; as the operation has it unless set. */
  readonly listSize?: ListSizeKeys | undefined;
}

interface BatchKeys {
  /** Service and operation. */
  readonly operation: string | FromFile;
  /** Its list argument, which takes the keys. */
  readonly argument: string | FromFile;
  /** The field of the items that holds the key. */
  readonly key: string | FromFile;
  /** Path to the list in its answer, where the answer itself is not the list. */
  readonly items?: string | FromFile | undefined;
}

interface ConfigurationSubscriptionsKeys {
  /**
   * Repeats a call while it has subscribers, once for all that ask for the same, and sends its
   * answer when it has changed.
   */
  readonly poll?: PollKeys | undefined;
  /**
   * Each successful exchange of this operation that passes the gateway, whether a SOAP or a GraphQL
   * client made it.
   */
  readonly on?: OnKeys | undefined;
  /** Each request for this operation that is posted to `/callback/<service>`. */
  readonly callback?: OnKeys | undefined;
  /** The description of the field. */
  readonly description?: string | FromFile | undefined;
  /** Why the field should not be used any more. */
  readonly deprecated?: string | FromFile | undefined;
}

interface PollKeys {
  /** Service and operation, which only reads. */
  readonly operation: string | FromFile;
  /** Time between two calls. */
  readonly everyMillis?: number | string | FromFile | undefined;
  /** Path to the one value of the answer whose change is sent; by default the whole selection. */
  readonly changed?: string | FromFile | undefined;
}

interface OnKeys {
  /** Service and operation whose messages are the events. */
  readonly operation: string | FromFile;
  /** Values that a message must have to be an event. */
  readonly where?: Readonly<Record<string, string | FromFile>> | undefined;
  /** By name of an argument of the subscription. */
  readonly filter?: Readonly<Record<string, string | FromFile>> | undefined;
  /**
   * The operation that is called for each event, for each subscriber as itself, and whose answer is
   * sent.
   */
  readonly answer?: string | FromFile | undefined;
  /** By argument of `answer` (or path into it). */
  readonly arguments?: Readonly<Record<string, string | FromFile>> | undefined;
  /** Instead of `answer`. */
  readonly fields?: Readonly<Record<string, string | FromFile>> | undefined;
}

interface RoutesKeys {
  /** Every path that begins with this one. */
  readonly path: string | FromFile;
  /** Where to, http or https. */
  readonly url: string | FromFile;
}

interface GraphqlKeys {
  /** Its path on the traffic address. */
  readonly path?: string | FromFile | undefined;
  /** Whether callers may ask for the schema. */
  readonly introspection?: boolean | Text | FromFile | undefined;
  /** Whether callers may ask, with `soapstone-cost-breakdown. */
  readonly costBreakdown?: boolean | Text | FromFile | undefined;
  /**
   * Whether browsers get GraphiQL, a page to ask from, and with REST a page of the OpenAPI
   * description; all of it comes from the gateway.
   */
  readonly graphiql?: boolean | Text | FromFile | undefined;
  /** Documents stored by their hash at the request of callers. */
  readonly persisted?: PersistedKeys | undefined;
  /** Documents that are known beforehand, to be asked for by their id. */
  readonly trusted?: TrustedKeys | undefined;
  /**
   * Requests that may come in one POST as a list, each admitted and charged by itself, together
   * within `limits.graphql.cost`; 10 is common, 0 refuses batches.
   */
  readonly batch?: number | Text | FromFile | undefined;
  /** Cross-origin resource sharing (CORS). */
  readonly cors?: CorsKeys | undefined;
  /** Lets queries ask for the address of binary content with `@url`, from which it streams. */
  readonly downloads?: DownloadsKeys | undefined;
  /** Makes the schema a subgraph of Apollo Federation 2. */
  readonly federation?: FederationKeys | undefined;
  /** Whether an operation with a field that its caller may not read is refused as a whole. */
  readonly rejectUnauthorized?: boolean | Text | FromFile | undefined;
  /**
   * Origins of the pages that may open a WebSocket here, besides those of `cors` and of the very
   * Host they name.
   */
  readonly origins?: readonly (string | FromFile)[] | undefined;
  /** Limits of `limits.graphql` that only count. */
  readonly measure?:
    | readonly (
        | 'tokens'
        | 'characters'
        | 'operations'
        | 'selections'
        | 'fragmentHeight'
        | 'depth'
        | 'introspectionDepth'
        | 'aliases'
        | 'rootFields'
        | 'directives'
        | 'variableDepth'
        | 'variableKeys'
        | 'variableValues'
        | 'listItems'
        | 'cost'
        | Text
        | FromFile
      )[]
    | undefined;
}

interface PersistedKeys {
  /** Whether a document that runs is stored for requests that name its hash. */
  readonly automatic?: boolean | Text | FromFile | undefined;
}

interface TrustedKeys {
  /** The file with them, beside this one. */
  readonly manifest: string | FromFile;
  /** Whether nothing else is run, by any transport. */
  readonly only?: boolean | Text | FromFile | undefined;
}

interface CorsKeys {
  /** The origins, compared exactly; they may open WebSockets too. */
  readonly origins: readonly (string | FromFile)[];
  /** Whether these pages may send cookies, client certificates and HTTP authentication. */
  readonly credentials?: boolean | Text | FromFile | undefined;
  /**
   * Header fields that these pages may send, besides content-type, authorization, that of
   * `clients.apiKeys`, the `callerHeaders` and `forwardHeaders` of services, trace context and
   * those that GraphQL clients use.
   */
  readonly headers?: readonly (string | FromFile)[] | undefined;
  /** How long a browser may keep the answer to a preflight. */
  readonly maxAgeMillis?: number | string | FromFile | undefined;
}

interface DownloadsKeys {
  /** The path under which the addresses are. */
  readonly path?: string | FromFile | undefined;
  /** The secrets that addresses are sealed with, the same in all replicas. */
  readonly keys: readonly (string | FromFile)[];
  /** How long an address can be used. */
  readonly lifetimeMillis?: number | string | FromFile | undefined;
}

interface FederationKeys {
  /** By type in GraphQL, the key of its objects, or a list of several. */
  readonly keys?:
    | Readonly<Record<string, FederationKeysKeys | readonly GraphqlFederationKeysKeys[]>>
    | undefined;
  /** By type in GraphQL, what a composition has to know of it and its fields. */
  readonly types?: Readonly<Record<string, FederationTypesKeys>> | undefined;
  /** The class of clients that may read `_service` while `introspection` is off. */
  readonly router?: string | FromFile | undefined;
}

interface FederationKeysKeys {
  /** Its fields. */
  readonly fields: string | FromFile;
  /** Whether other subgraphs may ask for objects by it. */
  readonly resolvable?: boolean | Text | FromFile | undefined;
  /** Service and operation that answers with the object. */
  readonly operation?: string | FromFile | undefined;
  /**
   * By argument of the operation, or path into it, the field of the representation, or path, that
   * fills it.
   */
  readonly arguments?: Readonly<Record<string, string | FromFile>> | undefined;
  /** A list operation that answers many objects in one call. */
  readonly batch?: KeysBatchKeys | undefined;
}

interface KeysBatchKeys {
  /** Service and operation. */
  readonly operation: string | FromFile;
  /** Its list argument, which takes the keys. */
  readonly argument: string | FromFile;
  /** The field of the items that holds the key, or the fields, in the order of the key. */
  readonly key: string | FromFile;
  /** Path to the list in its answer, where the answer itself is not the list. */
  readonly items?: string | FromFile | undefined;
}

interface GraphqlFederationKeysKeys {
  /** Its fields. */
  readonly fields: string | FromFile;
  /** Whether other subgraphs may ask for objects by it. */
  readonly resolvable?: boolean | Text | FromFile | undefined;
  /** Service and operation that answers with the object. */
  readonly operation?: string | FromFile | undefined;
  /**
   * By argument of the operation, or path into it, the field of the representation, or path, that
   * fills it.
   */
  readonly arguments?: Readonly<Record<string, string | FromFile>> | undefined;
  /** A list operation that answers many objects in one call. */
  readonly batch?: KeysBatchKeys | undefined;
}

interface FederationTypesKeys {
  /** Other subgraphs may answer all its fields too. */
  readonly shareable?: boolean | Text | FromFile | undefined;
  /** Whether it is an interface in other subgraphs, with an object for each of its types here. */
  readonly interfaceObject?: boolean | Text | FromFile | undefined;
  /** Whether the supergraph hides it. */
  readonly inaccessible?: boolean | Text | FromFile | undefined;
  /** Tags for contracts of the router. */
  readonly tags?: readonly (string | FromFile)[] | undefined;
  /**
   * By field; by value of an enumeration, or field of an input, with `tags` and `inaccessible`
   * only.
   */
  readonly fields?: Readonly<Record<string, TypesFieldsKeys>> | undefined;
}

interface TypesFieldsKeys {
  /** Other subgraphs may answer it too. */
  readonly shareable?: boolean | Text | FromFile | undefined;
  /** Whether other subgraphs answer it, and it is here for `requires` or `provides` only. */
  readonly external?: boolean | Text | FromFile | undefined;
  /** The type of a field that is `external`, where no reply has it. */
  readonly type?: string | FromFile | undefined;
  /** Takes the field over from another subgraph. */
  readonly override?: OverrideKeys | undefined;
  /** Fields of other subgraphs that representations have for it. */
  readonly requires?: string | FromFile | undefined;
  /** Fields below it that are answered here too. */
  readonly provides?: string | FromFile | undefined;
  /** Whether the supergraph hides it. */
  readonly inaccessible?: boolean | Text | FromFile | undefined;
  /** Tags for contracts of the router. */
  readonly tags?: readonly (string | FromFile)[] | undefined;
}

interface OverrideKeys {
  /** The name of the other subgraph. */
  readonly from: string | FromFile;
  /** The part of requests that it answers. */
  readonly label?: string | FromFile | undefined;
}

interface McpKeys {
  /** Its path on the traffic address. */
  readonly path?: string | FromFile | undefined;
  /** The operations that are tools. */
  readonly operations?: readonly (string | FromFile)[] | undefined;
  /** The operations that change something and are tools all the same. */
  readonly write?: readonly (string | FromFile)[] | undefined;
  /** Those of the tools that a person has to confirm. */
  readonly confirm?: readonly (string | FromFile)[] | undefined;
  /** The secrets that questions to a person are sealed with, the same in all replicas. */
  readonly keys?: readonly (string | FromFile)[] | undefined;
}

export interface ConfigurationLimitsKeys {
  /** Limits inside the XML reader, for requests and replies. */
  readonly xml?: LimitsXmlKeys | undefined;
  /** Limits of the envelope and of the gate that holds it back. */
  readonly soap?: SoapKeys | undefined;
  /** Limits of the package around an envelope. */
  readonly mime?: MimeKeys | undefined;
  /** Limits between XML and GraphQL values. */
  readonly codec?: CodecKeys | undefined;
  /** Limits of GraphQL requests and answers. */
  readonly graphql?: LimitsGraphqlKeys | undefined;
  /** Limits of the documents stored by their hash. */
  readonly persisted?: LimitsPersistedKeys | undefined;
  /** Limits of subscriptions and of the connections they come over. */
  readonly subscriptions?: LimitsSubscriptionsKeys | undefined;
  /** The cache of replies to operations that only `read`. */
  readonly cache?: CacheKeys | undefined;
  /** Limits of the HTTP server. */
  readonly http?: HttpKeys | undefined;
  /** Limits of each upstream. */
  readonly upstream?: LimitsUpstreamKeys | undefined;
  /** Limits of the answers of services that speak GraphQL. */
  readonly remote?: LimitsRemoteKeys | undefined;
  /** Limits of the endpoint for REST. */
  readonly rest?: LimitsRestKeys | undefined;
  /** Limits of the endpoint for agents. */
  readonly mcp?: LimitsMcpKeys | undefined;
  /** Limits of recorded exchanges (`record`). */
  readonly record?: LimitsRecordKeys | undefined;
  /** Limits of `console.inspect`. */
  readonly inspect?: InspectKeys | undefined;
  /** When this process has more to do than it can. */
  readonly overload?: OverloadKeys | undefined;
  /** Limits that hardly anyone sets, by their group. */
  readonly internal?: Readonly<Record<string, unknown>> | undefined;
}

interface LimitsXmlKeys {
  /** Bytes of one message. */
  readonly messageBytes?: number | string | FromFile | undefined;
  /** Elements open at once. */
  readonly depth?: number | Text | FromFile | undefined;
  /** Child elements of one element. */
  readonly children?: number | Text | FromFile | undefined;
  /** Elements of one message. */
  readonly elements?: number | Text | FromFile | undefined;
  /** Attributes of one element, namespace declarations not counted. */
  readonly attributes?: number | Text | FromFile | undefined;
  /** Bytes of one attribute value as written. */
  readonly attributeValueBytes?: number | string | FromFile | undefined;
  /** Length of one name with its prefix, in UTF-8 bytes as written. */
  readonly nameChars?: number | Text | FromFile | undefined;
  /** Namespace declarations on the document element. */
  readonly namespacesOnRoot?: number | Text | FromFile | undefined;
  /** Namespace declarations in force at once. */
  readonly namespacesInScope?: number | Text | FromFile | undefined;
  /** Bytes of one text that is read as a value (GraphQL fields, fault parts). */
  readonly textBytes?: number | string | FromFile | undefined;
}

interface SoapKeys {
  /**
   * A message that ends within this window is validated whole before its first byte is sent on; a
   * longer one is held up to the start tag of its first Body child.
   */
  readonly windowBytes?: number | string | FromFile | undefined;
  /** Bytes up to the end of the start tag of the first Body child. */
  readonly headerBytes?: number | string | FromFile | undefined;
  /** Header blocks of one message. */
  readonly headerBlocks?: number | Text | FromFile | undefined;
  /**
   * Bytes of a request without a length that are collected where `bufferRequests` is on, of a
   * package whose signature covers parts that its envelope includes, and of a message in a SOAP
   * encoding that `bridge` puts into another version.
   */
  readonly bufferBytes?: number | string | FromFile | undefined;
  /** Bytes that one byte of a compressed message may become. */
  readonly inflateRatio?: number | Text | FromFile | undefined;
  /** Members that an array of a request announces (arrayType, arraySize, offset, position). */
  readonly arrayItems?: number | Text | FromFile | undefined;
  /** How far Created may lie from now, either way. */
  readonly securityMillis?: number | string | FromFile | undefined;
  /** Nonces and signed messages of one service remembered at once. */
  readonly nonces?: number | Text | FromFile | undefined;
}

interface MimeKeys {
  /** Parts of one package, the envelope included; Includes are as many at most. */
  readonly parts?: number | Text | FromFile | undefined;
}

interface CodecKeys {
  /** Items of one list in an answer that is read for GraphQL. */
  readonly listItems?: number | Text | FromFile | undefined;
  /** Items of one list argument. */
  readonly inputItems?: number | Text | FromFile | undefined;
  /** Nesting of an argument. */
  readonly inputDepth?: number | Text | FromFile | undefined;
  /** Length of one string argument. */
  readonly stringChars?: number | Text | FromFile | undefined;
  /**
   * Length of XML text, of a value of any type, or of one row of a data set, in an answer or an
   * argument.
   */
  readonly opaqueChars?: number | Text | FromFile | undefined;
  /**
   * Bytes of binary content of one reply that a query asks for, as attachments and as base64 in the
   * envelope each.
   */
  readonly attachmentBytes?: number | string | FromFile | undefined;
}

interface LimitsGraphqlKeys {
  /** Bytes of the body of one POST. */
  readonly bodyBytes?: number | string | FromFile | undefined;
  /** Files of one multipart request; 0 refuses such requests. */
  readonly uploads?: number | Text | FromFile | undefined;
  /** Bytes of all files of one multipart request. */
  readonly uploadBytes?: number | string | FromFile | undefined;
  /** Bytes of files that come before their turn. */
  readonly uploadHeldBytes?: number | string | FromFile | undefined;
  /** Tokens of one document, comments too, counted while it is read. */
  readonly tokens?: number | Text | FromFile | undefined;
  /** Fields of one operation with every fragment written out. */
  readonly selections?: number | Text | FromFile | undefined;
  /** Levels of fields, fragments written out. */
  readonly depth?: number | Text | FromFile | undefined;
  /** Levels of fields inside __schema and __type of the query itself. */
  readonly introspectionDepth?: number | Text | FromFile | undefined;
  /** Aliases of one operation, fragments written out; no name is exempt. */
  readonly aliases?: number | Text | FromFile | undefined;
  /** Fields at the root of one operation, each of which may be a call to a backend. */
  readonly rootFields?: number | Text | FromFile | undefined;
  /** Directives in the whole document, and in one operation with fragments written out. */
  readonly directives?: number | Text | FromFile | undefined;
  /**
   * Levels of objects and lists in the input values of one operation, in variables or in the
   * document.
   */
  readonly variableDepth?: number | Text | FromFile | undefined;
  /** Input values of all kinds, counted alike. */
  readonly variableValues?: number | Text | FromFile | undefined;
  /** Items of any one list of the input. */
  readonly listItems?: number | Text | FromFile | undefined;
  /** Estimated cost of one operation. */
  readonly cost?: number | Text | FromFile | undefined;
  /** Cost of one call to a backend. */
  readonly callCost?: number | Text | FromFile | undefined;
  /** How many items a list without `listSize` is taken to have when cost is estimated. */
  readonly assumedListSize?: number | Text | FromFile | undefined;
  /**
   * Objects that one SOAP reply is taken to bring at most in lists without `listSize`, however they
   * are nested.
   */
  readonly assumedReplySize?: number | Text | FromFile | undefined;
  /** The most items that a slicing argument of a list (`listSize`) may ask for; the least is 1. */
  readonly sliceItems?: number | Text | FromFile | undefined;
  /** Cost of each KiB of the replies of backends. */
  readonly kibCost?: number | Text | FromFile | undefined;
  /**
   * Calls to backends for one request, links included; fields that would need another one are null
   * with an error.
   */
  readonly calls?: number | Text | FromFile | undefined;
  /**
   * Calls for the links of one request that run side by side, and for pages as many; further ones
   * wait.
   */
  readonly callsAtOnce?: number | Text | FromFile | undefined;
  /** Pages of one field (`pages` of its operation) for one answer. */
  readonly pages?: number | Text | FromFile | undefined;
  /** Keys in one call of a list operation; more keys are more calls. */
  readonly batchItems?: number | Text | FromFile | undefined;
  /** Positions in one answer that links fill. */
  readonly links?: number | Text | FromFile | undefined;
  /** Representations of one `_entities`. */
  readonly representations?: number | Text | FromFile | undefined;
  /**
   * Memory for what is worked out for documents, their plans above all, in each process; the least
   * recently used go first.
   */
  readonly planBytes?: number | string | FromFile | undefined;
  /** Errors listed in one answer; one more announces that there were others. */
  readonly errors?: number | Text | FromFile | undefined;
}

interface LimitsPersistedKeys {
  /** Documents that are remembered; the least recently used go first. */
  readonly entries?: number | Text | FromFile | undefined;
  /** The memory of one process for all of them. */
  readonly bytes?: number | string | FromFile | undefined;
  /** Length of one document; longer ones run, and are not remembered. */
  readonly textBytes?: number | string | FromFile | undefined;
  /** How long a document is remembered after it was last used. */
  readonly keptMillis?: number | string | FromFile | undefined;
  /** Points for each new document; a client without them has it run, but not stored. */
  readonly registrationCost?: number | Text | FromFile | undefined;
}

interface LimitsSubscriptionsKeys {
  /**
   * Time for a WebSocket to send `connection_init`; without it the connection is closed with 4408.
   */
  readonly initMillis?: number | string | FromFile | undefined;
  /** Concurrent operations over one WebSocket. */
  readonly perConnection?: number | Text | FromFile | undefined;
  /** Concurrent subscriptions of one client, over all its connections to one process. */
  readonly perClient?: number | Text | FromFile | undefined;
  /** Bytes of one message from a client over a WebSocket; a longer one closes it with 1009. */
  readonly messageBytes?: number | string | FromFile | undefined;
  /** Events queued for one slow subscriber; one more ends the subscription. */
  readonly queueEvents?: number | Text | FromFile | undefined;
  /** Bytes of such events; while more are unsent to one WebSocket, nothing is read from it. */
  readonly queueBytes?: number | string | FromFile | undefined;
  /** Bytes of the values of one event; a larger event is announced as a gap. */
  readonly eventBytes?: number | string | FromFile | undefined;
  /** Events of each operation that are kept for replay; a longer gap is announced. */
  readonly historyEvents?: number | Text | FromFile | undefined;
  /**
   * Time after the last subscription to an operation in which its events are still read and kept,
   * for clients that subscribe again.
   */
  readonly resumeMillis?: number | string | FromFile | undefined;
  /** Different calls that one process polls for subscriptions. */
  readonly pollers?: number | Text | FromFile | undefined;
  /**
   * Earlier configurations that are kept after reloads because WebSockets or subscriptions began in
   * them; beyond, those of the oldest are ended as at a stop.
   */
  readonly generations?: number | Text | FromFile | undefined;
}

interface CacheKeys {
  /** Bytes of all cached replies, in each process; the least recently used are evicted first. */
  readonly bytes?: number | string | FromFile | undefined;
  /** Replies in the cache. */
  readonly entries?: number | Text | FromFile | undefined;
  /** Bytes of one reply that is cached, or shared by several callers. */
  readonly replyBytes?: number | string | FromFile | undefined;
  /** Callers that share one call; a further one makes its own call. */
  readonly waiting?: number | Text | FromFile | undefined;
}

interface HttpKeys {
  /** Bytes of the header of one request, answered with status 431. */
  readonly headerBytes?: number | string | FromFile | undefined;
  /** Header fields of one request, answered with status 431. */
  readonly headerCount?: number | Text | FromFile | undefined;
  /** Bytes of the request target. */
  readonly uriBytes?: number | string | FromFile | undefined;
  /** Time for the header of a request to arrive. */
  readonly headerMillis?: number | string | FromFile | undefined;
  /** Time for the PROXY header and the TLS handshake of a connection, which is closed then. */
  readonly handshakeMillis?: number | string | FromFile | undefined;
  /** TLS handshakes a second of one address. */
  readonly handshakesPerSecond?: number | Text | FromFile | undefined;
  /** How long TLS session tickets are made with one key. */
  readonly ticketKeyMillis?: number | string | FromFile | undefined;
  /** Time for a whole request to arrive, its body included. */
  readonly totalMillis?: number | string | FromFile | undefined;
  /** Bytes a second that a body must bring on average over `bodyGraceMillis`; 0 is no such rule. */
  readonly bodyRateBytes?: number | string | FromFile | undefined;
  /**
   * Time without progress after which a caller that does not read its answer is cut; the backend
   * waits meanwhile.
   */
  readonly stallMillis?: number | string | FromFile | undefined;
  /** Time a kept connection may wait for its next request before it is closed. */
  readonly idleMillis?: number | string | FromFile | undefined;
  /** Client connections open at once; further ones are closed. */
  readonly connections?: number | Text | FromFile | undefined;
  /** Connections of one address open at once. */
  readonly connectionsPerClient?: number | Text | FromFile | undefined;
  /**
   * Refused requests of one address that are answered a second, over two seconds; each quarter of a
   * millisecond that reading one takes, and each 64 KiB of it, count as one more.
   */
  readonly refusalsPerSecond?: number | Text | FromFile | undefined;
  /**
   * Proofs of possession (`proof` of tokens) that are remembered at once, by the process or all its
   * workers.
   */
  readonly proofs?: number | Text | FromFile | undefined;
  /** Longest time that the answer to a refused request waits. */
  readonly refusalHoldMillis?: number | string | FromFile | undefined;
  /**
   * Requests on one connection before it is closed, so that load balancers spread callers again.
   */
  readonly requestsPerConnection?: number | Text | FromFile | undefined;
  /** Time that requests in flight have to finish after SIGTERM before their connections are cut. */
  readonly drainMillis?: number | string | FromFile | undefined;
}

interface LimitsUpstreamKeys {
  /** Time for a connection to be made. */
  readonly connectMillis?: number | string | FromFile | undefined;
  /** Time from the end of the request to the first line of the answer. */
  readonly headersMillis?: number | string | FromFile | undefined;
  /** Status line and header fields of an answer. */
  readonly headerBytes?: number | string | FromFile | undefined;
  /** Header fields of an answer. */
  readonly headerCount?: number | Text | FromFile | undefined;
  /** Silence within an answer. */
  readonly idleMillis?: number | string | FromFile | undefined;
  /** Time for the whole call, the upload of the request included. */
  readonly totalMillis?: number | string | FromFile | undefined;
  /** How long an idle connection is kept. */
  readonly keepAliveMillis?: number | string | FromFile | undefined;
  /** Connections to one upstream. */
  readonly connections?: number | Text | FromFile | undefined;
  /** Connections of callers that have a connection to the upstream of their own. */
  readonly boundConnections?: number | Text | FromFile | undefined;
  /** Calls that wait for a connection. */
  readonly pending?: number | Text | FromFile | undefined;
  /** How long a call waits for a connection. */
  readonly pendingMillis?: number | string | FromFile | undefined;
  /**
   * How often the names of addresses are looked up again, give or take a fifth; all A and AAAA
   * records are used.
   */
  readonly resolveMillis?: number | string | FromFile | undefined;
  /** Calls on one connection before it is closed. */
  readonly requestsPerConnection?: number | Text | FromFile | undefined;
  /**
   * Failures in a row that open the circuit breaker of an address, which it does when four fifths
   * of the latest calls failed; 0 never opens it.
   */
  readonly breakerFailures?: number | Text | FromFile | undefined;
  /**
   * How long the breaker stays open, less up to a fifth; then it admits one call, two, four, and is
   * closed.
   */
  readonly breakerMillis?: number | string | FromFile | undefined;
}

interface LimitsRemoteKeys {
  /** Bytes of one answer. */
  readonly responseBytes?: number | string | FromFile | undefined;
  /**
   * Subscriptions of one process at one service at the same time, each over a connection of its
   * own.
   */
  readonly subscriptions?: number | Text | FromFile | undefined;
  /** Bytes of one event of a subscription; a larger one ends it. */
  readonly eventBytes?: number | string | FromFile | undefined;
  /** Silence of an event stream, comments included, after which it counts as dead. */
  readonly silenceMillis?: number | string | FromFile | undefined;
}

interface LimitsRestKeys {
  /**
   * Bytes of the descriptions of OpenAPI that are kept compressed, one for each set of operations
   * that clients may call; as many of their parts in each form.
   */
  readonly descriptionBytes?: number | string | FromFile | undefined;
}

interface LimitsMcpKeys {
  /** Bytes of the answer of one tool. */
  readonly answerBytes?: number | string | FromFile | undefined;
  /** Bytes of the list of all tools. */
  readonly listBytes?: number | string | FromFile | undefined;
  /** How long a person has to confirm a call (`mcp.confirm`). */
  readonly confirmMillis?: number | string | FromFile | undefined;
  /**
   * Calls that wait at one time for a person to confirm them, with clients of the revisions before
   * 2026-07-28.
   */
  readonly pendingConfirmations?: number | Text | FromFile | undefined;
}

interface LimitsRecordKeys {
  /** Bytes of a request, and of a reply, that is recorded. */
  readonly messageBytes?: number | string | FromFile | undefined;
  /** Bytes of messages that a process keeps until they are written. */
  readonly pendingBytes?: number | string | FromFile | undefined;
  /** Bytes that the recording of a service grows by in a day (UTC). */
  readonly dayBytes?: number | string | FromFile | undefined;
}

interface InspectKeys {
  /** Bytes of a request, and of a reply, that is kept. */
  readonly messageBytes?: number | string | FromFile | undefined;
  /** Bytes of messages that a process keeps. */
  readonly bytes?: number | string | FromFile | undefined;
}

interface OverloadKeys {
  /**
   * A rising share of new requests is refused while the event loop is busy all the time, 16
   * requests or more are in progress, and the loop comes later than this to its work (99th
   * percentile) or calls wait long for a connection to a backend, from the third such second on; 0
   * never refuses.
   */
  readonly eventLoopMillis?: number | string | FromFile | undefined;
  /**
   * With `workers`, one whose event loop does not answer its parent for so long is killed and
   * replaced; 0 never.
   */
  readonly hangMillis?: number | string | FromFile | undefined;
  /** Bytes of log lines kept while they are not read; further lines are dropped and counted. */
  readonly logBacklogBytes?: number | string | FromFile | undefined;
}

interface ReloadKeys {
  /** Whether a change of the configuration, or of a file it names, is a reload. */
  readonly watch?: boolean | Text | FromFile | undefined;
  /** What happens to changed files that take protection away, such as `clients` or a mask. */
  readonly weaker?: 'refuse' | 'take' | Text | FromFile | undefined;
}

interface FaultsKeys {
  /** Whether a Fault says what was wrong with the caller's own message. */
  readonly explain?: boolean | Text | FromFile | undefined;
}

interface TracesKeys {
  /** Where spans are sent by OTLP over HTTP, in protobuf. */
  readonly otlp: string | FromFile;
  /** Share of requests that are traced, from 0 to 1. */
  readonly sample?: number | Text | FromFile | undefined;
  /** Requests that take so long are traced whatever the sample, as refused and failed ones are. */
  readonly slowMillis?: number | string | FromFile | undefined;
  /**
   * Whether `traceparent` of callers is the parent of their requests, and decides whether they are
   * sampled; else each request begins a trace.
   */
  readonly takeContext?: boolean | Text | FromFile | undefined;
  /** Header fields of the requests to the receiver, such as its credentials. */
  readonly headers?: Readonly<Record<string, string | FromFile>> | undefined;
  /** Trusted certificate authorities, PEM. */
  readonly ca?: string | FromFile | undefined;
  /**
   * Attributes of the resource, besides `service.name` (soapstone), `service.version`,
   * `service.instance.id` and `process.pid`, which they may replace.
   */
  readonly attributes?: Readonly<Record<string, string | FromFile>> | undefined;
}

interface ConsoleKeys {
  /** Requests that take so long are listed as slow. */
  readonly slowMillis?: number | string | FromFile | undefined;
  /**
   * Whether messages can be sent to services from the page, as a caller at an address of `listen`
   * without TLS.
   */
  readonly tryOut?: boolean | Text | FromFile | undefined;
  /** Keeps the latest exchanges with backends in memory, for the page of an operation. */
  readonly inspect?: ConsoleInspectKeys | undefined;
}

interface ConsoleInspectKeys {
  /** The operations whose exchanges are kept. */
  readonly operations?: readonly (string | FromFile)[] | undefined;
  /** The latest exchanges that are kept of each operation. */
  readonly exchanges?: number | Text | FromFile | undefined;
  /** Operators who may see values, as the log names them. */
  readonly operators?: readonly (string | FromFile)[] | undefined;
}

interface AuditKeys {
  /** Its file, relative to this one; by default standard output. */
  readonly file?: string | FromFile | undefined;
  /** A secret. */
  readonly key?: string | FromFile | undefined;
  /** While decisions cannot be recorded. */
  readonly onFailure?: 'continue' | 'refuse' | Text | FromFile | undefined;
}

interface LogKeys {
  /** Least level written. */
  readonly level?: 'debug' | 'info' | 'warn' | 'error' | Text | FromFile | undefined;
  /** Names of the fields of a line. */
  readonly format?: 'json' | 'ecs' | Text | FromFile | undefined;
  /** Where lines of the log, besides standard output, are sent by OTLP over HTTP, in protobuf. */
  readonly otlp?: string | FromFile | undefined;
  /** Header fields of the requests to the receiver, such as its credentials. */
  readonly headers?: Readonly<Record<string, string | FromFile>> | undefined;
  /** Trusted certificate authorities, PEM. */
  readonly ca?: string | FromFile | undefined;
  /**
   * Attributes of the resource, besides `service.name` (soapstone), `service.version`,
   * `service.instance.id` and `process.pid`, which they may replace.
   */
  readonly attributes?: Readonly<Record<string, string | FromFile>> | undefined;
}

interface MetricsKeys {
  /** Where metrics are sent by OTLP over HTTP, in protobuf. */
  readonly otlp: string | FromFile;
  /** How often they are sent. */
  readonly everyMillis?: number | string | FromFile | undefined;
  /** Header fields of the requests to the receiver, such as its credentials. */
  readonly headers?: Readonly<Record<string, string | FromFile>> | undefined;
  /** Trusted certificate authorities, PEM. */
  readonly ca?: string | FromFile | undefined;
  /**
   * Attributes of the resource, besides `service.name` (soapstone), `service.version`,
   * `service.instance.id` and `process.pid`, which they may replace.
   */
  readonly attributes?: Readonly<Record<string, string | FromFile>> | undefined;
}

interface DemoKeys {
  /** Address of that backend, as host:port. */
  readonly listen: string | FromFile;
}
