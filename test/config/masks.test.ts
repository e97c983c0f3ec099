import t from 'tap';
import { useConfigFolder } from '../kit/configuration.js';

/** Masks by class: names must exist, and `default` is for all that are not named. */

const { load, problems } = await useConfigFolder(t);

const CLIENTS = `clients:
  address: { class: public }
  classes: { public: {}, partner: {}, internal: {} }
`;

const yaml = (mask: string, clients = CLIENTS): string => `services:
  bank: { url: "http://a/", schema: { types: { Customer: { fields: { iban: { mask: \
${mask} } } } } } }
  crm: { kind: graphql, url: "http://a/", fields: { Customer.iban: { mask: ${mask} } } }
${clients}`;

/** The masks of both kinds of services, by class. */
async function masks(text: string): Promise<readonly unknown[]> {
  const { services, graphqlServices } = (await load(text)).config;
  const own = services['bank']?.schema.types['Customer']?.fields['iban']?.mask;
  return [own, graphqlServices['crm']?.fields['Customer.iban']?.mask].map((each) => ({ ...each }));
}

const both = (mask: Readonly<Record<string, string>>): readonly unknown[] => [mask, mask];

t.test('a mask by itself, and `default`, are for all classes that are not named', async (t) => {
  t.same(
    await masks(yaml('last4')),
    both({ public: 'last4', partner: 'last4', internal: 'last4' }),
  );
  t.same(
    await masks(yaml('{ default: hash, internal: none, partner: last4 }')),
    both({ public: 'hash', partner: 'last4', internal: 'none' }),
  );
  t.same(
    await masks(yaml('{ partner: last4 }')),
    both({ partner: 'last4' }),
    'others get the value',
  );
  t.same(
    await masks(yaml('last4', '')),
    both({ default: 'last4' }),
    'all clients, where none has a class',
  );
});

t.test('a mask for a class that does not exist is an error, with the nearest name', async (t) => {
  const at = (path: string): string =>
    `\`services.${path}.mask.partnr\` is none of \`clients.classes\`.`;
  const meant = 'Did you mean `partner`?';
  t.same(await problems(yaml('{ partnr: last4 }')), [
    `2:86: ${at('bank.schema.types.Customer.fields.iban')} ${meant}`,
    `3:78: ${at('crm.fields.Customer.iban')} ${meant}`,
  ]);
  t.match(await problems(yaml('{ zzzzzzzzz: last4 }')), [
    /Known: public, partner, internal; `default` is for all that are not named\./,
    /Known/,
  ]);
  t.match(await problems(yaml('{ defualt: last4 }')), [/Did you mean `default`\?/, /`default`/]);
  t.match(await problems(yaml('{ partner: last4 }', '')), [
    /is for a class, and `clients` has no `classes`\. Write `mask: last4` for all callers, or configure `clients`\./,
    /no `classes`/,
  ]);
});

t.test('a mask that is empty or unknown is an error', async (t) => {
  t.match(await problems(yaml('{}')), [/must not be empty/, /must not be empty/]);
  t.match(await problems(yaml('last5')), [/Did you mean `last4`\?|last4/, /last4/]);
  t.match(await problems(yaml('{ partner: last5 }')), [/Did you mean `last4`\?/, /last4/]);
});
