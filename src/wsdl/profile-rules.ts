import { type Diagnostic, diagnosis } from '../core/index.js';

/** The rules of WS-I Basic Profile 1.1 that a WSDL is checked for, with what breaks them. */
export const PROFILE_RULES = {
  R2001: 'a wsdl:import that leads to no WSDL',
  R2003: 'an xs:import outside of a schema',
  R2005: 'a wsdl:import of another target namespace than it names',
  R2007: 'a wsdl:import without a location',
  R2022: 'a wsdl:import behind other elements',
  R2023: 'wsdl:types behind other elements',
  R2105: 'a schema without a target namespace that has more than imports and annotations',
  R2110: 'a type that derives from soapenc:Array',
  R2111: 'a wsdl:arrayType in a declaration',
  R2201: 'document style with several parts listed at soap:body',
  R2203: 'rpc style with a part in Body that names an element',
  R2204: 'document style with a part in Body that names a type',
  R2205: 'a header or fault whose part names a type',
  R2210: 'document style with a message of several parts, none listed at soap:body',
  R2303: 'an operation that the server starts',
  R2304: 'two operations of one name in a port type',
  R2306: 'a part that names both a type and an element',
  R2401: 'a binding that is not for SOAP',
  R2701: 'a soap:binding without a transport',
  R2702: 'a soap:binding with another transport than HTTP',
  R2705: 'a binding that mixes document and rpc style',
  R2706: 'another use than literal',
  R2710: 'operations of one binding whose requests are the same',
  R2711: 'two ports with one address',
  R2716: 'document style with a namespace at soap:body, header or fault',
  R2717: 'rpc style without an absolute namespace at soap:body',
  R2718: 'a binding that has other operations than its port type',
  R2720: 'a soap:header or soap:headerfault without `part`',
  R2721: 'a soap:fault without a name',
  R2726: 'rpc style with a namespace at soap:header, soap:headerfault or soap:fault',
  R2740: 'a fault of the port type that the binding leaves out',
  R2749: 'a soap:header or soap:headerfault with `parts`',
  R2754: 'a soap:fault with another name than its wsdl:fault',
  R2801: 'a schema that is no XML Schema 1.0 of 2001',
  R2803: 'a namespace of a wsdl:import that is relative',
} as const;

export type ProfileRule = keyof typeof PROFILE_RULES;

/** The first place at which a WSDL breaks a rule of the profile, and how many there are. */
export interface ProfileFinding {
  readonly rule: ProfileRule;
  readonly first: Diagnostic;
  readonly count: number;
}

/** As a warning of `check`. */
export function warningOfRule({ rule, first, count }: ProfileFinding): Diagnostic {
  const places = count === 1 ? '' : ` This is so in ${count} places.`;
  const what = `WS-I Basic Profile 1.1 ${rule}: ${PROFILE_RULES[rule]}.${places}`;
  return {
    ...diagnosis.unplaced(what, null),
    file: first.file,
    line: first.line,
    column: first.column,
  };
}
