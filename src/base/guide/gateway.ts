import type { RefusalGuide } from './guide.js';

/** Why requests are refused, and the remedies: rights, budgets and the gateway itself. */
export const GATEWAY_GUIDE = {
  UNAUTHENTICATED: {
    why: '`clients` is configured, and the request identifies no client.',
    change: 'Send the API key, token, certificate or password that `clients` names. The log line has the reason.',
  },
  FORBIDDEN: {
    why: 'The rights of the client do not cover what it asked for.',
    change: 'Change `allow`, `deny` or the class of the client, or `scopes` of its token.',
  },
  RATE_LIMITED: {
    why: 'The budget of the client is spent, or it has too much in progress.',
    change: 'Wait as long as `Retry-After` says. `clients.classes.<class>.budget` and `requestsAtOnce` are the limits.',
  },
  CREDENTIALS_UNVERIFIED: {
    why: 'The authorization server, or the keys of the issuer, cannot be reached: the credentials may be good.',
    change: 'Try again; check `clients.introspection` and `jwksUrl` from the host of the gateway.',
  },
  OVERLOADED: {
    why: 'The process has more to do than it can: a share of new requests is turned away before they cost anything.',
    change: 'Add processes (`workers`) or replicas. `soapstone_event_loop_delay_seconds` shows the load.',
  },
  CLIENT_GONE: {
    why: 'The client closed its connection before its answer: nothing was refused.',
    change: 'Compare the time-out of the client with the duration of its calls.',
  },
  INTERNAL: {
    why: 'A bug of the gateway, or a limit of the process.',
    change: 'The log line `a bug` with the same id has the stack: report it. Callers see nothing of it.',
  },
} as const satisfies Record<string, RefusalGuide>;
