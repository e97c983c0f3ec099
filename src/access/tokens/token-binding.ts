import { Buffer } from 'node:buffer';
import { isRecord } from '../../core/index.js';
import type { CallerIdentity, Client, ClientCertificate } from '../client.js';
import { dpopRefusal, type TokenSchemes } from '../token-challenge.js';
import type { DpopProofs } from './dpop-proofs.js';
import { type PresentedToken, tokenRefusal } from './presented-token.js';

/** How tokens must be bound to their client: to a key, to a certificate, to one of them. */
export type ProofDemand = 'none' | 'dpop' | 'mtls' | 'either';

/** The schemes by which tokens of these rules are accepted, as challenges name them. */
export const schemesOf = (bindings: readonly TokenBinding[]): TokenSchemes => ({
  bearer: bindings.some(({ demand }) => demand !== 'dpop'),
  dpop: bindings.some(({ demand }) => demand === 'dpop' || demand === 'either'),
});

/**
 * Holds tokens to their binding: a token that is bound to a key needs a proof of each request (RFC
 * 9449), one that is bound to a certificate a connection with it (RFC 8705 section 3), whether the
 * rules demand a binding or not.
 */
export class TokenBinding {
  readonly demand: ProofDemand;
  readonly #proofs: DpopProofs;

  constructor(demand: ProofDemand, proofs: DpopProofs) {
    this.demand = demand;
    this.#proofs = proofs;
  }

  /**
   * Returns the client of a token if the request proves what the token is bound to. Throws, or
   * rejects with, a `Refusal`.
   */
  verify(
    client: Client,
    { scheme, token }: PresentedToken,
    caller: CallerIdentity,
  ): Client | Promise<Client> {
    const { key, certificate } = this.#bindingOf(client);
    if (certificate !== null && certificate !== thumbprintOf(caller.certificate ?? null)) {
      throw tokenRefusal('token is bound to another certificate');
    }
    if (key === null) {
      if (scheme === 'dpop') throw dpopRefusal('invalid_token', 'token is bound to no key');
      return client;
    }
    if (scheme !== 'dpop') {
      throw dpopRefusal('invalid_token', 'token is bound to a key, and came by another scheme');
    }
    return this.#proofs.verify(token, key, caller).then(() => client);
  }

  #bindingOf({ claims }: Client): Binding {
    const confirmation = claims?.['cnf'];
    const binding = confirmation === undefined ? UNBOUND : bindingIn(confirmation);
    const { key, certificate } = binding;
    const { demand } = this;
    if (demand === 'mtls' && certificate === null) {
      throw tokenRefusal('token is bound to no certificate');
    }
    if (demand === 'dpop' && key === null) {
      throw dpopRefusal('invalid_token', 'token is bound to no key');
    }
    if (demand === 'either' && key === null && certificate === null) {
      throw dpopRefusal('invalid_token', 'token is bound to nothing');
    }
    return binding;
  }
}

interface Binding {
  /** The thumbprint of a key; null: the token is bound to none. */
  readonly key: string | null;
  readonly certificate: string | null;
}

const UNBOUND: Binding = { key: null, certificate: null };

/** Throws where a token is bound to something of another kind, which cannot be verified. */
function bindingIn(confirmation: unknown): Binding {
  const { jkt, 'x5t#S256': x5t } = isRecord(confirmation) ? confirmation : {};
  if (jkt === undefined && x5t === undefined) throw unknownBinding();
  return { key: textOrNone(jkt), certificate: textOrNone(x5t) };
}

function textOrNone(value: unknown): string | null {
  if (value === undefined) return null;
  if (typeof value !== 'string' || value === '') throw unknownBinding();
  return value;
}

const unknownBinding = () => tokenRefusal('token is bound to another thing');

const thumbprintOf = (certificate: ClientCertificate | null): string | null =>
  certificate === null
    ? null
    : Buffer.from(certificate.fingerprint.replaceAll(':', ''), 'hex').toString('base64url');
