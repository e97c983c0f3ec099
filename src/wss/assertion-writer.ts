import { Buffer } from 'node:buffer';
import { createHash, randomBytes } from 'node:crypto';
import { referencesFor } from '../xml/index.js';

import { digestIdentifier, signBytes } from './algorithms.js';
import type { SigningIdentity } from './message-signer.js';
import { DS, ENVELOPED, EXC_C14N, SAML2 } from './wsse-names.js';

/** What the gateway says of the subject of a call. */
export interface AssertionRules {
  readonly issuer: string;
  readonly audience: string;
  readonly lifetimeMillis: number;
  readonly identity: () => SigningIdentity;
}

const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
/** Clocks of backends are a little late: an assertion is valid from before it is made. */
const EARLIER_MILLIS = 60_000;
const ID_BYTES = 16;

/**
 * Writes a bearer assertion of SAML 2.0, signed as a whole (core sections 2 and 5.4). It is written
 * as its own exclusive canonical form, so that what is hashed needs no second step; characters
 * beyond ASCII are written as references.
 */
export function issueAssertion(rules: AssertionRules, subject: string, nowMillis: number): string {
  const { issuer, audience, lifetimeMillis, identity } = rules;
  const { certificate, key, algorithm } = identity();
  const id = `_${randomBytes(ID_BYTES).toString('hex')}`;
  const end = instant(nowMillis + lifetimeMillis);
  const before =
    `<saml:Assertion xmlns:saml="${SAML2}" ID="${id}" IssueInstant="${instant(nowMillis)}" ` +
    `Version="2.0"><saml:Issuer>${canonical(issuer)}</saml:Issuer>`;
  const confirmation =
    `<saml:SubjectConfirmation Method="${BEARER}"><saml:SubjectConfirmationData ` +
    `NotOnOrAfter="${end}"></saml:SubjectConfirmationData></saml:SubjectConfirmation>`;
  const after = [
    `<saml:Subject><saml:NameID>${canonical(subject)}</saml:NameID>${confirmation}</saml:Subject>`,
    `<saml:Conditions NotBefore="${instant(nowMillis - EARLIER_MILLIS)}" ` +
      `NotOnOrAfter="${end}"><saml:AudienceRestriction>`,
    `<saml:Audience>${canonical(audience)}</saml:Audience></saml:AudienceRestriction>` +
      '</saml:Conditions></saml:Assertion>',
  ].join('');
  const digest = createHash('sha256')
    .update(before + after)
    .digest('base64');
  const transforms =
    `<ds:Transforms><ds:Transform Algorithm="${ENVELOPED}"></ds:Transform>` +
    `<ds:Transform Algorithm="${EXC_C14N}"></ds:Transform></ds:Transforms>`;
  const reference =
    `<ds:Reference URI="#${id}">${transforms}` +
    `<ds:DigestMethod Algorithm="${digestIdentifier('sha256')}"></ds:DigestMethod>` +
    `<ds:DigestValue>${digest}</ds:DigestValue></ds:Reference>`;
  const signedInfo =
    `<ds:SignedInfo xmlns:ds="${DS}"><ds:CanonicalizationMethod Algorithm="${EXC_C14N}">` +
    `</ds:CanonicalizationMethod><ds:SignatureMethod Algorithm="${algorithm.identifier}">` +
    `</ds:SignatureMethod>${reference}</ds:SignedInfo>`;
  const value = signBytes(algorithm, key, Buffer.from(signedInfo)).toString('base64');
  const keyInfo =
    '<ds:KeyInfo><ds:X509Data><ds:X509Certificate>' +
    `${certificate.certificate.raw.toString('base64')}</ds:X509Certificate>` +
    '</ds:X509Data></ds:KeyInfo>';
  // Canonical XML declares a namespace once: the digest of a signature that covers the assertion is
  // computed from the tree.
  const signature =
    `<ds:Signature xmlns:ds="${DS}">${signedInfo}<ds:SignatureValue>${value}</ds:SignatureValue>` +
    `${keyInfo}</ds:Signature>`;
  return referencesFor(`${before}${signature}${after}`);
}

const instant = (millis: number): string => new Date(millis).toISOString();

/** A text as Canonical XML has it (section 2.3). */
const canonical = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#xD;');
