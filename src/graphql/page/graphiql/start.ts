import { fetchGraphql } from './fetcher.js';

/** The globals of the scripts before this one, as far as they are used here. */
declare const React: {
  createElement(type: unknown, props: Readonly<Record<string, unknown>>): unknown;
};
declare const ReactDOM: { createRoot(element: Element): { render(node: unknown): void } };
declare const GraphiQL: unknown;

interface FetcherOptions {
  /** Those of the headers editor. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const place = document.getElementById('graphiql');
if (place !== null) {
  const { example = '' } = place.dataset;
  place.replaceChildren();
  for (const { style } of [document.documentElement, document.body, place]) {
    style.height = '100%';
    style.margin = '0';
  }
  const fetcher = (params: unknown, options?: FetcherOptions) =>
    fetchGraphql(location.pathname, params, options?.headers ?? {});
  const props = { fetcher, defaultQuery: example, defaultEditorToolsVisibility: 'variables' };
  ReactDOM.createRoot(place).render(React.createElement(GraphiQL, props));
}
