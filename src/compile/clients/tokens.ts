import type { Identifier } from '../../access/access.js';
import type { ClientClass } from '../../access/client.js';
import type { TargetUris } from '../../access/network/target-uri.js';
import { DpopProofs } from '../../access/tokens/dpop-proofs.js';
import { IntrospectedTokens } from '../../access/tokens/introspection.js';
import type { FetchKeys } from '../../access/tokens/issuer-keys.js';
import { ProofNonces } from '../../access/tokens/proof-nonces.js';
import { TokenBinding } from '../../access/tokens/token-binding.js';
import type { TokenClientRules } from '../../access/tokens/token-client.js';
import { TokenIssuer, type TokenKeys, Tokens } from '../../access/tokens/tokens.js';
import { validateKeySet } from '../../config/clients/key-set.js';
import type { IntrospectionPlan, IssuerPlan } from '../../config/plans/client-plan.js';
import type { Config } from '../../config/schema.js';
import { KIB, type observing } from '../../core/index.js';
import { currentText } from '../../gateway/rotating-text.js';
import {
  authentication,
  fetching,
  type Upstream,
  type UpstreamLimits,
} from '../../upstream/index.js';
import { compileAccessEndpoint } from '../backend/access-endpoint.js';
import { postForm } from '../backend/post-form.js';
import { Kept } from '../keep.js';
import type { AccessParts, LateWarnings } from './access-parts.js';

export const ISSUER_KEYS = new Kept<TokenKeys>(
  'keys of token issuers',
  'if the configuration of the issuer is the same',
);

type ClientsConfig = NonNullable<Config['clients']>;
type IntrospectionConfig = NonNullable<ClientsConfig['introspection']>;
type Classes = ReadonlyMap<string, ClientClass>;

/** Limits of fetching an issuer's keys. */
const KEYS_BYTES_MAX = 256 * KIB;
const KEYS_MILLIS = 5000;

/**
 * Compiles `clients.jwt`. Errors in the keys of an issuer turn out when these are fetched: they go
 * to `late`. Keys of the generation before are kept.
 */
export function compileTokens(
  plans: readonly IssuerPlan[],
  classes: Classes,
  {
    late,
    keeping,
    leavesOthers,
    proofs,
  }: Pick<AccessParts, 'late' | 'keeping'> & {
    readonly leavesOthers: boolean;
    readonly proofs: ProofParts;
  },
): Identifier {
  const issuers = plans.map((plan) => {
    const { keys: issuer } = plan;
    const keys = keysOf(plan, late);
    const rules = {
      ...issuer,
      ...clientRules(issuer, classes),
      binding: bindingOf(issuer, proofs),
    };
    const made = new TokenIssuer(rules, keys);
    const named = JSON.stringify(issuer);
    made.keys.keep(ISSUER_KEYS.find(keeping, named, null));
    ISSUER_KEYS.set(keeping, named, null, made.keys);
    return made;
  });
  return new Tokens(issuers, leavesOthers);
}

/** Fetches the keys of an issuer; reports each error in them once. */
function keysOf({ keys, jwksUrl: at }: IssuerPlan, late: LateWarnings): FetchKeys {
  const { jwks, jwksUrl, algorithms } = keys;
  // The rules of the configuration have validated them.
  if (jwks !== undefined || jwksUrl === undefined) return () => Promise.resolve(jwks ?? '');
  let reported: string | null = null;
  const report = (what: string | null, remedy: string | null): void => {
    if (what !== null && what !== reported) {
      late.report({ ...at.place, what: `The key set of ${at.name} ${what}`, remedy });
    }
    reported = what;
  };
  return async () => {
    try {
      const { body } = await fetching.fetchDocument(jwksUrl, {
        maxBytes: KEYS_BYTES_MAX,
        timeoutMillis: KEYS_MILLIS,
      });
      const text = body.toString('utf8');
      const fault = validateKeySet(text, algorithms);
      report(fault?.what ?? null, fault?.remedy ?? null);
      return text;
    } catch (error) {
      report(`${error instanceof Error ? error.message : 'cannot be fetched'}.`, null);
      throw error;
    }
  };
}

/** Compiles `clients.introspection`. `endpoint` is to be closed in the end. */
export function compileIntrospection(
  plan: IntrospectionPlan,
  limits: UpstreamLimits,
  classes: Classes,
  proofs: ProofParts,
): { readonly identifier: Identifier; readonly endpoint: Upstream } {
  const { keys: config } = plan;
  const { url, clientId, clientAuth, audience = null } = config;
  const endpoint = compileAccessEndpoint(url, plan, limits, 'The introspection endpoint');
  const oauth = {
    url,
    clientId,
    clientAuth: { kind: clientAuth, secret: () => currentText(plan.clientSecret) },
    post: (headers: readonly string[], form: string, observer: observing.CallObserver | null) =>
      postForm(endpoint, headers, form, observer),
  };
  const rules = {
    ...config,
    audience,
    ...clientRules(config, classes),
    binding: bindingOf(config, proofs),
  };
  return {
    identifier: new IntrospectedTokens(rules, (token, observer) =>
      authentication.introspectToken(oauth, token, observer),
    ),
    endpoint,
  };
}

/** What proofs are verified by, whatever the issuer of their tokens. */
export interface ProofParts {
  readonly targets: TargetUris;
  readonly limits: Config['limits'];
}

function bindingOf(
  { proof, dpop: { nonce, maxAgeMillis, keys = [] } }: Pick<IntrospectionConfig, 'proof' | 'dpop'>,
  { targets, limits }: ProofParts,
): TokenBinding {
  const nonces = nonce ? new ProofNonces(keys, maxAgeMillis) : null;
  const proofsMax = limits.http.proofs;
  return new TokenBinding(proof, new DpopProofs({ targets, maxAgeMillis, nonces, proofsMax }));
}

type ClaimConfig = Pick<
  IntrospectionConfig,
  'clientClaim' | 'logAs' | 'scopesClaim' | 'classClaim' | 'class'
>;

function clientRules(config: ClaimConfig, classes: Classes): TokenClientRules {
  const { clientClaim, logAs, scopesClaim, classClaim = null, class: of } = config;
  const otherwise = (of === undefined ? null : classes.get(of)) ?? null;
  return { clientClaim, logAs, scopesClaim, classClaim, classes, otherwise };
}
