import { within } from '../../config/keys/finding.js';
import type { ServiceConfig } from '../../config/schema.js';
import { Refusal, type SubjectToken } from '../../core/index.js';
import { TextAtPath, type TextPath } from '../../soap/index.js';
import { authentication, type ReplyHead, Upstream } from '../../upstream/index.js';
import { compileOAuth2 } from '../backend/oauth2-token.js';
import type { ConfiguredService } from '../soap/service.js';
import { checkToken, type ServiceSession, type TokenPlace } from '../soap/token-place.js';
import {
  type Callables,
  type ConstantCallLimits,
  compileConstantCall,
  readReply,
  requestOf,
  sendWhole,
  textPath,
} from './constant-call.js';

const ANY_TEXT: TextPath = { part: 'Body', steps: [] };

type AuthConfig = NonNullable<ServiceConfig['auth']>;
type LoginConfig = NonNullable<AuthConfig['login']>;
type OAuth2Config = NonNullable<AuthConfig['oauth2']>;

/**
 * The services with the tokens that their calls carry: logins may call each other. Throws
 * `FindingsError`.
 */
export const withLogins = (
  limits: ConstantCallLimits,
  services: readonly ConfiguredService[],
): readonly ConfiguredService[] =>
  services.map((service) => {
    const { name, tokenPlace: place } = service;
    if (place === null) return service;
    const session = within(['services', name], () =>
      sessionOf(service, place, { services, limits }),
    );
    return session === null ? service : { ...service, session };
  });

/** Whether each caller has tokens of its own. */
const IS_BY_CALLER: Readonly<Record<OAuth2Config['grant'], boolean>> = {
  clientCredentials: false,
  jwtBearer: false,
  tokenExchange: true,
};

/** Null where calls of the service carry no token. */
function sessionOf(
  { plan, reach, upstream }: ConfiguredService,
  place: TokenPlace,
  callables: Callables,
): ServiceSession | null {
  const { oauth2 } = plan.auth;
  if (oauth2 !== null) {
    const options = compileOAuth2(plan, oauth2, reach.routeTo);
    const renewOn = new Set(oauth2.keys.renewOn);
    if (!IS_BY_CALLER[oauth2.keys.grant]) {
      return { login: new authentication.OAuth2(options), tokensOf: null, place, renewOn };
    }
    const exchanged = new authentication.ExchangedTokens(options);
    const tokensOf = (subject: SubjectToken | null) => exchanged.of(subject);
    return { login: withoutCaller(exchanged), tokensOf, place, renewOn };
  }
  const { login: keys } = plan.config.auth ?? {};
  if (keys === undefined) return null;
  const move = (url: URL): void => upstream.addresses.move(url);
  const login = compileSession(callables, plan.name, { place, move }, keys);
  return { login, tokensOf: null, place, renewOn: new Set(keys.renewOn) };
}

/** Calls that the gateway makes by itself have no token to exchange. */
const withoutCaller = (exchanged: authentication.ExchangedTokens): authentication.TokenSource => ({
  ...exchanged.of(null),
  close: () => exchanged.close(),
});

/** The service that has the session. */
interface SessionOwner {
  readonly place: TokenPlace;
  /** Makes its calls elsewhere from now on. */
  readonly move: (url: URL) => void;
}

/**
 * Compiles the session of a service, whose login may be an operation of another. Throws
 * `FindingsError`.
 */
export function compileSession(
  callables: Callables,
  owner: string,
  { place, move }: SessionOwner,
  { operation, arguments: values, token, url, urlsAllowed, logout, maxAgeMillis }: LoginConfig,
): authentication.LoginSession {
  const login = compileConstantCall(
    callables,
    owner,
    ['auth', 'login', 'operation'],
    operation,
    values,
  );
  const end =
    logout === undefined
      ? null
      : compileConstantCall(callables, owner, ['auth', 'login', 'logout'], logout, {});
  const path = token === undefined ? null : textPath(token);
  const urlPath = url === undefined ? null : textPath(url);
  const { service } = login;
  // Logins go to the address of the configuration, also while calls go elsewhere.
  const own = urlPath === null ? null : ownUpstream(service);
  return new authentication.LoginSession({
    maxAgeMillis: maxAgeMillis ?? null,
    observeLogin: (request) => request.call(service.name, login.operation.name),
    async logIn(observer) {
      const reply = await sendWhole(own ?? service.upstream, {
        ...requestOf(login, null),
        observer,
      });
      const { head } = reply;
      const reader = new TextAtPath(path ?? ANY_TEXT);
      readReply(login, reply, reader);
      if (reader.isFault || head.status > 299) {
        throw new Refusal('UPSTREAM_AUTH', 'the login was refused');
      }
      const found = path === null ? cookiesOf(head) : reader.found;
      if (found === null) throw new Refusal('UPSTREAM_AUTH', 'no token in the reply to the login');
      const checked = checkToken(place, found);
      if (urlPath !== null) {
        const address = new TextAtPath(urlPath);
        readReply(login, reply, address);
        move(checkAddress(address.found, urlsAllowed));
      }
      return checked;
    },
    logOut:
      end === null
        ? null
        : async (last) =>
            void (await sendWhole(end.service.upstream, requestOf(end, { place, token: last }))),
    close: async () => own?.close(),
  });
}

const ownUpstream = ({ config, reach }: ConfiguredService): Upstream =>
  new Upstream(config.urls, config.limits.upstream, {
    ...reach,
    credentials: authentication.lend(reach.credentials),
  });

/** The address that a login leads to. Throws `UPSTREAM_AUTH` unless the configuration allows it. */
function checkAddress(text: string | null, allowed: readonly string[]): URL {
  const url = text !== null && URL.canParse(text) ? new URL(text) : null;
  if (
    url === null ||
    url.username !== '' ||
    url.password !== '' ||
    !allowed.some((each) => isAllowed(url, each))
  ) {
    throw new Refusal('UPSTREAM_AUTH', 'the login leads to an address that is not allowed');
  }
  url.hash = '';
  return url;
}

/** `*.` stands for one or more names. */
function isAllowed({ protocol, hostname, port }: URL, allowed: string): boolean {
  const isAny = allowed.includes('//*.');
  const pattern = new URL(allowed.replace('//*.', '//'));
  if (protocol !== pattern.protocol || port !== pattern.port) return false;
  return isAny ? hostname.endsWith(`.${pattern.hostname}`) : hostname === pattern.hostname;
}

/** The cookies that a reply sets, as a request has them; null for none. */
function cookiesOf(head: ReplyHead): string | null {
  const pairs = new Map<string, string>();
  for (const cookie of head.headers('set-cookie')) {
    const [pair = ''] = cookie.split(';', 1);
    const name = pair.slice(0, Math.max(0, pair.indexOf('='))).trim();
    if (name !== '') {
      pairs.set(name, pair.trim());
    }
  }
  return pairs.size === 0 ? null : [...pairs.values()].join('; ');
}
