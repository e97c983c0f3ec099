import t from 'tap';

import { Exchange } from '../../src/gateway/exchange.js';
import { AccessLines } from '../../src/observe/log/access-line.js';

const made = (changes: Partial<Exchange> = {}, method = 'POST'): Exchange =>
  Object.assign(new Exchange('x-1', '192.0.2.1', method), {
    route: 'orders',
    operation: 'GetOrders',
    dialect: 'SOAP 1.1',
    status: 200,
    ...changes,
  });

t.test('a line tells of its own request, whatever it has in common with the one before', (t) => {
  const lines = new AccessLines(() => ',"time":"2026-01-02T03:04:05.006Z"');
  const asked: readonly Exchange[] = [
    made(),
    made(),
    made({ route: 'payroll' }),
    made({ route: 'payroll', operation: 'GetSalary' }),
    made({ route: 'payroll', operation: 'GetSalary', dialect: 'SOAP 1.2' }),
    made({ route: 'payroll', operation: 'GetSalary', dialect: 'SOAP 1.2', status: 500 }),
    made({
      route: 'payroll',
      operation: 'GetSalary',
      dialect: 'SOAP 1.2',
      status: 500,
      outcome: 'fault',
    }),
    made(
      {
        route: 'payroll',
        operation: 'GetSalary',
        dialect: 'SOAP 1.2',
        status: 500,
        outcome: 'fault',
      },
      'GET',
    ),
    made(),
  ];
  for (const exchange of asked) {
    const { method, route, operation, dialect, status, outcome } = exchange;
    const line = lines.print(exchange, 1.5);
    t.ok(line.endsWith('}\n'));
    t.match(JSON.parse(line), {
      id: 'x-1',
      client: '192.0.2.1',
      method,
      route,
      operation,
      dialect,
      status,
      outcome,
    });
  }
  t.end();
});
