import type { ConfigurationLimitsKeys } from '../configuration-keys.js';

/** The messages of a stream, and what rules are compiled with. */
export interface MessageOptions {
  /** The Content-Type of the message; absent: an envelope that declares its encoding. */
  readonly contentType?: string;
  /** Versions of SOAP that are taken; `1.1` and `1.2` where it is absent. */
  readonly versions?: readonly ('1.1' | '1.2' | '2001-12')[];
  /** `limits` of a configuration, such as `{ xml: { messageBytes: 1000000 } }`. */
  readonly limits?: ConfigurationLimitsKeys;
  /** The folder in which paths begin; the working directory where it is absent. */
  readonly folder?: string;
  /** The variables that values may name; those of the process where it is absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}
