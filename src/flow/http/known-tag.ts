/**
 * Whether If-None-Match names this tag, by weak comparison (RFC 9110 section 13.1.2). `opaque`: its
 * quotes and what is in them.
 */
export function isKnownTag(field: string | undefined, opaque: string): boolean {
  if (field === undefined) return false;
  return (
    field.trim() === '*' ||
    field.split(',').some((each) => each.trim().replace(/^W\//, '') === opaque)
  );
}
