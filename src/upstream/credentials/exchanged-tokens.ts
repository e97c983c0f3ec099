import { collections, Refusal, type SubjectToken } from '../../core/index.js';
import { OAuth2, type OAuth2Options } from './oauth2.js';
import type { TokenSource } from './token-source.js';

/** Subjects whose tokens are kept, of one service. Those that called longest ago are forgotten. */
const SUBJECTS_MAX = 10_000;

/** The tokens of a backend for each subject: one subject never gets the token of another. */
export class ExchangedTokens {
  readonly #options: OAuth2Options;
  readonly #bySubject: collections.BoundedCache<Subject>;

  constructor(options: OAuth2Options, subjectsMax = SUBJECTS_MAX) {
    this.#options = options;
    this.#bySubject = new collections.BoundedCache({
      entries: subjectsMax,
      size: subjectsMax,
      sizeOf: () => 1,
    });
  }

  /** The tokens for a caller. Without a verified token of its own it gets none. */
  of(subject: SubjectToken | null): TokenSource {
    if (subject === null) return NO_TOKENS;
    let known = this.#bySubject.get(subject.key);
    if (known === undefined) {
      known = new Subject(this.#options, subject.token);
      this.#bySubject.set(subject.key, known);
    }
    // The next exchange is by the latest token, which is good for longest.
    known.token = subject.token;
    return known.tokens;
  }

  async close(): Promise<void> {
    await this.#options.close();
  }
}

class Subject {
  token: string;
  readonly tokens: OAuth2;

  constructor(options: OAuth2Options, token: string) {
    this.token = token;
    const parameters = async () => ({
      subject_token: this.token,
      subject_token_type: ACCESS_TOKEN,
    });
    this.tokens = new OAuth2({
      ...options,
      grant: { type: TOKEN_EXCHANGE, parameters },
      close: async () => {},
    });
  }
}

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

const noToken = (): never => {
  throw new Refusal('UPSTREAM_AUTH', 'the caller has no token that could be exchanged');
};

const NO_TOKENS: TokenSource = {
  token: noToken,
  renew: noToken,
  canRenew: () => false,
  accepted: () => {},
  close: async () => {},
};
