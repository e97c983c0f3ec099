/**
 * The scheme in `X-Forwarded-Proto` of a trusted proxy; null for none. Of several the last one
 * counts, which the peer itself has added.
 */
export function forwardedScheme(
  field: string | readonly string[] | undefined,
): 'http' | 'https' | null {
  const text = typeof field === 'string' ? field : (field?.join(',') ?? '');
  const scheme = text
    .slice(text.lastIndexOf(',') + 1)
    .trim()
    .toLowerCase();
  return scheme === 'http' || scheme === 'https' ? scheme : null;
}
