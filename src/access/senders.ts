import { Refusal } from '../core/index.js';
import { x509 } from '../wss/index.js';
import type { Identifier } from './access.js';
import { type Client, type ClientClass, clientOf, type MessageSender } from './client.js';
import { labelOf } from './label.js';
import { clientAddress, subscriberOf } from './network/address.js';
import type { Networks } from './network/networks.js';

/**
 * A client that the configuration names by what its messages prove. Exactly one of the three is
 * given.
 */
export interface SenderClient {
  readonly name: string;
  readonly rights: ClientClass;
  /** The subject of the certificate that signs, in the form of RFC 4514. */
  readonly certificate: string | null;
  /** The user of a UsernameToken. */
  readonly user: string | null;
  readonly saml: { readonly issuer: string; readonly subject: string } | null;
}

/** The class of clients whose message is not verified yet: they may call nothing. */
const UNVERIFIED: ClientClass = {
  name: '_unverified',
  key: 'unverified',
  budget: null,
  requestsAtOnce: null,
  costBreakdown: false,
  scopes: new Set(),
  permitsAll: false,
  permits: () => false,
  permitsSome: () => false,
  permitsRoute: () => false,
};

/**
 * Identifies clients by the WS-Security of their messages. Until the Header of a message is
 * verified its client may call nothing; then it is the client of the sender. `others` is the class
 * of senders that are not listed; null: they are refused.
 */
export function senders(
  clients: readonly SenderClient[],
  others: ClientClass | null,
  proxies: Networks,
): Identifier {
  const bySender = new Map(
    clients.map((client) => {
      const { name, rights } = client;
      const id = `wsSecurity:${name}`;
      return [
        configuredKey(client),
        Object.freeze(clientOf('wsSecurity', { id, name, label: id }, rights)),
      ];
    }),
  );
  const clientOfSender = (sender: MessageSender): Client => {
    const key = keyOf(sender);
    const listed = bySender.get(key);
    if (listed !== undefined) return { ...listed, claims: claimsOf(sender) };
    if (others === null) {
      throw new Refusal('FORBIDDEN', 'the sender is listed nowhere', {
        found: 'clients.wsSecurity',
      });
    }
    const id = `wsSecurity:${key}`;
    const client = clientOf(
      'wsSecurity',
      { id, name: null, label: labelOf('wsSecurity', id) },
      others,
    );
    return { ...client, claims: claimsOf(sender) };
  };
  return {
    identify(caller) {
      if (caller.isMessageVerified !== true) return null;
      const id = `unverified:${subscriberOf(clientAddress(caller, proxies))}`;
      const client = clientOf('wsSecurity', { id, name: null, label: id }, UNVERIFIED);
      return { ...client, isAuthenticated: false, clientOfSender };
    },
    /** The credentials are in the message, which goes on as it is. */
    withhold() {},
  };
}

/**
 * Attributes with one value are that value, as claims of tokens are. The subject is the sender,
 * whatever they say.
 */
function claimsOf({ name: subject, attributes }: MessageSender): Readonly<Record<string, unknown>> {
  const claims: Record<string, unknown> = Object.create(null);
  for (const [name, values] of attributes) {
    claims[name] = values.length === 1 ? values[0] : values;
  }
  claims['sub'] = subject;
  return claims;
}

const keyOf = (sender: MessageSender): string => {
  switch (sender.by) {
    case 'certificate':
      return `certificate:${x509.nameKey(sender.name) ?? sender.name}`;
    case 'user':
      return `user:${sender.name}`;
    case 'saml':
      return samlKey(sender.issuer, sender.name);
  }
};

const configuredKey = ({ certificate, user, saml }: SenderClient): string => {
  if (certificate !== null)
    return `certificate:${x509.configuredNameKey(certificate) ?? certificate}`;
  return saml === null ? `user:${user ?? ''}` : samlKey(saml.issuer, saml.subject);
};

/** Both may hold any characters. */
const samlKey = (issuer: string, subject: string): string =>
  `saml:${JSON.stringify([issuer, subject])}`;
