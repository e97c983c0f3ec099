import { collections } from '../../core/index.js';
import { contentModels, expandedName } from '../../xml/index.js';
import type { Position } from './automaton.js';
import type { ElementRecord } from './fast-path.js';
import type { Frame } from './frame.js';
import type { AttributeRules, ElementRules, SchemaRules, TypeRules } from './rules.js';

/**
 * The content models of one schema in the memory of the skimmer: states, transitions and elements
 * are put there as messages need them. Models with counters or wildcards are not, nor is content
 * with identities.
 */
class ModelRecords {
  #epoch = 0;
  /** The positions of the states, by their numbers. */
  readonly #positions: Position<ElementRules>[] = [];
  readonly #states = new Map<Position<ElementRules>, number>();
  readonly #elements = new Map<ElementRules, number>();
  /** The names of the transitions of each state. */
  readonly #transitions = new Map<number, Set<string>>();

  /**
   * Writes the states of the innermost open elements, as many as have a model here; `depth` is that
   * of the innermost in the message. Returns the depth of the outermost; 0 for none.
   */
  enter(frames: readonly Frame[], count: number, depth: number): number {
    this.#forgetOtherEpochs();
    let first = count;
    while (first > 0 && this.#stateOf(frames[first - 1]) !== 0) {
      first--;
    }
    if (first === count) return 0;
    for (let index = first; index < count; index++) {
      const frame = frames[index];
      const state = this.#stateOf(frame);
      const at = depth - count + index + 1;
      const names = frame?.type.automaton?.names ?? 0;
      if (!contentModels.modelMemory.enter(at, state, names, index === first)) return 0;
      frame?.showCounts((name, number) => contentModels.modelMemory.setCount(at, name, number));
    }
    return depth - count + first + 1;
  }

  /** The position and the counts that an open element has come to. */
  leave(frame: Frame, depth: number): Position<ElementRules> | null {
    const position = this.#positions[contentModels.modelMemory.stateAt(depth)];
    if (position === undefined) return null;
    const children = contentModels.modelMemory.childrenAt(depth);
    frame.moveTo(position, children, (name) => contentModels.modelMemory.countAt(depth, name));
    return position;
  }

  /** Adds the transition from where an element is to a child of this name. */
  learn({ type, walk }: Frame, uri: string, local: string): boolean {
    const { automaton } = type;
    const from = walk.position;
    const state = from === null ? undefined : this.#states.get(from);
    if (automaton === null || from === null || state === undefined) return false;
    const name = expandedName({ uri, local });
    const known = this.#transitions.get(state);
    if (known?.has(name) === true) return false;
    if ((known?.size ?? 0) >= TRANSITIONS_MAX || automaton.wildEdges(from).length > 0) return false;
    const [edge, other] = automaton.edges(from, uri, local);
    if (edge === undefined || other !== undefined || edge.ops !== null) return false;
    const { element, nameIndex } = edge.to;
    if (element === null) return false;
    const to = this.#stateAt(edge.to, type);
    const record = this.#elementOf(element);
    if (to === 0 || record === 0) return false;
    if (known === undefined) this.#transitions.set(state, new Set([name]));
    else known.add(name);
    return contentModels.modelMemory.addEdge(state, { uri, local, to, nameIndex, element: record });
  }

  #forgetOtherEpochs(): void {
    if (this.#epoch === contentModels.modelMemory.epoch) return;
    this.#epoch = contentModels.modelMemory.epoch;
    this.#positions.length = 0;
    this.#states.clear();
    this.#elements.clear();
    this.#transitions.clear();
  }

  /** The state of an open element; 0 where its content is not validated here. */
  #stateOf(frame: Frame | undefined): number {
    const position = frame?.walk.position ?? null;
    if (frame === undefined || position === null || frame.textState === 'nil') return 0;
    const { fixed, default: initial } = frame.element.declaration;
    if (!hasModel(frame.type) || fixed !== null || initial !== null) return 0;
    return this.#stateAt(position, frame.type);
  }

  #stateAt(position: Position<ElementRules>, { automaton }: TypeRules): number {
    const known = this.#states.get(position);
    if (known !== undefined || automaton === null) return known ?? 0;
    const mayEnd = automaton.out(position).length > 0;
    const state = contentModels.modelMemory.addState(mayEnd, this.#positions.length);
    if (state !== 0) {
      this.#positions.push(position);
      this.#states.set(position, state);
    }
    return state;
  }

  #elementOf(element: ElementRules): number {
    const known = this.#elements.get(element);
    if (known !== undefined) return known;
    const { type } = element;
    const form = formOf(element);
    const { automaton } = type;
    const start = form === 'model' && automaton ? this.#stateAt(automaton.start, type) : 0;
    const own = form === 'other' ? [] : type.attributes.filter(({ uri }) => uri === '');
    const record = contentModels.modelMemory.addElement({
      form: form === 'model' && start === 0 ? 'other' : form,
      attributes: own.map(attributeRecord),
      needsOther: type.attributes.some(
        ({ uri, declaration }) => uri !== '' && declaration.required,
      ),
      start,
      names: start === 0 ? 0 : (automaton?.names ?? 0),
      isNillable: element.declaration.nillable,
    });
    if (record !== 0) {
      this.#elements.set(element, record);
    }
    return record;
  }
}

/** The records of a schema. */
export const modelRecordsOf = collections.makeOncePer(
  (_schema: SchemaRules): ModelRecords => new ModelRecords(),
);

/** Transitions from one state that are searched; the elements of others are reported. */
const TRANSITIONS_MAX = 64;

/** Whether the content of a type can be validated by records. */
const hasModel = ({ kind, automaton }: TypeRules): boolean =>
  kind === 'model' && automaton !== null && automaton.counters === 0;

function formOf({ declaration, type }: ElementRules): ElementRecord['form'] {
  const { abstract, constraints, fixed, default: initial } = declaration;
  if (abstract || constraints.length > 0 || fixed !== null || initial !== null) return 'other';
  if (type.isAbstract || type.identities.length > 0) return 'other';
  if (type.kind === 'empty') return 'none';
  if (type.kind !== 'text') return hasModel(type) ? 'model' : 'other';
  const { simple } = type;
  if (simple === null || simple.identity !== null) return 'other';
  return simple.check === null ? 'any' : (simple.form ?? 'other');
}

const attributeRecord = ({
  declaration,
  local,
  simple,
}: AttributeRules): ElementRecord['attributes'][number] => ({
  local,
  isRequired: declaration.required,
  form:
    declaration.fixed !== null ? 'other' : simple.check === null ? 'any' : (simple.form ?? 'other'),
});
