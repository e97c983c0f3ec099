import { Refusal } from '../../base/refusals/refusal.js';
import type { ServiceConfig } from '../../config/schema.js';
import type { ConfigSection } from '../../config/section.js';
import { stepName } from '../../graphql/input/block-mapping.js';
import type { BlockWriter } from '../../soap/header/header-place.js';
import { textBlock } from '../../soap/text-at-path.js';
import { type Fields, withFields } from '../../upstream/credentials/credentials.js';
import type { LoginSession } from '../../upstream/credentials/login-session.js';
import type { UpstreamRequest } from '../../upstream/reply.js';
import type { ElementDeclaration, Operation, Particle } from '../../wsdl/model.js';
import { expandedName, type QName } from '../../xml/events.js';

/** The part of a call that carries the token of a login session. */
export type TokenPlace =
  /** A header block and elements in one another inside it. */
  | { readonly kind: 'header'; readonly names: readonly QName[] }
  /** A field of HTTP. */
  | { readonly kind: 'http'; readonly field: string; readonly prefix: string };

/** The login session of a service, as its calls use it. */
export interface ServiceSession {
  readonly login: LoginSession;
  readonly place: TokenPlace;
  /** The Faults that refuse a token: codes, subcodes, and names of entries of the detail. */
  readonly renewOn: ReadonlySet<string>;
}

/** The place that `auth.login` of a service names; null without a login. Throws `ConfigurationError`. */
export function compileTokenPlace(
  service: ConfigSection<ServiceConfig>,
  operations: readonly Operation[],
): TokenPlace | null {
  const { auth, namespace } = service.value;
  if (auth?.login === undefined) return null;
  const { place, token } = auth.login;
  const inField = fieldPlace(auth.login);
  const fail = (what: string, remedy: string): never => {
    throw service.error(['auth', 'login', 'place'], `Service \`${service.name}\`: ${what}`, remedy);
  };
  if (place === 'cookie') return inField;
  if (token === undefined)
    return fail('`auth.login` has no `token`.', 'Write where the reply has it: reply.sessionId.');
  if (inField !== null) return inField;
  const steps = place.slice('header:'.length).match(/(?:\{[^{}]*\})?[^/{}]+/g) ?? [];
  const [first = '', ...inner] = steps;
  const named = stepName(first, null);
  const declared = operations
    .flatMap(({ input }) => input.headers.map(({ element }) => element))
    .find(({ name }) => name.local === named.local && (named.uri ?? name.uri) === name.uri);
  const uri = named.uri ?? declared?.name.uri ?? namespace ?? null;
  if (uri === null)
    return fail(`The WSDL declares no header block \`${first}\`.`, 'Write `header:{namespace}Block/child`.');
  const names: QName[] = [{ uri, local: named.local }];
  let element: ElementDeclaration | null = declared ?? null;
  for (const step of inner) {
    element = childOf(element, stepName(step, null).local);
    names.push(stepName(step, element?.name.uri ?? uri));
  }
  return { kind: 'header', names };
}

/** The field of HTTP that is the place; null for a header block. */
export function fieldPlace({ place, scheme }: LoginConfig): Extract<TokenPlace, { readonly kind: 'http' }> | null {
  if (place === 'cookie') return { kind: 'http', field: 'cookie', prefix: '' };
  if (!place.startsWith('http:')) return null;
  const prefix = scheme === undefined ? '' : `${scheme} `;
  return { kind: 'http', field: place.slice('http:'.length).toLowerCase(), prefix };
}

type LoginConfig = NonNullable<NonNullable<ServiceConfig['auth']>['login']>;

/** The declared child with this name, or null. */
function childOf(element: ElementDeclaration | null, local: string): ElementDeclaration | null {
  if (element === null || element.type.kind !== 'complex' || element.type.content.kind !== 'elements') return null;
  const left: Particle[] = [element.type.content.particle];
  for (let particle = left.pop(); particle !== undefined; particle = left.pop()) {
    if (particle.kind === 'one' && particle.element.name.local === local) return particle.element;
    if ('particles' in particle) left.push(...particle.particles);
  }
  return null;
}

/** The name `{uri}local` of the block that is the place; none for another place. */
export const blockNames = (place: TokenPlace | null): readonly string[] =>
  place?.kind === 'header' ? place.names.slice(0, 1).map(expandedName) : [];

/** The header block that carries the token; null where a field of HTTP does. */
export const tokenBlock = (place: TokenPlace, token: string): BlockWriter | null =>
  place.kind === 'header' ? textBlock(place.names, token) : null;

/** The request with the token among its header fields, where that is the place. */
export function withTokenField(request: UpstreamRequest, place: TokenPlace, token: string): UpstreamRequest {
  if (place.kind !== 'http') return request;
  const fields: Fields = [place.field, place.prefix + token];
  return { ...request, headers: withFields(request.headers, fields) };
}

/** Throws `UPSTREAM_AUTH` for a token that its place cannot carry. */
export function checkToken(place: TokenPlace, token: string): string {
  if (place.kind === 'http' && !/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(token))
    throw new Refusal('UPSTREAM_AUTH', 'a token that no header field can carry');
  return token;
}
