import { resolve } from 'node:path';
import t, { type Test } from 'tap';

import { answerWith, type RecordingBackend, startRecordingBackend } from '../kit/backend.js';
import { startTestGateway, type TestGateway } from '../kit/gateway.js';

const ENVELOPES: Readonly<Record<string, string>> = {
  '1.1': 'http://schemas.xmlsoap.org/soap/envelope/',
  '1.2': 'http://www.w3.org/2003/05/soap-envelope',
};

const envelope = (content: string, version: string): string =>
  `<E:Envelope xmlns:E="${ENVELOPES[version]}" xmlns:d="http://legacy.example.com/desk"><E:Body>${content}</E:Body></E:Envelope>`;

const FAULT =
  '<d:OrderFault><d:code>404</d:code><d:field>id</d:field><d:reason>No &lt;such&gt; order</d:reason></d:OrderFault>';

const faultWith = (detail: string, version: string): string =>
  version === '1.1'
    ? `<E:Fault><faultcode>E:Server</faultcode><faultstring>no</faultstring><detail>${detail}</detail></E:Fault>`
    : '<E:Fault><E:Code><E:Value>E:Sender</E:Value><E:Subcode><E:Value>d:Gone</E:Value><E:Subcode><E:Value>d:Sold</E:Value>' +
      '</E:Subcode></E:Subcode></E:Code><E:Reason><E:Text xml:lang="en">no</E:Text><E:Text xml:lang="de">nein</E:Text></E:Reason>' +
      `<E:Node>urn:n</E:Node><E:Role>urn:r</E:Role><E:Detail>${detail}</E:Detail></E:Fault>`;

interface Desk {
  readonly backend: RecordingBackend;
  readonly gateway: TestGateway;
  ask(query: string): Promise<Record<string, unknown>>;
}

async function startDesk(t: Test, version: string, more = ''): Promise<Desk> {
  const backend = await startRecordingBackend(answerWith(''));
  const gateway = await startTestGateway(`services:
  desk:
    wsdl: ${resolve('config/demo/legacy.wsdl')}
    url: ${backend.url}/desk
    versions: ["${version}"]
    operations:
      GetOrder: { field: Query.order, faults: union }
      CancelOrder: { field: Mutation.cancelOrder, faults: union }
      GetInventory: { field: Query.inventory, faults: union }
      PlaceOrder: { field: Mutation.placeOrder }
      ListOrders: { field: Query.orders }
${more}`);
  t.teardown(async () => {
    await gateway.close();
    await backend.close();
  });
  return {
    backend,
    gateway,
    async ask(query) {
      const response = await fetch(`${gateway.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      const answer: Record<string, unknown> = JSON.parse(await response.text());
      return answer;
    },
  };
}

const QUERY =
  '{ order(id: 1) { __typename ... on GetOrderOutcome { t: __typename } ... on Order { id lines { sku } } ... on OrderFault { code why: reason } } }';

for (const version of ['1.1', '1.2']) {
  t.test(`a declared Fault is data where the mapping says so, whatever the status (${version})`, async (t) => {
    const { backend, gateway, ask } = await startDesk(t, version);
    for (const [index, status] of [500, 200, 400].entries()) {
      const type = version === '1.1' ? 'text/xml' : 'application/soap+xml';
      backend.answer = answerWith(envelope(faultWith(FAULT, version), version), type, status);
      t.same(await ask(QUERY), {
        data: { order: { __typename: 'OrderFault', t: 'OrderFault', code: 404, why: 'No <such> order' } },
      });
      t.match(await gateway.accessLine(index + 1), { outcome: 'ok', upstreamCalls: 1 });
    }
    backend.answer = answerWith(
      envelope(
        '<d:GetOrderResponse xmlns:y="http://legacy.example.com/desk/types"><d:order><y:id>7</y:id></d:order></d:GetOrderResponse>',
        version,
      ),
    );
    t.match(await ask('{ order(id: 1) { __typename ... on Order { id } } }'), {
      data: { order: { __typename: 'Order', id: '7' } },
    });
  });

  t.test(`a Fault that is not declared, or is not what its type says, is an error (${version})`, async (t) => {
    const { backend, ask } = await startDesk(t, version);
    backend.answer = answerWith(envelope(faultWith('<d:Other>x</d:Other>', version), version), 'text/xml', 500);
    t.match(await ask(QUERY), {
      data: { order: null },
      errors: [{ path: ['order'], extensions: { code: 'SOAP_FAULT' } }],
    });
    backend.answer = answerWith(
      envelope(faultWith('<d:OrderFault>x</d:OrderFault>', version), version),
      'text/xml',
      500,
    );
    t.match(await ask(QUERY), {
      data: { order: null },
      errors: [{ extensions: { code: 'SOAP_FAULT', soap: { detail: { OrderFault: 'x' } } } }],
    });
    backend.answer = answerWith(envelope('<d:ResetDeskResponse/>', version));
    t.match(await ask(QUERY), { data: { order: null }, errors: [{ extensions: { code: 'UPSTREAM_DESYNC' } }] });
  });

  t.test(`as an error a Fault tells its detail by its type (${version})`, async (t) => {
    const { backend, ask } = await startDesk(t, version);
    const two = `${FAULT}<d:Other>y</d:Other>`;
    backend.answer = answerWith(envelope(faultWith(two, version), version), 'text/xml', 500);
    const { errors } = await ask('mutation { placeOrder(order: { customerCode: "C", lines: [] }) { orderId } }');
    const [error] = Array.isArray(errors) ? errors : [];
    t.same(error?.extensions, {
      code: 'SOAP_FAULT',
      soap: {
        ...(version === '1.1'
          ? { code: 'Server', string: 'no', actor: null }
          : {
              code: 'Sender',
              subcode: 'Gone',
              subcodes: ['Gone', 'Sold'],
              string: 'no',
              reasons: [
                { lang: 'en', text: 'no' },
                { lang: 'de', text: 'nein' },
              ],
              role: 'urn:r',
              node: 'urn:n',
              actor: 'urn:r',
            }),
        detail: { OrderFault: { code: 404, field: 'id', reason: 'No <such> order' } },
      },
    });
  });
}

t.test('an answer that is no object is the value of a payload', async (t) => {
  const { backend, ask } = await startDesk(t, '1.1');
  const query =
    'mutation { cancelOrder(id: 1, reason: "r") { __typename ... on CancelOrderPayload { value } ... on OrderFault { code } } }';
  t.match(await ask('{ __type(name: "CancelOrderOutcome") { kind possibleTypes { name fields { name } } } }'), {
    data: {
      __type: {
        kind: 'UNION',
        possibleTypes: [{ name: 'CancelOrderPayload' }, { name: 'OrderFault' }],
      },
    },
  });
  backend.answer = answerWith(
    envelope('<d:CancelOrderResponse><d:cancelled>true</d:cancelled></d:CancelOrderResponse>', '1.1'),
  );
  t.same(await ask(query), { data: { cancelOrder: { __typename: 'CancelOrderPayload', value: true } } });
  backend.answer = answerWith(envelope(faultWith(FAULT, '1.1'), '1.1'));
  t.same(await ask(query), { data: { cancelOrder: { __typename: 'OrderFault', code: 404 } } });
});

t.test('details that callers may not see are no data either', async (t) => {
  const { backend, ask } = await startDesk(t, '1.1', '    faultDetail: none\n');
  backend.answer = answerWith(envelope(faultWith(FAULT, '1.1'), '1.1'));
  t.match(await ask(QUERY), { data: { order: null }, errors: [{ extensions: { soap: { detail: null } } }] });
});
