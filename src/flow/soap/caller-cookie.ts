import { hasPathPrefix } from '../../compile/listen/routes.js';

/**
 * A cookie that a backend sets, for callers of a service at this path (RFC 6265 section 5): they
 * would not send it back to the host of the backend, nor to its path. A path that holds the one of
 * the service stays.
 */
export function callerCookie(cookie: string, servicePath: string): string {
  const [pair = '', ...attributes] = cookie.split(';');
  const kept = attributes.flatMap((attribute) => {
    const [name = '', value = ''] = attribute.split('=', 2).map((part) => part.trim());
    switch (name.toLowerCase()) {
      case 'domain':
        return [];
      case 'path':
        // One that does not begin with a slash is none.
        return [
          !value.startsWith('/') || hasPathPrefix(servicePath, value)
            ? attribute
            : ` Path=${servicePath}`,
        ];
      default:
        return [attribute];
    }
  });
  return [pair, ...kept].join(';');
}
