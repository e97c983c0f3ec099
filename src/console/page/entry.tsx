import type { schemaDocs } from '../../graphql/index.js';

/** An operation or a type as the written documentation has it. */
export function Entry({ entry: { name, blocks } }: { readonly entry: schemaDocs.PageEntry }) {
  return (
    <section>
      <h3>{name}</h3>
      {blocks.map((block, at) => (
        <Block key={at} block={block} />
      ))}
    </section>
  );
}

function Block({ block }: { readonly block: schemaDocs.PageBlock }) {
  if (block.kind === 'code') return <pre>{block.text}</pre>;
  if (block.kind === 'text') {
    return (
      <p>
        <Inline text={block.text} />
      </p>
    );
  }
  return (
    <table>
      <thead>
        <tr>
          {block.head.map((text) => (
            <th key={text} scope="col">
              {text}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {block.rows.map((row, at) => (
          <tr key={at}>
            {row.map((text, column) => (
              <td key={column}>
                <Inline text={text} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const Inline = ({ text }: { readonly text: schemaDocs.InlineText }) => (
  <>
    {text.map((part, at) => (typeof part === 'string' ? part : <code key={at}>{part.code}</code>))}
  </>
);
