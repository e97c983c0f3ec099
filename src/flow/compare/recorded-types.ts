import { isRecord, jsonValues } from '../../core/index.js';
import {
  type AttributeShape,
  type ReplyTypes,
  type TextShape,
  type TypeShape,
  withoutPrototype,
} from './reply-types.js';

/** Reads the types of a recording; null for what are none. */
export function readRecordedTypes(value: unknown): ReplyTypes | null {
  const isOfRecording =
    isRecord(value) &&
    isRecord(value['roots']) &&
    isRecord(value['named']) &&
    Array.isArray(value['types']) &&
    value['types'].every(isRecord);
  if (!isOfRecording) return null;
  const { roots, named, types } = value;
  return {
    roots: numbersIn(roots),
    named: numbersIn(named),
    types: Array.isArray(types) ? types.map(readShape) : [],
  };
}

function readShape(value: unknown): TypeShape {
  const name = jsonValues.readMember(value, 'name');
  const items = jsonValues.readMember(value, 'items');
  const text = readText(jsonValues.readMember(value, 'text'));
  const elements = jsonValues.readMember(value, 'elements');
  const attributes = jsonValues.recordEntries(jsonValues.readMember(value, 'attributes'));
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof items === 'number' ? { items } : {}),
    ...(text === null ? {} : { text }),
    ...(isRecord(elements) ? { elements: numbersIn(elements) } : {}),
    ...(attributes.length === 0
      ? {}
      : { attributes: withoutPrototype(attributes.flatMap(readAttribute)) }),
    ...(jsonValues.readMember(value, 'isUnordered') === true ? { isUnordered: true } : {}),
  };
}

function readAttribute([name, value]: readonly [string, unknown]): [string, AttributeShape][] {
  const text = readText(value);
  if (text === null) return [];
  const initial = jsonValues.readMember(value, 'default');
  return [[name, typeof initial === 'string' ? { ...text, default: initial } : text]];
}

function readText(value: unknown): TextShape | null {
  const builtIn = jsonValues.readMember(value, 'builtIn');
  const whiteSpace = jsonValues.readMember(value, 'whiteSpace');
  if (typeof builtIn !== 'string') return null;
  return {
    builtIn,
    ...(jsonValues.readMember(value, 'isList') === true ? { isList: true } : {}),
    ...(whiteSpace === 'replace' || whiteSpace === 'collapse' ? { whiteSpace } : {}),
    ...(jsonValues.readMember(value, 'isEnumerated') === true ? { isEnumerated: true } : {}),
  };
}

const numbersIn = (value: unknown): Readonly<Record<string, number>> =>
  withoutPrototype(
    jsonValues
      .recordEntries(value)
      .flatMap(([name, index]): [string, number][] =>
        typeof index === 'number' ? [[name, index]] : [],
      ),
  );
