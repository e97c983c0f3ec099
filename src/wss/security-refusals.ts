import { Refusal } from '../core/index.js';

/**
 * The refusals of verification, by the faults of WS-Security 1.1 section 12. `rule` is shown to the
 * caller where the table of explanations allows; `detail` and `found` are for the log alone. No
 * secret may be in `found`: it has the name of a user, subject, issuer, audience or algorithm, or a
 * time.
 */
export const invalidSecurity = (rule: string): Refusal => new Refusal('wsse:InvalidSecurity', rule);

/** A signature or digest does not match: which one is for the log. */
export const failedCheck = (detail: string, found: string | null = null): Refusal =>
  new Refusal('wsse:FailedCheck', detail, { found });

/**
 * A comment beside text in what is signed: readers differ in the text they take, and no digest
 * covers the comment.
 */
export const commentInText = (): Refusal =>
  new Refusal('wsse:FailedCheck', 'a comment in a text that is signed', { text: COMMENT_IN_TEXT });

const COMMENT_IN_TEXT =
  'A signed element holds a comment beside its text, which the signature does not cover. ' +
  'Send it without comments.';

export const unsupportedAlgorithm = (what: string, found: string | null = null): Refusal =>
  new Refusal('wsse:UnsupportedAlgorithm', what, { found });

export const unsupportedToken = (what: string): Refusal =>
  new Refusal('wsse:UnsupportedSecurityToken', what);

export const invalidToken = (what: string): Refusal =>
  new Refusal('wsse:InvalidSecurityToken', what);

export const tokenUnavailable = (what: string): Refusal =>
  new Refusal('wsse:SecurityTokenUnavailable', what);

/** The credentials are not good, whatever is wrong with them: that is for the log alone. */
export const failedAuthentication = (
  detail: string,
  found: string | null = null,
  expected: readonly string[] = [],
): Refusal => new Refusal('wsse:FailedAuthentication', detail, { found, facts: { expected } });

export const messageExpired = (rule: string, found: string | null = null): Refusal =>
  new Refusal('wsse:MessageExpired', rule, { found });
