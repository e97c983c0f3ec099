import {
  type DirectiveNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type TypeNode,
  type ValueNode,
} from 'graphql';

/** A field, an input field or an argument of SDL. */
export type SdlField = FieldDefinitionNode | InputValueDefinitionNode;

/** A list or not, and what may be null. */
export interface ListNullability {
  readonly typeName: string;
  readonly nonNull: boolean;
  readonly list: boolean;
  readonly itemNonNull: boolean;
}

/** Lists of lists count as lists: without a WSDL their form is unknown. */
export function occurrenceOf(type: TypeNode): ListNullability {
  const nonNull = type.kind === Kind.NON_NULL_TYPE;
  const outer: TypeNode = nonNull ? type.type : type;
  let inner: TypeNode = outer;
  let itemNonNull = false;
  while (inner.kind !== Kind.NAMED_TYPE) {
    if (inner !== outer && inner.kind === Kind.NON_NULL_TYPE) {
      itemNonNull = true;
    }
    inner = inner.type;
  }
  const list = outer.kind === Kind.LIST_TYPE;
  return { typeName: inner.name.value, nonNull, list, itemNonNull };
}

export interface XmlDirective {
  readonly name: string | null;
  readonly item: string | null;
  readonly attribute: boolean;
}

export function xmlDirective(directives: readonly DirectiveNode[] | undefined): XmlDirective {
  const values = directives?.find((directive) => directive.name.value === 'xml')?.arguments ?? [];
  const argumentOf = (name: string): ValueNode | undefined =>
    values.find((argument) => argument.name.value === name)?.value;
  const textOf = (name: string): string | null => {
    const value = argumentOf(name);
    return value?.kind === Kind.STRING ? value.value : null;
  };
  const attribute = argumentOf('attribute');
  return {
    name: textOf('name'),
    item: textOf('item'),
    attribute: attribute?.kind === Kind.BOOLEAN && attribute.value,
  };
}

export function defaultText(field: SdlField): string | null {
  if (field.kind !== Kind.INPUT_VALUE_DEFINITION || field.defaultValue === undefined) return null;
  const value = field.defaultValue;
  if (value.kind === Kind.BOOLEAN) return String(value.value);
  const isText =
    value.kind === Kind.STRING ||
    value.kind === Kind.INT ||
    value.kind === Kind.FLOAT ||
    value.kind === Kind.ENUM;
  return isText ? value.value : null;
}
