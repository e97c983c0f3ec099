<?php
// PHP SoapClient: values.php ENDPOINT WSDL   (env: SOAP=1.1|1.2, AUTH=namespace, AUTH_FORM=qualified|unqualified)
// Reads calls as JSON from standard input ([{"operation": .., "arguments": [..], "auth": true}]) and prints what each returned.
// Numbers are printed as text with every digit, bytes that are no UTF-8 as {"bytes": base64}.
[, $endpoint, $wsdl] = $argv;
$auth = getenv('AUTH') ?: '';
$p = getenv('AUTH_FORM') === 'unqualified' ? '' : 'a:';
$header = new SoapHeader($auth, 'AuthToken', new SoapVar("<a:AuthToken xmlns:a=\"$auth\"><{$p}token>s3cret</{$p}token><{$p}tenant>acme</{$p}tenant></a:AuthToken>", XSD_ANYXML));

function plain($value) {
    if (is_object($value)) $value = get_object_vars($value);
    if (is_array($value)) return array_is_list($value) && $value ? array_map('plain', $value) : (object)array_map('plain', $value);
    if (is_int($value) || is_float($value)) return ['number' => is_int($value) ? (string)$value : var_export($value, true)];
    if (is_string($value) && !preg_match('//u', $value)) return ['bytes' => base64_encode($value)];
    return $value;
}

/** {"base64": ..} in an argument stands for its bytes. */
function given($value) {
    if (!is_array($value)) return $value;
    return array_key_exists('base64', $value) ? base64_decode($value['base64']) : array_map('given', $value);
}

$client = new SoapClient($wsdl, ['location' => $endpoint, 'soap_version' => getenv('SOAP') === '1.2' ? SOAP_1_2 : SOAP_1_1,
    'cache_wsdl' => WSDL_CACHE_NONE, 'features' => SOAP_SINGLE_ELEMENT_ARRAYS, 'exceptions' => true]);
$results = [];
foreach (json_decode(stream_get_contents(STDIN), true) as $call) {
    $results[] = plain($client->__soapCall($call['operation'], given($call['arguments']), null, ($call['auth'] ?? false) ? $header : null));
}
echo json_encode($results, JSON_UNESCAPED_UNICODE | JSON_THROW_ON_ERROR), "\n";
