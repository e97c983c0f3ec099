import { readFile } from 'node:fs/promises';
import { Problems } from '../base/problem.js';
import { isRecord } from '../base/record.js';
import { readYaml } from './yaml-source.js';

/** The WSDLs that a configuration names, as far as it can be read at all: nothing else of it need be right. */
export async function namedWsdls(file: string): Promise<readonly string[]> {
  try {
    const { value } = readYaml(await readFile(file, 'utf8'), file);
    const services = isRecord(value) ? value['services'] : null;
    if (!isRecord(services)) return [];
    const named = Object.values(services).flatMap((service) => (isRecord(service) ? [service['wsdl']] : []));
    const paths = named.filter((wsdl) => typeof wsdl === 'string').filter((wsdl) => !wsdl.includes('${'));
    return [...new Set(paths)];
  } catch (error) {
    if (error instanceof Problems || (error instanceof Error && 'code' in error)) return [];
    throw error;
  }
}
