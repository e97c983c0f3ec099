import { CODEC_REFUSALS } from '../codec/index.js';
import { type RefusalCode, refusals } from '../core/index.js';
import { KEY_REFUSALS } from '../gateway/refusals.js';
import { GRAPHQL_REFUSALS } from '../graphql/index.js';
import { SOAP_REFUSALS } from '../soap/index.js';
import { UPSTREAM_REFUSALS } from '../upstream/index.js';
import { WSS_REFUSALS } from '../wss/index.js';
import { XML_REFUSALS } from '../xml/index.js';

/** The closed table of all refusals and failures at run time, in the order of the reference. */
export const REFUSALS = {
  ...XML_REFUSALS,
  ...SOAP_REFUSALS.envelope,
  ...WSS_REFUSALS,
  ...SOAP_REFUSALS.packages,
  ...refusals.CORE_REFUSALS.http,
  ...UPSTREAM_REFUSALS.connections,
  ...refusals.CORE_REFUSALS.replies,
  ...UPSTREAM_REFUSALS.service,
  ...KEY_REFUSALS,
  ...refusals.CORE_REFUSALS.faults,
  ...CODEC_REFUSALS,
  ...refusals.CORE_REFUSALS.requests,
  ...GRAPHQL_REFUSALS,
  ...refusals.CORE_REFUSALS.access,
  ...refusals.CORE_REFUSALS.process,
};

const isCode = (text: string): text is RefusalCode => Object.hasOwn(REFUSALS, text);

/** All codes, in the order of the table. */
export const REFUSAL_CODES: readonly RefusalCode[] = Object.keys(REFUSALS).filter(isCode);
