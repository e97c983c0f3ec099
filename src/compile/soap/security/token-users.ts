import { Buffer } from 'node:buffer';
import { UNRESTRICTED } from '../../../access/access.js';
import { isAllowed } from '../../../access/allowed-answer.js';
import { Networks } from '../../../access/network/networks.js';
import { BasicUsers, basicUser } from '../../../access/passwords/basic.js';
import {
  type Finding,
  FindingsError,
  finding,
  findingsBelow,
  within,
} from '../../../config/keys/finding.js';
import type { UsernameTokenPlan, VerifyPlan } from '../../../config/plans/security-plan.js';
import type { ServicePlan } from '../../../config/plans/service-plan.js';
import { Refusal } from '../../../core/index.js';
import { currentText } from '../../../gateway/rotating-text.js';
import type { UsernameTokenRules } from '../../../wss/index.js';
import { compileAccessEndpoint } from '../../backend/access-endpoint.js';
import { askDecisionPoint } from '../../backend/decision-point.js';

/** The users of the UsernameTokens of a service. */
export interface TokenUsers {
  readonly rules: UsernameTokenRules;
  /**
   * Verifies a password that is known by its hash, or by the decision point. Rejects with
   * `UNAUTHENTICATED`, `RATE_LIMITED`, or `CREDENTIALS_UNVERIFIED` where that does not answer.
   */
  verify(
    user: { readonly name: string; readonly password: string },
    address: string,
  ): Promise<void>;
  close(): Promise<void>;
}

/** Null for a service without UsernameTokens. Throws `FindingsError`. */
export function compileTokenUsers(
  service: ServicePlan,
  { keys: { timestamp }, usernameToken: plan }: VerifyPlan,
): TokenUsers | null {
  if (plan === null) return null;
  const { users = {}, url, types, maxAgeMillis } = plan.keys;
  const hashes = new Map<string, string>();
  const problems: Finding[] = [];
  for (const [name, { password, hash }] of Object.entries(users)) {
    if ((password === undefined) === (hash === undefined)) {
      const what = `User \`${name}\` has not exactly one of \`password\` and \`hash\`.`;
      problems.push(finding(['users', name], what, 'Write one of them.'));
    } else if (hash !== undefined) {
      hashes.set(name, hash);
    }
  }
  if (url === undefined && plan.keys.users === undefined) {
    problems.push(
      finding(
        [],
        '`usernameToken` knows no user.',
        'Give it `users`, or the `url` of a decision point.',
      ),
    );
  }
  const verifiesLater = hashes.size > 0 || url !== undefined;
  if (verifiesLater && !types.includes('text')) {
    const what = 'A user with a `hash`, or of a `url`, needs passwords of the type text.';
    problems.push(finding(['types'], what, 'Add text to `types`, or write the `password`.'));
  }
  if (problems.length > 0) throw new FindingsError(findingsBelow(['usernameToken'], problems));
  const hashed = hashes.size === 0 ? null : hashedUsers(hashes);
  const decision =
    url === undefined ? null : within(['usernameToken'], () => askDecision(service, url, plan));
  return {
    rules: {
      types: new Set(types),
      maxAgeMillis: maxAgeMillis === 'none' ? null : maxAgeMillis,
      toleranceMillis: timestamp.toleranceMillis,
      passwordOf(user) {
        const password = plan.passwords.get(user);
        return password === undefined ? null : currentText(password);
      },
      verifiesLater,
    },
    async verify({ name, password }, address) {
      if (hashed !== null && (hashes.has(name) || decision === null)) {
        const authorization = `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
        await hashed.identify({ headers: { authorization }, address });
      } else if ((await decision?.ask(name, password)) !== true) {
        throw new Refusal('UNAUTHENTICATED', 'user or password');
      }
    },
    close: async () => decision?.close(),
  };
}

/** Their verification is that of HTTP Basic, with its memory and its bounds. */
const hashedUsers = (hashes: ReadonlyMap<string, string>): BasicUsers =>
  new BasicUsers(
    Array.from(hashes, ([name, hash]) => basicUser(name, UNRESTRICTED, hash)),
    new Networks([]),
  );

/** Asks a decision point (the REST interface of Open Policy Agent) about a user and a password. */
function askDecision(
  { name, config }: ServicePlan,
  url: string,
  plan: UsernameTokenPlan,
): { ask(username: string, password: string): Promise<boolean>; close(): Promise<void> } {
  const endpoint = compileAccessEndpoint(
    url,
    plan,
    config.limits.upstream,
    'The decision point of `usernameToken`',
  );
  return {
    async ask(username, password) {
      const input = { service: name, username, password };
      try {
        return isAllowed(
          JSON.parse(await askDecisionPoint(endpoint, JSON.stringify({ input }), null)),
        );
      } catch (error) {
        const reason = error instanceof Refusal ? error.code : 'no JSON';
        throw new Refusal('CREDENTIALS_UNVERIFIED', `usernameToken: ${reason}`, {
          retryAfter: '1',
        });
      }
    },
    close: () => endpoint.close(),
  };
}
