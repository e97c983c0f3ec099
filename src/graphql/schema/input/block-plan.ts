import { InputError, requestEncoding, type requestPlans, scalars } from '../../../codec/index.js';
import { escapeText, isNcName, type QName } from '../../../xml/index.js';
import type { ServiceNames } from '../types/type-names.js';
import { type BlockMapping, type BlockTemplate, isTemplate, stepName } from './block-mapping.js';
import { hasSource, type InputMapping } from './input-mapping.js';

/** Collects the errors of a mapping. */
export interface MappingErrors {
  readonly names: ServiceNames;
}

/**
 * The plan of a block that the configuration gives whole: a template, or one that no WSDL declares.
 * Null for one that is left out, and for one with an error, which is reported.
 */
export function blockPlan(
  { content }: BlockMapping,
  name: QName,
  errors: MappingErrors,
): requestPlans.BlockPlan | null {
  if (content === null) return null;
  if (isTemplate(content)) return templatePlan(content, name, errors);
  const element = elementPlan(name, content, errors);
  return { kind: 'element', element, isOptional: !hasConstant(content) };
}

const hasConstant = ({ source, inner }: InputMapping): boolean =>
  source?.from === 'constant' || [...inner.values()].some(hasConstant);

/**
 * As deep as paths may be. Without a type every value is a text, in the order of the configuration.
 */
function elementPlan(
  name: QName,
  mapping: InputMapping,
  errors: MappingErrors,
): requestPlans.EncodeElement {
  checkMapping(name, mapping, errors);
  const { source, isRequired: required, inner } = mapping;
  const common = {
    key: name.local,
    name,
    occurs: 'one',
    required,
    nillable: false,
    fixed: null,
  } as const;
  if (inner.size === 0 && source !== null) {
    return { ...common, source, value: { kind: 'scalar', scalar: scalars.TEXT } };
  }
  const attributes: requestPlans.EncodeAttribute[] = [];
  const children: requestPlans.EncodeElement[] = [];
  for (const [step, each] of inner) {
    if (!step.startsWith('@')) {
      children.push(elementPlan(stepName(step, name.uri), each, errors));
      continue;
    }
    const attribute = stepName(step.slice(1), '');
    checkMapping(attribute, each, errors);
    if (each.source === null) continue;
    const about = {
      key: step,
      name: attribute,
      required: each.isRequired,
      fixed: null,
      scalar: scalars.TEXT,
    };
    attributes.push({ ...about, source: each.source });
  }
  const text = source === null ? null : { key: '', scalar: scalars.TEXT, source, required };
  return {
    ...common,
    always: true,
    value: { kind: 'object', attributes, text, children, choices: [] },
  };
}

/** Checks the mapping of a block. Its reports do not contain values, which may be secrets. */
function checkMapping({ local }: QName, mapping: InputMapping, { names }: MappingErrors): void {
  const refuse = (what: string, remedy: string): null => names.refuse(mapping.path, what, remedy);
  if (!isNcName(local) || local === 'xmlns') {
    refuse('This is no XML name.', 'Write the name of the element or attribute.');
  }
  if (mapping.name !== null) {
    refuse('No caller gives this block: it has no argument to name.', 'Remove `name`.');
  }
  if (!hasSource(mapping)) {
    refuse('The block has no value.', 'Give a `value`, a `header`, a `claim` or `xml`.');
  }
  if (mapping.source?.from === 'constant' && !isWritable(mapping.source.lexical)) {
    refuse('The value holds a character that XML cannot carry.', 'Remove control characters.');
  }
}

function isWritable(text: string): boolean {
  try {
    escapeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Elements of a template that may be open at once. */
const TEMPLATE_DEPTH = 32;

function templatePlan(
  template: BlockTemplate,
  name: QName,
  { names }: MappingErrors,
): requestPlans.BlockPlan | null {
  const { xml, values, path } = template;
  const used = new Set<string>();
  const partsOf = (text: string): readonly requestPlans.TemplatePart[] => {
    const parts: requestPlans.TemplatePart[] = [];
    // Every second part is a name.
    for (const [index, part] of text.split(SLOT).entries()) {
      const value = index % 2 === 1 ? values.get(part) : undefined;
      used.add(part);
      if (value !== undefined) {
        parts.push({ name: part, ...value });
      } else if (index % 2 === 1) {
        throw new scalars.LexicalError('names a value that `values` does not give');
      } else if (part !== '') {
        parts.push(part);
      }
    }
    return parts;
  };
  try {
    const events = templateEvents(xml, name);
    const plan: requestPlans.BlockPlan = {
      kind: 'template',
      name,
      events: events.map((event) => filled(event, partsOf)),
    };
    const unused = [...values.keys()].find((each) => !used.has(each));
    if (unused === undefined) return plan;
    names.refuse(
      [...path, 'values', unused],
      'The template does not use this value.',
      'Remove it.',
    );
  } catch (caught) {
    if (!(caught instanceof InputError || caught instanceof scalars.LexicalError)) throw caught;
    const rule = caught instanceof InputError ? caught.rule : caught.message;
    names.refuse([...path, 'xml'], `The template ${rule}.`, `Write one element ${name.local}.`);
  }
  return null;
}

const SLOT = /\{([A-Za-z_][A-Za-z0-9_]{0,63})\}/;

/**
 * The template as events, each text as one event, without white space between elements. Throws
 * `InputError`.
 */
function templateEvents(xml: string, name: QName): readonly requestPlans.ContentEvent[] {
  const path = { above: null, step: 'xml', depth: 1 };
  const content = requestEncoding.xmlEvents(xml.trim(), {
    name,
    depth: TEMPLATE_DEPTH,
    path,
    namespaces: new requestEncoding.CallerNamespaces(),
    isBlock: true,
    hasEncodingNames: true,
  });
  const events: requestPlans.ContentEvent[] = [];
  for (const event of content) {
    const last = events.at(-1);
    if (event.kind === 'text' && last?.kind === 'text') {
      events[events.length - 1] = { kind: 'text', value: last.value + event.value };
    } else {
      events.push(event);
    }
  }
  const kept = events.filter((event) => event.kind !== 'text' || !/^\s*\n\s*$/.test(event.value));
  return [{ kind: 'open', name }, ...kept, { kind: 'close' }];
}

function filled(
  event: requestPlans.ContentEvent,
  partsOf: (text: string) => readonly requestPlans.TemplatePart[],
): requestPlans.TemplateEvent {
  if (event.kind !== 'text' && event.kind !== 'attribute') return event;
  const parts = partsOf(event.value);
  if (parts.every((part) => typeof part === 'string')) return event;
  return event.kind === 'text'
    ? { kind: 'filled text', parts }
    : { kind: 'filled attribute', name: event.name, parts };
}
