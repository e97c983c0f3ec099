/** The tests that hold rules of profiles: a short name, its file, and the title of a test in it. */
export const HOLDING_TESTS = {
  envelope: [
    'test/catalogue/soap.test.ts',
    'the cases of files, with one gateway for each configuration',
  ],
  xml: ['test/catalogue/xml.test.ts', 'messages that are not the XML of SOAP'],
  bytes: [
    'test/catalogue/xml.test.ts',
    'what passes arrives byte for byte, and references, comments and CDATA as they were written',
  ],
  long: ['test/catalogue/xml.test.ts', 'what is too long is refused while it is still open'],
  heads: ['test/catalogue/http.test.ts', 'heads, at every endpoint'],
  action: ['test/catalogue/soap.test.ts', 'S07: what the backend hears of the action'],
  replies: [
    'test/catalogue/upstream.test.ts',
    'one answer of a backend, whole and byte by byte, in every dialect',
  ],
  wire: [
    'test/features/message-rules.test.ts',
    'messages of every endpoint keep the rules of WS-I, on both sides',
  ],
  wireRpc: [
    'test/features/message-rules.test.ts',
    'messages of rpc/literal keep the rules of WS-I, on both sides',
  ],
  plain: [
    'test/wsdl/operations/operations.test.ts',
    'a plain operation of document/literal is read whole',
  ],
  rpc: ['test/wsdl/operations/operations.test.ts', 'rpc/literal makes a wrapper of the parts'],
  headers: [
    'test/wsdl/operations/operations.test.ts',
    'header parts go to the Header, from the same or another message, and faults are declared',
  ],
  oneWay: [
    'test/wsdl/operations/operations.test.ts',
    'a message without parts has an empty Body, one-way operations have no reply',
  ],
  validity: ['test/catalogue/validity.test.ts', 'requests that break the schema'],
  content: [
    'test/catalogue/validity.test.ts',
    'S17, K04: where it is wrong, and nothing of what was sent',
  ],
  signed: [
    'test/features/security-verify.test.ts',
    'a signed message passes byte for byte, in both versions, by each kind of key',
  ],
  wrapping: [
    'test/features/security-verify.test.ts',
    'every way to wrap, to alter or to confuse is refused',
  ],
  times: ['test/features/security-verify.test.ts', 'times: Created, Expires, tolerance and age'],
  signers: [
    'test/features/security-verify.test.ts',
    'signers must have an authority, a subject, a valid time, a key that is long enough',
  ],
  attachments: [
    'test/features/security-verify.test.ts',
    'attachments are compared as they come by, and all of them where they are required',
  ],
  users: [
    'test/features/security-verify-tokens.test.ts',
    'a UsernameToken is judged by text, by digest and by hash, and its nonce comes once',
  ],
  saml: [
    'test/features/security-verify-tokens.test.ts',
    'an assertion of SAML is judged by issuer, audience, time and confirmation',
  ],
  rights: [
    'test/catalogue/access.test.ts',
    'B16: what is permitted is the operation, not the name it goes by',
  ],
  tls: [
    'test/listen/listeners.test.ts',
    'only current versions and ciphers of TLS are spoken, and no protocol but HTTP/1.1',
  ],
  certificates: ['test/listen/listeners.test.ts', 'a verified certificate identifies its client'],
  upstreamTls: [
    'test/catalogue/http.test.ts',
    'certificates are verified, whatever the environment says',
  ],
  flood: ['test/catalogue/access.test.ts', 'O06: one floods, the others do not notice'],
  connections: ['test/catalogue/http.test.ts', 'H26: many connections'],
  uploads: ['test/catalogue/overload.test.ts', 'O04: many long uploads at once'],
  secrets: ['test/catalogue/secrets.test.ts', 'K01: secrets of callers and of the configuration'],
  tokens: ['test/access/access.test.ts', 'tokens'],
  inactiveTokens: [
    'test/access/introspection.test.ts',
    'a token that is not active is refused, and asked about again only later',
  ],
  forgedTokens: ['test/catalogue/access.test.ts', 'K06, K07: forged tokens, and those out of time'],
  boundTokens: [
    'test/features/bound-tokens.test.ts',
    'a token that is bound is held to it where no binding is demanded',
  ],
  queryTokens: ['test/features/bound-tokens.test.ts', 'a token in the query or in a form is none'],
  bindings: ['test/access/dpop.test.ts', 'the binding of a token by what is demanded'],
  proofs: ['test/access/dpop.test.ts', 'each check of a proof (RFC 9449 section 4.3)'],
  replays: [
    'test/process/worker-proofs.test.ts',
    'a proof is taken once by all workers, whichever gets it',
  ],
  shortKeys: ['test/access/dpop.test.ts', 'keys of all kinds sign proofs'],
  outputs: ['test/catalogue/bridge.test.ts', 'B17: answers are JSON, whatever is in them'],
} as const satisfies Readonly<Record<string, readonly [file: string, title: string]>>;

/** How a rule of a profile is met. */
type Conformance =
  | { readonly held: readonly (keyof typeof HOLDING_TESTS)[] }
  /** By `check`, as a warning with the number of the rule. */
  | { readonly reported: true }
  /** Not held: the reason. */
  | { readonly left: string };

export interface ProfileRow {
  readonly rules: string;
  readonly what: string;
  readonly by: Conformance;
}

export interface Profile {
  readonly name: string;
  readonly source: string;
  readonly rows: readonly ProfileRow[];
}

type Test = keyof typeof HOLDING_TESTS;

export const held = (rules: string, what: string, ...tests: readonly Test[]): ProfileRow => ({
  rules,
  what,
  by: { held: tests },
});
export const reported = (rules: string, what: string): ProfileRow => ({
  rules,
  what,
  by: { reported: true },
});
export const left = (rules: string, what: string, reason: string): ProfileRow => ({
  rules,
  what,
  by: { left: reason },
});

/** The numbers, or headings, in the first column: `R3203 R3224`. */
export const rulesOf = ({ rules }: ProfileRow): readonly string[] => rules.split(' ');
