import t from 'tap';
import { useSchemaDesk } from './schema-desk.js';

/** Rights and masks of a schema by a function of the context of a server. */

const CLASSES = { partner: {}, office: {}, reader: { deny: ['desk.FindOrders'] } };

const MASKED = {
  choices: 'union',
  types: { Customer: { fields: { name: { mask: { default: 'last4', office: 'none' } } } } },
};

interface Context {
  readonly role?: string;
}

const callerOf = ({ role }: Context) => (role === undefined ? {} : { class: role, id: role });

t.test('the class of a caller decides about fields and masks', async (t) => {
  const desk = await useSchemaDesk(t, {
    schema: MASKED,
    configuration: { clients: { classes: CLASSES } },
    caller: callerOf,
  });
  const name = async (role?: string): Promise<unknown> =>
    desk.ask('{ getCustomer(id: 1) { name } }', {}, role === undefined ? {} : { role });
  t.same(await name('office'), { data: { getCustomer: { name: 'Ada' } } });
  t.same(await name('partner'), { data: { getCustomer: { name: '****a' } } });
  t.match(await desk.ask('{ findOrders(customer: [1]) { number } }', {}, { role: 'reader' }), {
    errors: [{ extensions: { code: 'FORBIDDEN' } }],
  });
  const calls = desk.backend.complete.length;
  t.match(await name(), { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
  t.match(await name('other'), { errors: [{ message: /the class other/ }] });
  t.equal(desk.backend.complete.length, calls, 'nothing is called');
});

t.test('without classes a mask is for all callers', async (t) => {
  const types = { Customer: { fields: { name: { mask: 'last4' } } } };
  const desk = await useSchemaDesk(t, { schema: { types } });
  t.same(await desk.ask('{ getCustomer(id: 1) { name } }'), {
    data: { getCustomer: { name: '****a' } },
  });
});

t.test('header fields and the address of a caller get into calls', async (t) => {
  const desk = await useSchemaDesk(t, {
    forwardHeaders: ['x-tenant'],
    caller: async ({ role = '' }: Context) => ({
      headers: { 'x-tenant': role },
      address: '192.0.2.7',
    }),
  });
  await desk.ask('{ getCustomer(id: 1) { name } }', {}, { role: 'north' });
  t.match(desk.backend.complete[0]?.headers, {
    'x-tenant': 'north',
    'x-forwarded-for': '192.0.2.7',
  });
});

t.test('the budget of a class is spent', async (t) => {
  const classes = { small: { budget: { maximum: 30, restoreRate: 1 } } };
  const desk = await useSchemaDesk(t, {
    configuration: { clients: { classes } },
    caller: () => ({ class: 'small', id: 'a' }),
  });
  const query = '{ getCustomer(id: 1) { id } }';
  await desk.ask(query);
  await desk.ask(query);
  t.match(await desk.ask(query), { errors: [{ extensions: { code: 'RATE_LIMITED' } }] });
});
