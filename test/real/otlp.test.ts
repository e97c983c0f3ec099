import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

import { answerWith, type RecordedMessage } from '../kit/backend.js';
import { envelope, postSoap } from '../kit/envelope.js';
import { startProcess } from '../kit/gateway-process.js';
import { PROTOBUF } from '../kit/otlp.js';
import { until } from '../kit/until.js';
import { useBackend } from '../kit/use.js';
import { missing, OTLP_PYTHON } from './programs.js';

/** Requests of OTLP as the messages of OpenTelemetry's own package decode them. */

/** Prints a request as JSON, and fails for fields that the messages do not have. */
const DECODE = `import sys
from google.protobuf.json_format import MessageToJson
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
kinds = {'/v1/metrics': ExportMetricsServiceRequest, '/v1/logs': ExportLogsServiceRequest,
         '/v1/traces': ExportTraceServiceRequest}
message = kinds[sys.argv[1]]()
message.ParseFromString(open(sys.argv[2], 'rb').read())
size = message.ByteSize()
message.DiscardUnknownFields()
assert message.ByteSize() == size, 'it has unknown fields'
print(MessageToJson(message, ensure_ascii=False))
`;

t.test(
  'metrics, log lines and spans are what opentelemetry-proto decodes them to',
  { skip: missing('opentelemetry-proto') },
  async (t) => {
    const receiver = await useBackend(t, answerWith('', PROTOBUF));
    const backend = await useBackend(t, answerWith(envelope('<GotStock xmlns="urn:shop"/>')));
    const to = (signal: string) => `"${receiver.url}/v1/${signal}"`;
    const gateway = await startProcess(
      t,
      `services: { shop: { url: ${backend.url} } }
metrics: { otlp: ${to('metrics')}, everyMillis: 1000, attributes: { team: größe } }
log: { otlp: ${to('logs')} }
traces: { otlp: ${to('traces')}, sample: 1 }
`,
    );
    const message = envelope('<GetStock xmlns="urn:shop"/>');
    t.equal((await postSoap(`${gateway.url}/soap/shop`, message)).status, 200);
    const folder = t.testdir();
    const decoded = ({ target, body }: RecordedMessage): string => {
      const file = join(folder, 'request.bin');
      writeFileSync(file, body);
      const run = spawnSync(OTLP_PYTHON, ['-c', DECODE, target, file], {
        encoding: 'utf8',
        env: { ...process.env, PYTHONIOENCODING: 'utf-8' },
      });
      t.equal(run.status, 0, run.stderr);
      return run.stdout;
    };
    const firstWith = async (signal: string, text: string): Promise<string> => {
      const isIt = ({ target, body }: RecordedMessage) =>
        target === `/v1/${signal}` && body.includes(text);
      await until(() => receiver.complete.some(isIt));
      const found = receiver.complete.find(isIt);
      return found === undefined ? '' : decoded(found);
    };
    const metrics = await firstWith('metrics', 'http.client.request.duration');
    for (const name of [
      'soapstone_requests_total',
      'http.server.request.duration',
      'http.client.request.duration',
    ])
      t.match(metrics, `"name": "${name}"`);
    t.match(metrics, 'größe', 'an attribute of the resource');
    t.match(metrics, `"intValue": "${new URL(backend.url).port}"`, 'a port is a number');
    t.match(await firstWith('logs', 'soapstone.route'), /"stringValue": "request"/);
    const spans = await firstWith('traces', 'shop');
    t.match(spans, /"traceId": "[A-Za-z0-9+/]{22}=="/, 'of 16 bytes');
    t.match(spans, /"spanId": "[A-Za-z0-9+/]{11}="/, 'of 8 bytes');
  },
);
