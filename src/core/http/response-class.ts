import { type IncomingMessage, ServerResponse } from 'node:http';
import { type FieldCase, spellNames, usualName } from './field-names.js';

/**
 * Makes the answers of one server: the names of header fields that the gateway writes are spelled
 * in them.
 */
export function responseClass(fieldCase: () => FieldCase): typeof ServerResponse {
  return class<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    override writeHead(status: number, ...rest: unknown[]): this {
      const written = fieldCase() === 'usual' ? rest.map(spelled) : rest;
      Reflect.apply(super.writeHead, this, [status, ...written]);
      return this;
    }

    override setHeader(name: string, value: number | string | readonly string[]): this {
      return super.setHeader(fieldCase() === 'usual' ? usualName(name) : name, value);
    }

    override addTrailers(trailers: Parameters<ServerResponse['addTrailers']>[0]): void {
      Reflect.apply(super.addTrailers, this, [
        fieldCase() === 'usual' ? spelled(trailers) : trailers,
      ]);
    }
  };
}

/** Writes fields that are passed on, with their names as they came. */
export function writePassedHead(
  response: ServerResponse,
  status: number,
  fields: readonly string[],
): void {
  Reflect.apply(ServerResponse.prototype.writeHead, response, [status, fields]);
}

/** Header fields as a list, or by name; anything else as it is. */
function spelled(fields: unknown): unknown {
  if (Array.isArray(fields)) return spellNames(fields);
  if (typeof fields !== 'object' || fields === null) return fields;
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]: [string, unknown]) => [usualName(name), value]),
  );
}
