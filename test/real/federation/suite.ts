/** A subgraph beside the gateway, with fixed values. */
export interface OtherSubgraph {
  readonly name: string;
  readonly sdl: string;
  /** The values of its root fields. */
  readonly roots?: Readonly<Record<string, unknown>>;
  /** Its objects by type: that of a representation is the first that differs in no field. */
  readonly entities?: Readonly<Record<string, readonly object[]>>;
}

/** A request of a router to the gateway. */
interface SubgraphRequest {
  readonly query: string;
  readonly representations?: readonly object[];
  readonly data: object;
  /** The calls of the backend, in their order by name. */
  readonly calls: readonly string[];
}

/** A supergraph in which the gateway is the subgraph of a SOAP backend. */
export interface FederationSuite {
  readonly name: string;
  /** SDL of the types of the backend, and its operations as YAML. */
  readonly types: string;
  readonly operations: string;
  /** `graphql.federation`: its keys, and directives of types, as YAML. */
  readonly keys: string;
  readonly directives?: string;
  /** The content of replies by call: `GetProduct 1`. */
  readonly replies: Readonly<Record<string, string>>;
  readonly others: readonly OtherSubgraph[];
  /** What routers ask the gateway. */
  readonly requests: readonly SubgraphRequest[];
  /** What callers ask the router, and its data. */
  readonly queries: readonly (readonly [query: string, data: object])[];
}

/** The head of the SDL of another subgraph. */
export const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", ' +
  '"@shareable", "@external", "@requires", "@provides", "@override", "@inaccessible"])\n';

/** Asks for the fields of representations. */
export const entities = (selection: string): string =>
  `query ($r: [_Any!]!) { _entities(representations: $r) { ${selection} } }`;
