import type { SourceOptions } from './import/import-source.js';

/** An option of the command line. */
interface SourceOption {
  readonly flags: string;
  readonly description: string;
  /** It may be given again. */
  readonly isRepeated?: true;
}

/** The options that say how a WSDL, and the documents that it names, are read. */
export const SOURCE_OPTIONS: readonly SourceOption[] = [
  {
    flags: '--root <folder>',
    description:
      'folder that the files of the WSDL may lie in; by default its own and those near it',
  },
  {
    flags: '--user <name:password>',
    description: `credentials for the host of the WSDL; the password as \${NAME} of a variable`,
  },
  { flags: '--user-file <file>', description: 'a file that holds name:password' },
  {
    flags: '--header <line>',
    description: `a header for the host of the WSDL, secrets in it as \${NAME} of a variable`,
    isRepeated: true,
  },
  {
    flags: '--proxy <url>',
    description: `the HTTP proxy on the way to the WSDL, its password as \${NAME}; or environment`,
  },
  {
    flags: '--ca <file>',
    description: 'the authorities that are trusted, as PEM, instead of those of Node',
  },
  { flags: '--cert <file>', description: 'a certificate for the host of the WSDL, as PEM' },
  { flags: '--key <file>', description: 'its private key, as PEM' },
  { flags: '--passphrase <text>', description: `of that key, as \${NAME} of a variable` },
  {
    flags: '--allow-host <host>',
    description: 'a further host that documents may come from',
    isRepeated: true,
  },
  {
    flags: '--allow-private',
    description: 'those hosts may have private addresses',
  },
];

/** The option of commands that load a configuration. */
export interface ConfigFlags {
  readonly config?: string;
}

/** Those of `try`. */
export interface TryFlags extends SourceFlags {
  readonly listen?: string;
  readonly url?: string;
}

/** Those of `mock`. */
export interface MockFlags extends SourceFlags, ConfigFlags {
  readonly listen: string;
  readonly answers?: string;
}

/** Those of `replay`. */
export interface ReplayFlags extends ConfigFlags {
  readonly against: string;
  readonly json: boolean;
  readonly junit?: string;
  readonly header: readonly string[];
  readonly replaced: boolean;
  readonly rate?: string;
  readonly writes?: string;
  readonly ignore: readonly string[];
}

/** Those of `import`. */
export interface ImportFlags extends SourceFlags {
  readonly output?: string;
  readonly into?: string;
  readonly name?: string;
  readonly port: readonly string[];
  readonly json: boolean;
  readonly force: boolean;
}

/** The values of `SOURCE_OPTIONS`. */
export interface SourceFlags {
  readonly root?: string;
  readonly user?: string;
  readonly userFile?: string;
  readonly proxy?: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly passphrase?: string;
  readonly header: readonly string[];
  readonly allowHost: readonly string[];
  readonly allowPrivate?: boolean;
}

/** The source of a WSDL by these options. */
export const sourceFrom = ({
  header,
  allowHost,
  allowPrivate = false,
  ...flags
}: SourceFlags): SourceOptions => ({
  headers: header,
  allowHosts: allowHost,
  allowPrivate,
  user: flags.user ?? null,
  userFile: flags.userFile ?? null,
  route: {
    proxy: flags.proxy ?? null,
    ca: flags.ca ?? null,
    cert: flags.cert ?? null,
    key: flags.key ?? null,
    passphrase: flags.passphrase ?? null,
  },
  root: flags.root ?? null,
});

/** For options that may be repeated. */
export const collect = (value: string, before: readonly string[]): readonly string[] => [
  ...before,
  value,
];
