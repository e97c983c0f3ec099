// Sends messages as they are through the package `soap`, and prints what its user sees of each answer, as JSON by name.
const { readFileSync } = require('node:fs');
const soap = require('soap');

class RawClient extends soap.HttpClient {
  buildRequest(rurl, data, headers, options) {
    if (data === null || data === undefined) return super.buildRequest(rurl, data, headers, options);
    const { url, body, action, headers: given } = this.message;
    const built = super.buildRequest(url, data, headers, options);
    built.data = Buffer.from(body, 'base64');
    Object.assign(built.headers, { SOAPAction: `"${action}"`, 'Content-Length': built.data.length, ...given });
    return built;
  }
}

(async () => {
  const httpClient = new RawClient();
  const client = await soap.createClientAsync(`${process.argv[2]}?wsdl`, { httpClient });
  const shown = {};
  for (const message of JSON.parse(readFileSync(process.argv[3], 'utf8'))) {
    httpClient.message = message;
    try {
      await client.GetOrderAsync({ id: 1 });
      shown[message.name] = { message: 'answered' };
    } catch (error) {
      const fault = error.root?.Envelope?.Body?.Fault;
      shown[message.name] = { message: fault?.faultstring ?? `${error.message} ${error.body ?? ''}`, detail: JSON.stringify(fault?.detail ?? null) };
    }
  }
  console.log(JSON.stringify(shown));
})();
