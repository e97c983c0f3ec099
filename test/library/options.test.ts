import type { ReadableWritablePair } from 'node:stream/web';
import t from 'tap';
import { isRecord } from '../../src/core/index.js';
import { mappingFromWsdl, printedSchema, schemaFromWsdl } from '../../src/library/schema.js';
import { signMessage, verifyStream } from '../../src/library/security.js';
import { ConfigurationError, startGateway } from '../../src/library/soapstone.js';

/*
 * Programs without types give what the types refuse. `Reflect.apply` stands for such a program.
 */

type Callable = (...parameters: never[]) => unknown;

const WSDL = 'config/demo/legacy.wsdl';

const EMPTY = { listen: '127.0.0.1:0', services: {} };

const RULES = { timestamp: { required: true } };

/** A function, its parameters, and the beginning of its error. */
const WRONG: readonly (readonly [Callable, readonly unknown[], RegExp])[] = [
  [startGateway, [], /^The configuration is absent\. Give the name of a file, or an object /],
  [startGateway, [null], /^The configuration is null\. /],
  [startGateway, [[EMPTY]], /^The configuration is a list\. /],
  [startGateway, [new URL('file:///a.yaml')], /^The configuration is a URL\. /],
  [startGateway, [EMPTY, null], /^The options of `startGateway` are null\. Give an object\./],
  [
    startGateway,
    [EMPTY, { logg: 1 }],
    /^`logg` is no option of `startGateway`\. Did you mean `log`/,
  ],
  [
    startGateway,
    [EMPTY, { constructor: 1 }],
    /^`constructor` is no option of `startGateway`\. It /,
  ],
  [
    startGateway,
    [EMPTY, { log: 'x' }],
    /^The option `log` of `startGateway` is a text\. Give a fu/,
  ],
  [schemaFromWsdl, [], /^The location of the WSDL is no text and no URL\. Give a path, or a URL /],
  [schemaFromWsdl, ['ftp://a/b.wsdl'], /^A WSDL is not read from an address with `ftp:`\. /],
  [schemaFromWsdl, [WSDL, null], /^The options of `schemaFromWsdl` are null\. /],
  [
    schemaFromWsdl,
    [WSDL, { caller: {} }],
    /^The option `caller` of `schemaFromWsdl` is an object\. /,
  ],
  [schemaFromWsdl, [WSDL, { url: 7 }], /^The option `url` of `schemaFromWsdl` is a number\. /],
  [
    printedSchema,
    [WSDL, { configuration: [] }],
    /^The option `configuration` of `printedSchema` is /,
  ],
  [
    mappingFromWsdl,
    [WSDL, { nam: 'a' }],
    /^`nam` is no option of `mappingFromWsdl`\. Did you mean /,
  ],
];

t.test('functions say which parameter is wrong, and what to give', async (t) => {
  for (const [called, parameters, message] of WRONG) {
    await t.rejects(
      async () => Reflect.apply(called, undefined, parameters),
      { name: 'ConfigurationError', message },
      message.source,
    );
  }
});

const STREAMS: typeof WRONG = [
  [verifyStream, [], /^The rules of `verifyStream` are absent\. /],
  [verifyStream, [RULES, { version: ['1.1'] }], /^`version` is no option of `verifyStream`\. Did /],
  [
    verifyStream,
    [RULES, { versions: '1.1' }],
    /^The option `versions` of `verifyStream` is a text/,
  ],
  [signMessage, [null], /^The rules of `signMessage` are null\. /],
  [
    signMessage,
    [{ timestamp: true }, { claims: 'a' }],
    /^The option `claims` of `signMessage` is a /,
  ],
];

t.test('a stream fails of wrong rules and options when it is read', async (t) => {
  for (const [called, parameters, message] of STREAMS) {
    const stream: unknown = Reflect.apply(called, undefined, parameters);
    if (!isPair(stream)) throw new Error('no stream');
    const verified = 'verified' in stream ? Promise.resolve(stream.verified) : null;
    const failed = verified === null ? null : t.rejects(verified, ConfigurationError);
    const read = new Blob(['<a/>']).stream().pipeThrough(stream).getReader().read();
    await t.rejects(read, { name: 'ConfigurationError', message }, message.source);
    await failed;
  }
});

type Pair = ReadableWritablePair<Uint8Array, Uint8Array>;

const isPair = (stream: unknown): stream is Pair =>
  isRecord(stream) && 'readable' in stream && 'writable' in stream;
