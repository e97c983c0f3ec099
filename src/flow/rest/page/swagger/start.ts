import { operationList } from './operations.js';

/** The global of the script before this one, as far as it is used here. */
declare const SwaggerUIBundle: (options: Readonly<Record<string, unknown>>) => unknown;

interface PageRequest {
  url: string;
  headers: Record<string, string>;
}

/** The header field that a person has given, for each request of the page. It is kept nowhere. */
let given: readonly [name: string, value: string] | null = null;

/** Reads `x-api-key: ...`; null for another text. */
function readField(text: string): typeof given {
  const at = text.indexOf(':');
  const name = text.slice(0, at).trim();
  return at > 0 && /^[\w-]+$/.test(name) ? [name, text.slice(at + 1).trim()] : null;
}

function show(): void {
  SwaggerUIBundle({
    url: 'openapi.json',
    dom_id: '#openapi',
    // Nothing of the description goes to another host.
    validatorUrl: null,
    queryConfigEnabled: false,
    // The address of an operation is that of the page and its id.
    deepLinking: true,
    filter: true,
    plugins: [operationList],
    requestInterceptor(request: PageRequest): PageRequest {
      const isOwn = new URL(request.url, location.href).origin === location.origin;
      if (given !== null && isOwn) {
        request.headers[given[0]] = given[1];
      }
      return request;
    },
  });
}

const darkness = matchMedia('(prefers-color-scheme: dark)');
const followDarkness = (): void => {
  document.documentElement.classList.toggle('dark-mode', darkness.matches);
};
darkness.addEventListener('change', followDarkness);
followDarkness();

const form = document.querySelector('form');
form?.addEventListener('submit', (event) => {
  event.preventDefault();
  const field = form.querySelector('input');
  given = readField(field?.value ?? '');
  field?.setCustomValidity(
    given === null && field.value !== '' ? 'Write a name, a colon and a value.' : '',
  );
  if (field?.reportValidity() === true) {
    show();
  }
});
show();
