import type { ConfigPath } from '../../config/keys/config-path.js';
import { invalid } from '../../config/keys/finding.js';
import type { ServicePlan } from '../../config/plans/service-plan.js';
import type { ServiceConfig } from '../../config/schema.js';
import { Refusal, type SubjectToken } from '../../core/index.js';
import { schemaMapping } from '../../graphql/index.js';
import { type headerBlocks, textBlock } from '../../soap/index.js';
import { authentication, type UpstreamRequest } from '../../upstream/index.js';
import type { ElementDeclaration, Operation, Particle } from '../../wsdl/index.js';
import { expandedName, type QName } from '../../xml/index.js';
import { isSessionToken, tokenField } from '../backend/oauth2-token.js';

/** The part of a call that carries the token of a login session. */
export type TokenPlace =
  /** A header block and elements in one another inside it. */
  | { readonly kind: 'header'; readonly names: readonly QName[] }
  /** A field of HTTP. */
  | { readonly kind: 'http'; readonly field: string; readonly prefix: string };

/** The tokens of a service that its calls carry, and what refuses them. */
export interface ServiceSession {
  readonly login: authentication.TokenSource;
  /** The tokens for the caller of a request; null where all calls have the same. */
  readonly tokensOf: ((subject: SubjectToken | null) => authentication.TokenSource) | null;
  readonly place: TokenPlace;
  /** The Faults that refuse a token: codes, subcodes, and names of entries of the detail. */
  readonly renewOn: ReadonlySet<string>;
}

/**
 * The place that `auth.login` or `auth.oauth2` of a service names; null where calls carry no token
 * by it. Throws `FindingsError`.
 */
export function compileTokenPlace(
  { name, config: { auth, namespace } }: ServicePlan,
  operations: readonly Operation[],
): TokenPlace | null {
  if (auth?.oauth2 !== undefined && isSessionToken(auth.oauth2)) {
    const field = tokenField(auth.oauth2);
    if (field !== null) return { kind: 'http', ...field };
    const { place = '' } = auth.oauth2;
    return blockPlace(name, { key: ['auth', 'oauth2', 'place'], place }, namespace, operations);
  }
  if (auth?.login === undefined) return null;
  const { place, token } = auth.login;
  const inField = fieldPlace(auth.login);
  if (place === 'cookie') return inField;
  if (token === undefined) {
    const what = `Service \`${name}\`: \`auth.login\` has no \`token\`.`;
    throw invalid(
      ['auth', 'login', 'place'],
      what,
      'Write where the reply has it: reply.sessionId.',
    );
  }
  return (
    inField ?? blockPlace(name, { key: ['auth', 'login', 'place'], place }, namespace, operations)
  );
}

/** The header block and the elements in it that a place names. Throws `FindingsError`. */
function blockPlace(
  service: string,
  { key, place }: { readonly key: ConfigPath; readonly place: string },
  namespace: string | undefined,
  operations: readonly Operation[],
): TokenPlace {
  const steps = place.slice('header:'.length).match(/(?:\{[^{}]*\})?[^/{}]+/g) ?? [];
  const [first = '', ...inner] = steps;
  const named = schemaMapping.stepName(first, null);
  const declared = operations
    .flatMap(({ input }) => input.headers.map(({ element }) => element))
    .find(({ name }) => name.local === named.local && (named.uri ?? name.uri) === name.uri);
  const uri = named.uri ?? declared?.name.uri ?? namespace ?? null;
  if (uri === null) {
    const what = `Service \`${service}\`: The WSDL declares no header block \`${first}\`.`;
    throw invalid(key, what, 'Write `header:{namespace}Block/child`.');
  }
  const names: QName[] = [{ uri, local: named.local }];
  let element: ElementDeclaration | null = declared ?? null;
  for (const step of inner) {
    element = childOf(element, schemaMapping.stepName(step, null).local);
    names.push(schemaMapping.stepName(step, element?.name.uri ?? uri));
  }
  return { kind: 'header', names };
}

/** The field of HTTP that is the place; null for a header block. */
export function fieldPlace({
  place,
  scheme,
}: LoginConfig): Extract<TokenPlace, { readonly kind: 'http' }> | null {
  if (place === 'cookie') return { kind: 'http', field: 'cookie', prefix: '' };
  if (!place.startsWith('http:')) return null;
  const prefix = scheme === undefined ? '' : `${scheme} `;
  return { kind: 'http', field: place.slice('http:'.length).toLowerCase(), prefix };
}

type LoginConfig = NonNullable<NonNullable<ServiceConfig['auth']>['login']>;

/** The declared child with this name, or null. */
function childOf(element: ElementDeclaration | null, local: string): ElementDeclaration | null {
  if (
    element === null ||
    element.type.kind !== 'complex' ||
    element.type.content.kind !== 'elements'
  ) {
    return null;
  }
  const left: Particle[] = [element.type.content.particle];
  for (let particle = left.pop(); particle !== undefined; particle = left.pop()) {
    if (particle.kind === 'one' && particle.element.name.local === local) return particle.element;
    if ('particles' in particle) {
      left.push(...particle.particles);
    }
  }
  return null;
}

/** The name `{uri}local` of the block that is the place; none for another place. */
export const blockNames = (place: TokenPlace | null): readonly string[] =>
  place?.kind === 'header' ? place.names.slice(0, 1).map(expandedName) : [];

/** The header block that carries the token; null where a field of HTTP does. */
export const tokenBlock = (place: TokenPlace, token: string): headerBlocks.BlockWriter | null =>
  place.kind === 'header' ? textBlock(place.names, token) : null;

/** The request with the token among its header fields, where that is the place. */
export function withTokenField(
  request: UpstreamRequest,
  place: TokenPlace,
  token: string,
): UpstreamRequest {
  if (place.kind !== 'http') return request;
  const fields: authentication.Fields = [place.field, place.prefix + token];
  return { ...request, headers: authentication.withFields(request.headers, fields) };
}

/** Throws `UPSTREAM_AUTH` for a token that its place cannot carry. */
export function checkToken(place: TokenPlace, token: string): string {
  if (place.kind === 'http' && !/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(token)) {
    throw new Refusal('UPSTREAM_AUTH', 'a token that no header field can carry');
  }
  return token;
}
