import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { diagnosis, errorCode } from '../core/index.js';
import type { ExitCode, Terminal } from '../process/terminal.js';

/**
 * Writes a configuration with comments, which starts as it is. Throws `ConfigurationError` when
 * there is one already.
 */
export async function init(file: string, terminal: Terminal): Promise<ExitCode> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, CONFIGURATION, { flag: 'wx' }).catch((error: unknown) => {
    const code = errorCode(error) ?? 'unknown error';
    const isThere = code === 'EEXIST';
    const what = isThere ? 'There is a configuration already.' : `It cannot be written (${code}).`;
    const remedy = isThere
      ? 'Give another file: soapstone init FILE.'
      : 'Give a file in a folder of yours.';
    throw diagnosis.unplacedError(what, remedy, file);
  });
  terminal.out(`Written: ${file}

Next:
  1. Put the WSDL and the address of your backend into it.
  2. soapstone check -c ${file}
  3. soapstone start -c ${file}

With a WSDL at hand, \`soapstone import WSDL -o FOLDER\` writes the mapping of its operations \
too.`);
  return 0;
}

const CONFIGURATION = `\
# The configuration of Soapstone. Lines behind \`#\` that look like keys are examples.
# Every key, its unit and its default: config/README.md of the package.
# Errors and warnings: soapstone check

listen: 127.0.0.1:4000 # callers: SOAP at /soap/<service>, GraphQL at /graphql
admin: 127.0.0.1:4001 # operators: the console, /metrics, /live, /ready, POST /reload

services:
  backend: # its name in paths, metrics and logs
    url: http://127.0.0.1:8080/service # the backend; for several addresses: urls
    versions: ["1.1", "1.2"] # dialects of SOAP that callers may speak

    # With its WSDL, operations become fields of GraphQL, and content is validated:
    # wsdl: service.wsdl

    # The fields of GraphQL. Without this key every operation has one, named after it.
    # operations:
    #   GetOrder: { field: Query.order }
    #   PlaceOrder: { field: Mutation.placeOrder }

    # What breaks the rules is refused. To see first what that would be:
    # mode: monitor

    # What the backend demands of the gateway. Secrets come from the environment or from files:
    # auth: { basic: { username: gateway, password: "\${BACKEND_PASSWORD}" } }
    # headers: { x-system: web }
    # timeoutMillis: 30000

# Who may call, and how much. Without this key every client may, without a budget:
# clients:
#   classes:
#     partner: { budget: { maximum: 1000, restoreRate: 50 }, allow: [backend] }
#   apiKeys:
#     header: x-api-key
#     clients:
#       acme: { class: partner, keys: ["\${ACME_KEY}"] }

# Pages of other origins that may use GraphQL from a browser:
# graphql: { cors: { origins: ["https://shop.example"] } }

# A changed file is a reload. To reload only on SIGHUP and POST /reload:
# reload: { watch: false }

# Every limit has a default. One that is often changed:
# limits:
#   xml: { messageBytes: 10000000 }
`;
