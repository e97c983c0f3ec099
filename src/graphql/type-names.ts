import type { Problem } from '../base/problem.js';
import { SCALAR_TYPES } from '../codec/scalars.js';
import { NameScope, pascalName, typeName } from './naming.js';

/** The names of all types of one schema. A name that is taken gets the service's name in front, then a number. */
export class TypeNames {
  readonly notices: Problem[] = [];
  readonly #scope = new NameScope([
    ...['Query', 'Mutation', 'Subscription', 'Int', 'Float', 'String', 'Boolean', 'ID'],
    ...SCALAR_TYPES.keys(),
  ]);

  /** Gives out the name for `xmlName`, or what it becomes, and says so in the notices. */
  take(xmlName: string, service: string): string {
    const wanted = typeName(xmlName);
    const name = this.#scope.take(wanted, `${pascalName(service)}${wanted}`);
    if (name !== wanted) this.notice(`Service ${service}: the name of type ${wanted} is taken, it is called ${name}.`);
    return name;
  }

  notice(what: string, remedy: string | null = null): void {
    this.notices.push({ file: null, line: null, column: null, what, remedy });
  }
}
