import type { ComponentChildren } from 'preact';

import { Prose } from './prose.js';

interface Props {
  readonly title: string;
  /** Names of columns; those of figures with a `#` in front. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** The text where there are no rows. */
  readonly empty: string;
  /** Below the rows. */
  readonly note?: string | undefined;
}

export function Table({ title, columns, rows, empty, note }: Props) {
  if (rows.length === 0) {
    return (
      <>
        <h2>{title}</h2>
        <p class="muted">
          <Prose text={empty} />
        </p>
      </>
    );
  }
  const classOf = (index: number): string =>
    columns[index]?.startsWith('#') === true ? 'number' : '';
  return (
    <>
      <h2>{title}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard, too. */}
      <figure tabIndex={0}>
        <table>
          <thead>
            <tr>
              {columns.map((column, index) => (
                <th key={column} scope="col" class={classOf(index)}>
                  {column.replace('#', '')}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((cells, row) => (
              <tr key={row}>
                {cells.map((cell, index) => (
                  <td key={columns[index]} class={classOf(index)}>
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </figure>
      {note === undefined ? null : (
        <p class="muted">
          <Prose text={note} />
        </p>
      )}
    </>
  );
}
