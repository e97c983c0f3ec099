import t from 'tap';
import { postJson } from '../kit/graphql-client.js';
import { makeProver } from '../kit/proofs.js';
import { makeIssuer } from '../kit/token-issuer.js';
import { useGateway } from '../kit/use.js';
import { MISSING, useRedis } from './kit.js';

/** Proofs of tokens (RFC 9449) that come to several replicas. */

t.test('a proof is taken once by all replicas', { skip: MISSING }, async (t) => {
  const redis = await useRedis(t);
  const issuer = await makeIssuer();
  const prover = await makeProver();
  const token = await issuer.sign({ cnf: { jkt: prover.thumbprint } });
  const keys = `keys: [${'k'.repeat(32)}]`;
  const yaml = `redis: { url: "${redis.url}", operationMillis: 1s }
publicUrl: https://api.example
services: { orders: { wsdl: "demo:legacy.wsdl", url: "http://127.0.0.1:9/" } }
clients:
  ${issuer.yaml(`class: all, proof: dpop, dpop: { nonce: true, ${keys} }`)}
  classes: { all: {} }
`;
  const replicas = [await useGateway(t, yaml), await useGateway(t, yaml)];
  const call = { url: 'https://api.example/graphql', token };
  const send = async (headers: Readonly<Record<string, string>>, at: number) => {
    const url = `${replicas[at % 2]?.url}/graphql`;
    const answer = await postJson(url, { query: '{ __typename }' }, headers);
    await answer.text();
    return answer;
  };
  const asked = await send(await prover.fields(call), 0);
  const nonce = asked.headers.get('dpop-nonce');
  for (let at = 0; at < 8; at++) {
    const fields = await prover.fields(call, { nonce });
    const answers = await Promise.all([0, 1, 2, 3].map((each) => send(fields, each)));
    const statuses = answers.map(({ status }) => status).sort();
    t.same(statuses, [200, 401, 401, 401], 'whichever gets it, with the nonce of another');
  }
  await redis.close();
  const refused = await send(await prover.fields(call, { nonce }), 1);
  t.equal(refused.status, 503, 'closed while they cannot be compared');
});
