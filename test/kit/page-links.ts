/** The addresses in a page, as a browser understands them. */
export const linksIn = (page: string, url: string): readonly string[] =>
  [...page.matchAll(/(?:src|href)="([^"]*)"/g)]
    .map(([, link = '']) => link)
    .filter((link) => !link.startsWith('data:'))
    .map((link) => new URL(link, url).href);
