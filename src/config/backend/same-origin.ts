/** Whether two addresses have one scheme, host and port (RFC 6454). */
export const sameOrigin = (one: string, other: string): boolean =>
  URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin;
