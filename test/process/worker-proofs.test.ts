import t from 'tap';
import { answerWith } from '../kit/backend.js';
import { envelope } from '../kit/envelope.js';
import { postJson } from '../kit/graphql-client.js';
import { makeProver } from '../kit/proofs.js';
import { makeIssuer } from '../kit/token-issuer.js';
import { useBackend } from '../kit/use.js';
import { start, WSDL } from './process-kit.js';

/** Proofs of tokens (RFC 9449) that come to several workers. */

const PROOFS = 24;

t.test('a proof is taken once by all workers, whichever gets it', async (t) => {
  const reply = '<GetOrderResponse xmlns="urn:orders"/>';
  const backend = await useBackend(t, answerWith(envelope(reply)));
  const issuer = await makeIssuer();
  const prover = await makeProver();
  const token = await issuer.sign({ cnf: { jkt: prover.thumbprint } });
  const services = `services: { orders: { wsdl: "${WSDL}", url: "${backend.url}" } }\n`;
  const clients = `clients:
  ${issuer.yaml('class: all, proof: dpop, dpop: { nonce: true }')}
  classes: { all: {} }
`;
  const gateway = await start(t, `workers: 4\n${clients}`, services);
  const url = `${gateway.url}/graphql`;
  const send = async (headers: Readonly<Record<string, string>>): Promise<Response> => {
    // A connection of its own may go to any worker.
    const answer = await postJson(
      url,
      { query: '{ __typename }' },
      { ...headers, connection: 'close' },
    );
    await answer.text();
    return answer;
  };
  const asked = await send(await prover.fields({ url, token }));
  t.equal(asked.status, 401);
  const nonce = asked.headers.get('dpop-nonce');
  const statuses: number[] = [];
  for (let at = 0; at < PROOFS; at++) {
    const fields = await prover.fields({ url, token }, { nonce });
    const answers = await Promise.all(Array.from({ length: 4 }, () => send(fields)));
    const found = answers.map(({ status }) => status).sort();
    statuses.push(...found);
    t.same(found, [200, 401, 401, 401], `proof ${at}`);
    t.equal((await send(fields)).status, 401, 'and later');
  }
  t.equal(statuses.filter((status) => status === 200).length, PROOFS);
});
