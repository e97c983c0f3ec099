import { AT_ONCE } from '../../../src/core/time-slices.js';
import { parseTree } from '../../../src/wsdl/documents/parse.js';
import type { XmlNode } from '../../../src/wsdl/documents/xml-tree.js';
import { SOAP_11, SOAP_12 } from '../envelope.js';
import type { WireMessage } from '../wire-log.js';

/**
 * The rules of WS-I's Basic Profile 1.1 and Simple SOAP Binding Profile 1.0 that a log of messages
 * shows, as the analyzer of WS-I reads them: by a parser of its own, not by that of the gateway.
 */

/** What a message is known to be, beside its bytes. */
export interface MessageContext {
  /** The action of its binding, with its quotes; null for a message without a binding. */
  readonly action?: string;
  /** The child of Body by its binding: `{uri}local`. */
  readonly element?: string;
  /** The binding is rpc/literal. */
  readonly isRpc?: boolean;
}

interface Reading extends MessageContext {
  readonly message: WireMessage;
  readonly envelope: XmlNode | null;
  readonly text: string;
}

/** Why a message breaks a rule; null where it does not, or the rule is not about it. */
type Check = (reading: Reading) => string | null;

const XSI = 'http://www.w3.org/2001/XMLSchema-instance';
const isRequest = ({ message }: Reading): boolean => message.status === null;
const say = (isBroken: boolean, what: string): string | null => (isBroken ? what : null);

const field = ({ message }: Reading, name: string): string | null =>
  message.fields.find(([each]) => each.toLowerCase() === name)?.[1] ?? null;

const childrenIn = (node: XmlNode | null | undefined, local: string): readonly XmlNode[] =>
  node?.children.filter((child) => child.uri === node.uri && child.local === local) ?? [];

const bodyOf = ({ envelope }: Reading): XmlNode | null => childrenIn(envelope, 'Body')[0] ?? null;
const childOfBody = (reading: Reading): XmlNode | null => bodyOf(reading)?.children[0] ?? null;

const faultOf = (reading: Reading): XmlNode | null => {
  const child = childOfBody(reading);
  return child !== null && child.local === 'Fault' && child.uri === reading.envelope?.uri
    ? child
    : null;
};

const everyNode = (node: XmlNode | null): readonly XmlNode[] =>
  node === null ? [] : [node, ...node.children.flatMap(everyNode)];

const has = (node: XmlNode, uri: string, local: string): boolean =>
  node.attributes.has(`{${uri}}${local}`);

/** Rules of an envelope, in SOAP 1.1 and 1.2 alike unless they say otherwise. */
const OF_ENVELOPES: Readonly<Record<string, Check>> = {
  R9980: (reading) => {
    const { envelope } = reading;
    if (envelope === null) return null;
    const names = envelope.children.map(({ uri, local }) => (uri === envelope.uri ? local : '?'));
    return say(!/^(?:Header,)?Body$/.test(names.join()), `Envelope has ${names.join()}`);
  },
  R9981: (reading) => say((bodyOf(reading)?.children.length ?? 0) > 1, 'several children of Body'),
  R1015: ({ envelope }) =>
    say(
      envelope !== null &&
        (envelope.local !== 'Envelope' || ![SOAP_11, SOAP_12].includes(envelope.uri)),
      'the document element is not Envelope',
    ),
  R1014: (reading) =>
    say(bodyOf(reading)?.children.some(({ uri }) => uri === '') === true, 'an unqualified child'),
  R1008: ({ text }) => say(/<!DOCTYPE/.test(text), 'a DTD'),
  R1009: ({ text }) =>
    say(/<\?(?!xml\s)/.test(text.replaceAll(/<!\[CDATA\[.*?\]\]>/gs, '')), 'an instruction'),
  R1033: ({ envelope }) =>
    say(
      everyNode(envelope).some(({ declares }) => declares?.has('xml') === true),
      'a declaration of xml',
    ),
  R1032: (reading) => {
    const { envelope } = reading;
    if (envelope === null) return null;
    const own = [envelope, ...childrenIn(envelope, 'Header'), ...childrenIn(envelope, 'Body')];
    const names = own.flatMap(({ attributes }) => [...attributes.keys()]);
    return say(
      names.some((name) => name.startsWith(`{${envelope.uri}}`)),
      'an attribute of the namespace of the envelope',
    );
  },
  R1005: ({ envelope }) =>
    say(
      envelope !== null &&
        everyNode(envelope).some(
          (node) => node.uri === envelope.uri && has(node, envelope.uri, 'encodingStyle'),
        ),
      'encodingStyle at an element of the envelope',
    ),
  R1006: (reading) => {
    const child = childOfBody(reading);
    return say(
      child !== null && has(child, reading.envelope?.uri ?? '', 'encodingStyle'),
      'encodingStyle',
    );
  },
  R1007: (reading) =>
    say(
      reading.isRpc === true &&
        childOfBody(reading)?.children.some((node) =>
          has(node, reading.envelope?.uri ?? '', 'encodingStyle'),
        ) === true,
      'encodingStyle at a part',
    ),
  R1011: ({ envelope }) =>
    say(envelope !== null && envelope.children.at(-1)?.local !== 'Body', 'something behind Body'),
  R1013: ({ envelope }) =>
    say(
      envelope?.uri === SOAP_11 &&
        everyNode(envelope).some((node) => {
          const value = node.attributes.get(`{${SOAP_11}}mustUnderstand`);
          return value !== undefined && value !== '0' && value !== '1';
        }),
      'mustUnderstand is neither 0 nor 1',
    ),
  R1000: (reading) => {
    const fault = reading.envelope?.uri === SOAP_11 ? faultOf(reading) : null;
    const names = fault?.children.map(({ local }) => local) ?? [];
    return say(
      names.some((name) => !/^(?:faultcode|faultstring|faultactor|detail)$/.test(name)),
      `Fault has ${names.join()}`,
    );
  },
  R1001: (reading) =>
    say(
      reading.envelope?.uri === SOAP_11 &&
        faultOf(reading)?.children.some(({ uri }) => uri !== '') === true,
      'a qualified child of Fault',
    ),
  R1004: (reading) => {
    const fault = reading.envelope?.uri === SOAP_11 ? faultOf(reading) : null;
    const code = fault?.children.find(({ local }) => local === 'faultcode');
    if (code === undefined) return null;
    return say(!/^[^:\s]+:[^:\s]+$/.test(code.text.trim()), `the code ${code.text}`);
  },
  R1031: (reading) => {
    const fault = reading.envelope?.uri === SOAP_11 ? faultOf(reading) : null;
    const code = fault?.children.find(({ local }) => local === 'faultcode');
    return say(code?.text.includes('.') === true, `the code ${code?.text}`);
  },
  R1012: ({ message, envelope }) => {
    if (envelope === null) return null;
    const isWide = message.body[0] === 0xfe || message.body[0] === 0xff;
    return say(!isWide && !isUtf8(message.body), 'neither UTF-8 nor UTF-16');
  },
  R2712: (reading) => {
    const child = faultOf(reading) === null ? childOfBody(reading) : null;
    const name = child === null ? null : `{${child.uri}}${child.local}`;
    return say(
      reading.element !== undefined && name !== null && name !== reading.element,
      `${name} in place of ${reading.element}`,
    );
  },
  R2735: (reading) =>
    say(
      reading.isRpc === true &&
        faultOf(reading) === null &&
        childOfBody(reading)?.children.some(({ uri }) => uri !== '') === true,
      'a qualified part',
    ),
  R2211: (reading) =>
    say(
      reading.isRpc === true &&
        childOfBody(reading)?.children.some((node) => has(node, XSI, 'nil')) === true,
      'xsi:nil at a part',
    ),
};

/** Rules of the message around it. */
const OF_MESSAGES: Readonly<Record<string, Check>> = {
  R1140: ({ message }) => say(message.version !== 'HTTP/1.1', message.version),
  R1141: ({ message }) => say(!/^HTTP\/1\.[01]$/.test(message.version), message.version),
  R1132: (reading) =>
    say(isRequest(reading) && reading.message.method !== 'POST', reading.message.method ?? ''),
  R1108: (reading) =>
    say(
      /^M-/.test(reading.message.method ?? '') || field(reading, 'man') !== null,
      'the extension framework',
    ),
  R1018: (reading) => {
    const type = field(reading, 'content-type') ?? '';
    if (reading.envelope?.uri !== SOAP_11 || /^multipart\//.test(type)) return null;
    return say(!/^text\/xml; ?charset="?utf-(?:8|16)"?$/i.test(type), type);
  },
  R1109: (reading) => {
    if (!isRequest(reading) || reading.envelope?.uri !== SOAP_11) return null;
    const action = field(reading, 'soapaction');
    return say(action === null || !/^".*"$/.test(action), `SOAPAction ${action}`);
  },
  R2744: (reading) => {
    if (!isRequest(reading) || reading.envelope?.uri !== SOAP_11) return null;
    const action = field(reading, 'soapaction');
    return say(reading.action !== undefined && action !== reading.action, `SOAPAction ${action}`);
  },
  R1111: (reading) =>
    say(
      !isRequest(reading) &&
        bodyOf(reading) !== null &&
        faultOf(reading) === null &&
        reading.message.status !== 200,
      `status ${reading.message.status}`,
    ),
  R1112: (reading) =>
    say(
      !isRequest(reading) &&
        reading.text === '' &&
        (reading.message.status ?? 0) < 300 &&
        ![200, 202].includes(reading.message.status ?? 0),
      `status ${reading.message.status}`,
    ),
  R1126: (reading) =>
    say(
      !isRequest(reading) &&
        reading.envelope?.uri === SOAP_11 &&
        faultOf(reading) !== null &&
        reading.message.status !== 500,
      `status ${reading.message.status}`,
    ),
  R1113: (reading) =>
    say((reading.message.status ?? 0) >= 600 || reading.message.status === 0, 'no status'),
  /** The analyzer itself compares the names of these fields letter by letter. */
  SSBP5101: ({ message }) => {
    const wrong = message.fields
      .map(([name]) => name)
      .filter((name) => /^(?:content-type|soapaction|content-length|host)$/i.test(name))
      .filter((name) => !['Content-Type', 'SOAPAction', 'Content-Length', 'Host'].includes(name));
    return say(wrong.length > 0, wrong.join());
  },
};

export const MESSAGE_RULES: Readonly<Record<string, Check>> = { ...OF_ENVELOPES, ...OF_MESSAGES };

/** The rules that a message breaks, each with what was found. */
export function brokenRules(message: WireMessage, context: MessageContext = {}): readonly string[] {
  const content = rootOf(message);
  const text = content.toString('utf8');
  const isXml = /^(?:\ufeff)?\s*</.test(text) && !/^\s*<(?:!doctype html|html)/i.test(text);
  const source = { file: 'message', text: text.replace(/^\ufeff/, '') };
  const envelope = isXml
    ? AT_ONCE.finish(
        parseTree(source, { elements: 100_000 }, (_node, what) => {
          throw new Error(what);
        }),
      )
    : null;
  const reading: Reading = { ...context, message, envelope, text };
  return Object.entries(MESSAGE_RULES).flatMap(([rule, check]) => {
    const found = check(reading);
    return found === null ? [] : [`${rule}: ${found}`];
  });
}

/** The envelope of a message: its content, or the first part of a package. */
function rootOf({ fields, body }: WireMessage): Buffer {
  const type = fields.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const boundary = /^multipart\/.*boundary="?([^";]+)/i.exec(type)?.[1];
  if (boundary === undefined) return body;
  const start = body.indexOf('\r\n\r\n') + 4;
  return body.subarray(start, body.indexOf(`\r\n--${boundary}`, start));
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
