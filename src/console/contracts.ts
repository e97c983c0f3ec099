import type { Compiled } from '../compile.js';
import type { ConvertKeys } from '../config/graphql/convert-keys.js';
import { openIn } from '../config/protection/weakenings.js';
import type { ServiceConfig } from '../config/schema.js';
import type { ContractDescription, ConvertedLine, ToleratedLine } from './answers.js';

/** Conversions that are listed. */
const CONVERTED_MAX = 1000;

/** The deviations that services tolerate, the values they convert, and what is left open. */
export function describeContracts({ config, services }: Compiled): ContractDescription {
  const converted = services.flatMap((service) => convertedOf(service.name, service.config));
  return {
    tolerated: services.flatMap((service) => toleratedOf(service.name, service.config)),
    converted: converted.slice(0, CONVERTED_MAX),
    convertedCount: converted.length,
    open: openIn(config),
  };
}

function toleratedOf(
  service: string,
  { tolerate, operations }: ServiceConfig,
): readonly ToleratedLine[] {
  const own = Object.entries(operations).map(([operation, mapping]) => ({
    service,
    operation,
    deviations: (typeof mapping === 'object' ? mapping.tolerate : undefined) ?? [],
  }));
  return [{ service, operation: '', deviations: tolerate ?? [] }, ...own].filter(
    ({ deviations }) => deviations.length > 0,
  );
}

function convertedOf(
  service: string,
  { schema, operations }: ServiceConfig,
): readonly ConvertedLine[] {
  const lines: ConvertedLine[] = [];
  const add = (field: string, convert: ConvertKeys | undefined): void => {
    if (convert !== undefined) {
      lines.push({ service, field, as: printConversion(convert) });
    }
  };
  for (const [type, { fields }] of Object.entries(schema.types)) {
    for (const [name, rules] of Object.entries(fields ?? {})) {
      add(`${type}.${name}`, typeof rules === 'object' ? rules.convert : undefined);
    }
  }
  for (const [operation, mapping] of Object.entries(operations)) {
    if (typeof mapping !== 'object') continue;
    for (const [name, rules] of Object.entries(mapping.arguments ?? {})) {
      add(`${operation}(${name})`, typeof rules === 'object' ? rules.convert : undefined);
    }
  }
  return lines;
}

/** Characters of a conversion that are shown: an enumeration may have thousands of texts. */
const SHOWN_MAX = 120;

/** As YAML has it on one line. */
function printConversion(convert: ConvertKeys): string {
  const text = Object.entries(convert)
    .map(([key, value]) => `${key}: ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(', ');
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)} …` : text;
}
