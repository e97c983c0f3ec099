import { parseAddress } from '../config/keys/address.js';

/** Lists of listeners and paths of sockets have no neighbour. */
interface Addresses {
  readonly listen: unknown;
  readonly admin: unknown;
  readonly demo?: { readonly listen: string };
}

type AddressOption = 'listen' | 'admin' | 'demo';

/** An address that is taken often has a neighbour of the same meaning so many ports further. */
const PORTS_FURTHER = 100;

/**
 * The command line that starts the same gateway without the address that is taken; null where
 * options cannot replace it. A demonstration beside another one needs three other addresses.
 */
export function retryCommand(
  config: Addresses,
  taken: AddressOption,
  argv: readonly string[] = process.argv,
  environment: Environment = process.env,
): string | null {
  const [, , command, ...words] = argv;
  if (command !== 'start') return null;
  const moved = config.demo === undefined ? [taken] : (['listen', 'admin', 'demo'] as const);
  const options: string[] = [];
  for (const key of moved) {
    if (key !== taken && hasOption(words, key)) continue;
    const address = furtherOf(key === 'demo' ? config.demo?.listen : config[key]);
    if (address === null) return null;
    options.push(`--${key}`, address);
  }
  const kept = words.filter((_, index) => !isOfOption(words, index, taken));
  return [nameOf(environment), ...kept, ...options].map(quoted).join(' ');
}

/** The address with another port; null for lists of listeners and for sockets. */
function furtherOf(address: unknown): string | null {
  const parsed = typeof address === 'string' ? parseAddress(address) : null;
  if (parsed === null) return null;
  const { host, port } = parsed;
  const shown = host.includes(':') ? `[${host}]` : host;
  return `${shown}:${port + (port + PORTS_FURTHER > 65_535 ? -PORTS_FURTHER : PORTS_FURTHER)}`;
}

const hasOption = (words: readonly string[], key: string): boolean =>
  words.some((word) => word === `--${key}` || word.startsWith(`--${key}=`));

/** Whether a word is an option that is replaced, or its value. */
const isOfOption = (words: readonly string[], index: number, key: AddressOption): boolean =>
  words[index] === `--${key}` ||
  words[index - 1] === `--${key}` ||
  words[index]?.startsWith(`--${key}=`) === true;

/** How the gateway was started: npm tells its scripts. */
function nameOf({ npm_lifecycle_event: script, npm_command: npm }: Environment): string {
  if (script === 'start') return 'npm start --';
  return npm === 'exec' ? 'npx soapstone start' : 'soapstone start';
}

type Environment = Readonly<Record<string, string | undefined>>;

const quoted = (word: string, index: number): string =>
  index === 0 || /^[\w@%+=:,./[\]-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
