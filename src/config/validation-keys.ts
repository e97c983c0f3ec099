/** Keys of a service about the content of its Bodies: the part of the table of keys for it. */

export const VALIDATION_LEVELS = ['off', 'report', 'enforce'] as const;

/** `report` counts and logs what breaks the schema and lets it through; `enforce` refuses it. */
export type ValidationLevel = (typeof VALIDATION_LEVELS)[number];

export interface ValidationKeys {
  requests: ValidationLevel;
  replies: ValidationLevel;
}

const level = (description: string, initial: ValidationLevel) =>
  ({ type: 'string', enum: VALIDATION_LEVELS, description, default: initial }) as const;

export const VALIDATION_KEYS = {
  type: 'object',
  description:
    'Whether Bodies are validated against the schema of the WSDL. Content that may be anything is looked into only with `enforce`. `mode: monitor` reports at most.',
  additionalProperties: false,
  default: {},
  required: ['requests', 'replies'],
  properties: {
    requests: level(
      'Of callers: `off`; `report` counts and logs the first violation of each; `enforce` refuses them.',
      'off',
    ),
    replies: level(
      'Of the backend, alike. What GraphQL reads is checked as it is read; with `enforce` all of it is validated.',
      'report',
    ),
  },
} as const;
