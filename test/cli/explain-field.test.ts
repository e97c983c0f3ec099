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
    operations:
      GetOrder: {}
      SaveOrder: {}
      FindOrders:
        arguments:
          active: { convert: { boolean: { true: J, false: N } } }
          since: { convert: { date: yyyyMMdd, nullWhen: ["00000000"] } }
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

t.test('an argument is explained: type, element, conversion, absence, null, rights', async (t) => {
  const folder = await useFolder(t, { 'orders.wsdl': VALUES_WSDL, 'soapstone.yaml': YAML });
  const explained = async (name: string): Promise<{ code: number; text: string }> => {
    const { printed, ...terminal } = recordedTerminal();
    const code = await explainField(join(folder, 'soapstone.yaml'), name, terminal);
    return { code, text: printed.lines.join('\n') };
  };
  for (const [name, lines] of [
    [
      'Query.findOrders(since)',
      [
        /type +Date$/m,
        /service +orders$/m,
        /operation +FindOrders$/m,
        /on the wire +since$/m,
        /conversion +date: yyyyMMdd; null when "00000000"$/m,
        /absent +the text "00000000"$/m,
        /null +the text "00000000"$/m,
        /rights +every caller may give it$/m,
      ],
    ],
    ['Query.findOrders(active)', [/type +Boolean$/m, /absent +left out$/m, /null +left out$/m]],
    ['Mutation.saveOrder(order.total)', [/on the wire +order\/total$/m, /decimal: 2 places/]],
    ['Mutation.saveOrder(order.code)', [/on the wire +order\/codes\/code$/m]],
    ['Mutation.saveOrder(order.due)', [/on the wire +order\/@due$/m]],
    ['Mutation.saveOrder(order)', [/type +OrderInput!$/m, /absent +refused$/m]],
    ['OrderInput.total', [/operation +SaveOrder$/m, /on the wire +order\/total$/m]],
  ] as const) {
    const { code, text } = await explained(name);
    t.equal(code, 0, name);
    for (const line of lines) t.match(text, line, name);
  }
  for (const [name, text] of [
    ['Query.findOrders(sinse)', /findOrders takes no sinse. Did you mean since\?/],
    ['Mutation.saveOrder(order.totel)', /OrderInput takes no totel. Did you mean total\?/],
    ['Mutation.saveOrdr(order)', /Did you mean saveOrder\?/],
    ['Order.total(x)', /Order is no type of the root/],
    ['OrderInput.totel', /Did you mean total\?/],
  ] as const)
    t.match(await explained(name), { code: 1, text });
});
