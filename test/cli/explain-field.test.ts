import { join } from 'node:path';
import t from 'tap';
import { explainField } from '../../src/cli/explain-field.js';
import { VALUES_WSDL } from '../features/values-desk.js';
import { recordedTerminal } from '../kit/command.js';
import { useFolder } from '../kit/use.js';

/** `check --explain-field`: one field with all that the mapping says of it. */

const YAML = `clients:
  classes: { partner: {}, default: { scopes: [sales] } }
  apiKeys: { clients: { one: { class: partner, keys: [key-of-one-0000000] } } }
services:
  orders:
    wsdl: orders.wsdl
    url: http://127.0.0.1:1/
    operations: { GetOrder: {} }
    schema:
      types:
        Order:
          fields:
            total:
              convert: { decimal: 2, digits: 7, nullWhen: ["0000000"] }
              scopes: [sales]
              mask: { partner: "null", default: none }
              cost: 3
              description: With tax.
            code: { path: codes/code }
`;

t.test('a field is explained: type, element, conversion, null, rights, mask, cost', async (t) => {
  const folder = await useFolder(t, { 'orders.wsdl': VALUES_WSDL, 'soapstone.yaml': YAML });
  const explained = async (name: string): Promise<{ code: number; text: string }> => {
    const { printed, ...terminal } = recordedTerminal();
    const code = await explainField(join(folder, 'soapstone.yaml'), name, terminal);
    return { code, text: printed.lines.join('\n') };
  };
  const { code, text } = await explained('Order.total');
  t.equal(code, 0);
  for (const line of [
    /type +Decimal$/m,
    /service +orders$/m,
    /on the wire +total$/m,
    /conversion +decimal: 2 places, 7 digits; null when "0000000"$/m,
    /null +may be null$/m,
    /rights +requires .*sales/,
    /mask +null for class partner$/m,
    /cost +3 each time it is selected, 1 for each Order$/m,
    /^With tax\.$/m,
  ])
    t.match(text, line);
  const lifted = await explained('Order.code');
  t.match(lifted.text, /on the wire +codes\/code$/m);
  t.match(lifted.text, /type +\[String!\]$/m);
  t.match(await explained('Order.totel'), { code: 1, text: /Did you mean total\?/ });
  t.match(await explained('Ordre.total'), { code: 1, text: /Did you mean Order\?/ });
});
