import { Buffer } from 'node:buffer';

/** A field of a form: its content, and the name of its file. */
export type FormField = readonly [name: string, content: Uint8Array | string, filename?: string];

export const FORM_TYPE = 'multipart/form-data; boundary=----f0rm';

/** The fields as browsers write them. */
export const printForm = (fields: readonly FormField[]): Buffer =>
  Buffer.concat([
    ...fields.flatMap(([name, content, filename]) => [
      Buffer.from(
        '------f0rm\r\nContent-Disposition: form-data; ' +
          `name="${name}"${
            filename === undefined
              ? ''
              : `; filename="${filename}"\r\n\
Content-Type: image/png`
          }\r\n\r\n`,
      ),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]),
    Buffer.from('------f0rm--\r\n'),
  ]);

/** A GraphQL multipart request: files by the places of their variables. */
export function uploadForm(
  query: string,
  files: Readonly<Record<string, Uint8Array | string>>,
  variables: Readonly<Record<string, unknown>> = {},
): Buffer {
  const names = Object.keys(files);
  const nulls = Object.fromEntries(
    names.filter((name) => !name.includes('.')).map((name) => [name, null]),
  );
  return printForm([
    ['operations', JSON.stringify({ query, variables: { ...nulls, ...variables } })],
    [
      'map',
      JSON.stringify(
        Object.fromEntries(names.map((name, at) => [String(at), [`variables.${name}`]])),
      ),
    ],
    ...names.map((name, at): FormField => [String(at), files[name] ?? '', `${name}.png`]),
  ]);
}
