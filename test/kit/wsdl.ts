/** A declaration of an element, or a particle of a sequence. */
export const element = (name: string, type: string, more = ''): string =>
  `<xs:element name="${name}" type="${type}"${more === '' ? '' : ` ${more}`}/>`;

/** A declaration of an element that holds a sequence. */
export const wrapper = (name: string, content = '', more = ''): string =>
  `<xs:element name="${name}"${more === '' ? '' : ` ${more}`}><xs:complexType><xs:sequence>` +
  `${content}</xs:sequence></xs:complexType></xs:element>`;

interface WsdlOptions {
  readonly version?: '1.1' | '1.2';
  /** Elements that each operation may answer as a Fault. */
  readonly faults?: readonly string[];
  /** What is before the schema, in its head, and in the binding. */
  readonly attributes?: string;
  readonly inBinding?: string;
  /** What is in the input of each operation before its body. */
  readonly input?: string;
  readonly messages?: string;
  readonly actionOf?: (name: string) => string;
  readonly documentationOf?: (name: string) => string;
}

/**
 * A WSDL in document/literal style of a namespace, whose prefix is `t`. Each operation has the
 * element of its name, and answers that of its name with `Response`; its action is its name.
 */
export function wsdlOf(
  uri: string,
  schema: string,
  operations: readonly string[],
  options: WsdlOptions = {},
): string {
  const {
    version = '1.1',
    faults = [],
    attributes = '',
    inBinding = '',
    input = '',
    messages = '',
  } = options;
  const { actionOf = (name) => name, documentationOf = () => '' } = options;
  const elements = [...operations.flatMap((name) => [name, `${name}Response`]), ...faults];
  const each = (write: (name: string) => string, names = operations): string =>
    names.map(write).join('\n');
  const body = '<soap:body use="literal"/>';
  return `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" \
xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap${version === '1.1' ? '' : '12'}/"
 xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="${uri}" targetNamespace="${uri}"${attributes}>
<types><xs:schema targetNamespace="${uri}" elementFormDefault="qualified">${schema}</xs:schema>\
</types>
${each(
  (name) => `<message name="${name}"><part name="p" element="t:${name}"/>\
</message>`,
  elements,
)}${messages}
<portType name="P">${each(
    (name) => `<operation name="${name}">${documentationOf(name)}\
<input message="t:${name}"/><output message="t:${name}Response"/>${each(
      (fault) => `<fault \
name="${fault}" message="t:${fault}"/>`,
      faults,
    )}</operation>`,
  )}</portType>
<binding name="B" type="t:P">${inBinding}\
<soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
${each(
  (name) => `<operation name="${name}"><soap:operation soapAction="${actionOf(name)}"/>\
<input>${input}${body}</input><output>${body}</output>${each(
    (fault) => `<fault name="${fault}">\
<soap:fault name="${fault}" use="literal"/></fault>`,
    faults,
  )}</operation>`,
)}
</binding><service name="S"><port name="Port" binding="t:B">\
<soap:address location="http://127.0.0.1:1/"/></port></service></definitions>`;
}
