import { createHash, randomUUID } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { Networks } from '../../src/access/network/networks.js';
import { TargetUris } from '../../src/access/network/target-uri.js';
import { DpopProofs, type ProofRules } from '../../src/access/tokens/dpop-proofs.js';
import { type ProofDemand, TokenBinding } from '../../src/access/tokens/token-binding.js';

type Members = Readonly<Record<string, unknown>>;

/** A client with a key that it proves to have (RFC 9449). */
export interface Prover {
  /** The thumbprint of its key, which a token is bound to: `cnf: { jkt }`. */
  readonly thumbprint: string;
  readonly jwk: Members;
  readonly privateJwk: Members;
  /**
   * A proof for a request with this token; `claims` and `header` replace members, undefined leaves
   * one away.
   */
  proof(request: ProvenCall, claims?: Members, header?: Members): Promise<string>;
  /** The header fields of a request with this token. */
  fields(request: ProvenCall, claims?: Members): Promise<{ authorization: string; dpop: string }>;
}

interface ProvenCall {
  readonly url: string;
  readonly token: string;
  readonly method?: string;
}

export async function makeProver(alg = 'ES256'): Promise<Prover> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)) };
  const proof: Prover['proof'] = ({ url, token, method = 'POST' }, claims = {}, header = {}) => {
    const { origin, pathname } = new URL(url);
    const ath = createHash('sha256').update(token).digest('base64url');
    const iat = Math.floor(Date.now() / 1000);
    const own = { jti: randomUUID(), htm: method, htu: `${origin}${pathname}`, iat, ath };
    return new SignJWT({ ...own, ...claims })
      .setProtectedHeader({ typ: 'dpop+jwt', alg, jwk, ...header })
      .sign(privateKey);
  };
  return {
    thumbprint: await calculateJwkThumbprint(jwk),
    jwk,
    privateJwk: { ...(await exportJWK(privateKey)) },
    proof,
    fields: async (request, claims) => ({
      authorization: `DPoP ${request.token}`,
      dpop: await proof(request, claims),
    }),
  };
}

/** A binding for tests of other rules. */
export const bindingBy = (demand: ProofDemand, rules: Partial<ProofRules> = {}): TokenBinding =>
  new TokenBinding(
    demand,
    new DpopProofs({
      targets: new TargetUris({
        publicUrl: 'https://api.example',
        hosts: [],
        listenHosts: [],
        proxies: new Networks([]),
      }),
      maxAgeMillis: 60_000,
      nonces: null,
      proofsMax: 100,
      ...rules,
    }),
  );
