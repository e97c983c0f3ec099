import { Refusal } from '../base/refusal.js';
import type { LoadedConfig } from '../config/load.js';
import type { ServiceConfig } from '../config/schema.js';
import { TextAtPath, type TextPath } from '../soap/text-at-path.js';
import { LoginSession } from '../upstream/credentials/login-session.js';
import type { ReplyHead } from '../upstream/reply.js';
import { compileConstantCall, readReply, requestOf, sendWhole, textPath } from './constant-call.js';
import type { SoapService } from './service.js';
import { checkToken, type TokenPlace } from './token-place.js';

const ANY_TEXT: TextPath = { part: 'Body', steps: [] };

type LoginConfig = NonNullable<NonNullable<ServiceConfig['auth']>['login']>;

/** The services with the sessions of `auth.login`, which may call each other. Throws `ConfigurationError`. */
export const withLogins = (loaded: LoadedConfig, services: readonly SoapService[]): readonly SoapService[] =>
  services.map((service) => {
    const login = service.config.auth?.login;
    if (login === undefined || service.tokenPlace === null) return service;
    const session = compileSession(loaded, services, service, login, service.tokenPlace);
    return { ...service, session: { login: session, place: service.tokenPlace, renewOn: new Set(login.renewOn) } };
  });

function compileSession(
  loaded: LoadedConfig,
  services: readonly SoapService[],
  service: SoapService,
  { operation, arguments: values, token, logout, maxAgeMillis }: LoginConfig,
  place: TokenPlace,
): LoginSession {
  const login = compileConstantCall(loaded, services, service, ['auth', 'login', 'operation'], operation, values);
  const end =
    logout === undefined
      ? null
      : compileConstantCall(loaded, services, service, ['auth', 'login', 'logout'], logout, {});
  const path = token === undefined ? null : textPath(token);
  return new LoginSession({
    maxAgeMillis: maxAgeMillis ?? null,
    async logIn() {
      const reply = await sendWhole(login.service.upstream, requestOf(login, null));
      const { head } = reply;
      const reader = new TextAtPath(path ?? ANY_TEXT);
      readReply(login.service, reply, reader);
      if (reader.isFault || head.status > 299) throw new Refusal('UPSTREAM_AUTH', 'the login was refused');
      const found = path === null ? cookiesOf(head) : reader.found;
      if (found === null) throw new Refusal('UPSTREAM_AUTH', 'no token in the reply to the login');
      return checkToken(place, found);
    },
    logOut:
      end === null
        ? null
        : async (last) => void (await sendWhole(end.service.upstream, requestOf(end, { place, token: last }))),
  });
}

/** The cookies that a reply sets, as a request has them; null for none. */
function cookiesOf(head: ReplyHead): string | null {
  const pairs = new Map<string, string>();
  for (const cookie of head.headers('set-cookie')) {
    const [pair = ''] = cookie.split(';', 1);
    const name = pair.slice(0, Math.max(0, pair.indexOf('='))).trim();
    if (name !== '') pairs.set(name, pair.trim());
  }
  return pairs.size === 0 ? null : [...pairs.values()].join('; ');
}
