import { type inputFiles, Refusal } from '../../core/index.js';
import type { CallToAuthorize, Credentials, Fields } from './credentials.js';

/** A bearer token (RFC 6750) in a file that rotates. */
export class RotatingBearer implements Credentials {
  readonly #file: inputFiles.RotatingFile;

  constructor(file: inputFiles.RotatingFile) {
    this.#file = file;
  }

  fields({ refused }: CallToAuthorize): Fields | Promise<Fields> {
    return refused === null ? bearerFields(this.#file.content) : this.#others(refused.fields);
  }

  /** The old token may be revoked before this process has read the new one. */
  async #others(refused: Fields): Promise<Fields> {
    await this.#file.refresh();
    const fields = bearerFields(this.#file.content);
    if (fields[1] === refused[1]) throw new Refusal('UPSTREAM_AUTH', 'status 401');
    return fields;
  }
}

export const bearerFields = (token: string): Fields => ['authorization', `Bearer ${token}`];
