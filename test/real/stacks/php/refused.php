<?php
// Sends messages as they are through SoapClient, and prints what its user sees of each answer, as JSON by name.
class RawClient extends SoapClient {
    public array $message;
    public function __doRequest(string $request, string $location, string $action, int $version, bool $oneWay = false): ?string {
        return parent::__doRequest(base64_decode($this->message['body']), $this->message['url'], $this->message['action'], $version, $oneWay);
    }
}
$shown = [];
foreach (json_decode(file_get_contents($argv[2]), true) as $message) {
    $client = new RawClient($argv[1] . '?wsdl', ['cache_wsdl' => WSDL_CACHE_NONE]);
    $client->message = $message;
    try {
        $client->__soapCall('GetOrder', [['id' => 1]]);
        $shown[$message['name']] = ['message' => 'answered'];
    } catch (SoapFault $fault) {
        $shown[$message['name']] = ['message' => $fault->getMessage(), 'detail' => json_encode($fault->detail ?? null)];
    }
}
echo json_encode($shown);
