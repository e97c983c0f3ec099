import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

import { makeMockServer } from '../../src/cli/mock/mock.js';
import type { WantedTextsOf } from '../../src/codec/example/wanted-texts.js';
import type { WsdlModel } from '../../src/wsdl/model.js';

/**
 * The address of a mock that answers by a model, or with the recorded replies of a folder. It ends
 * with the test.
 */
export async function useMock(
  t: Test,
  model: WsdlModel,
  answers: string | null = null,
  texts: WantedTextsOf | null = null,
): Promise<string> {
  const server = makeMockServer(model, { answers, texts }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
