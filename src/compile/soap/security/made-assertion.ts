import { Buffer } from 'node:buffer';
import { invalid } from '../../../config/keys/finding.js';
import type { SamlPlan } from '../../../config/plans/security-plan.js';
import { invariant } from '../../../core/index.js';
import type { RotatingText } from '../../../gateway/rotating-text.js';
import type { headerBlocks } from '../../../soap/index.js';
import { issueAssertion, SAML2 } from '../../../wss/index.js';
import {
  ELEMENTS_ONLY,
  type Interest,
  referencesFor,
  SKIP,
  type StartTag,
  UNWRITABLE,
  type XmlHandler,
  type XmlLimits,
  XmlReader,
} from '../../../xml/index.js';
import { madeAnew } from '../../made-anew.js';
import { compileIdentity } from './signing-identity.js';

/** What writes the assertion of `security.make.saml`. Throws `FindingsError`. */
export function compileAssertion(
  { keys, assertion, identity: signer }: SamlPlan,
  xmlLimits: XmlLimits,
): NonNullable<headerBlocks.MadeSecurity['assertion']> {
  const { issuer, subject, claim, audience, lifetimeMillis, cert, key, passphrase } = keys;
  const owner = '`security.make.saml`';
  if (assertion !== null) {
    const issued = Object.entries({ issuer, subject, claim, audience, cert, key, passphrase });
    const [other] = issued.filter(([, value]) => value !== undefined);
    if (other !== undefined) {
      throw invalid(
        [other[0]],
        `${owner} has an \`assertion\`, and \`${other[0]}\` of one that the gateway issues.`,
        'Leave one of them out.',
      );
    }
    return writtenAssertion(assertion, xmlLimits);
  }
  if (issuer === undefined || audience === undefined || signer === null) {
    throw invalid(
      [],
      `${owner} has neither an \`assertion\` nor all that the gateway needs to issue one.`,
      'Give it an `assertion`, or `issuer`, `audience`, `cert`, `key` and a subject.',
    );
  }
  if ((subject === undefined) === (claim === undefined)) {
    throw invalid(
      [],
      `${owner} has not exactly one of \`subject\` and \`claim\`.`,
      'Write the subject, or the claim of callers that holds it.',
    );
  }
  for (const [name, text] of Object.entries({ issuer, audience, subject: subject ?? '' })) {
    if (UNWRITABLE.test(text)) {
      throw invalid([name], `\`${name}\` has a character that XML does not.`, 'Take it out.');
    }
  }
  const identity = compileIdentity(signer, owner);
  const rules = { issuer, audience, lifetimeMillis, identity };
  return (ofCaller, nowMillis) => {
    const about = ofCaller ?? subject;
    invariant(about !== undefined, 'a call without a subject gets no assertion');
    return issueAssertion(rules, about, nowMillis);
  };
}

/**
 * The assertion of a file, which may be replaced: one that cannot be read leaves that of before.
 */
function writtenAssertion(
  written: RotatingText,
  xmlLimits: XmlLimits,
): NonNullable<headerBlocks.MadeSecurity['assertion']> {
  return madeAnew([written], ([text = '']) => {
    const assertion = assertionIn(text, xmlLimits);
    if (assertion !== null) return assertion;
    throw invalid(
      ['assertion'],
      'The `assertion` of `security.make.saml` is no assertion of SAML 2.0.',
      'Write the element Assertion as its issuer gave it, with all namespaces that it uses.',
    );
  });
}

/** The element in ASCII; null where the text is another one, or none. */
function assertionIn(text: string, limits: XmlLimits): string | null {
  const element = referencesFor(text.replace(/^\ufeff?\s*(?:<\?xml[^>]*\?>)?/, '').trim());
  const handler = new RootReader();
  const reader = new XmlReader(handler, limits);
  try {
    reader.begin(null);
    reader.write(Buffer.from(element));
    reader.end();
  } catch {
    return null;
  }
  return handler.isAssertion ? element : null;
}

class RootReader implements XmlHandler {
  isAssertion = false;
  #depth = 0;

  open({ uri, local }: StartTag): Interest {
    this.#depth++;
    if (this.#depth === 1) {
      this.isAssertion = uri === SAML2 && local === 'Assertion';
    }
    return this.#depth === 1 ? ELEMENTS_ONLY : SKIP;
  }

  close(): void {
    this.#depth--;
  }

  text(): void {}
}
