<?php
// Calls of moving.wsdl: URL VERSION OPERATION NUMBER. Writes what came back in one line.
[, $url, $version, $operation, $number] = $argv;
$client = new SoapClient(__DIR__ . '/moving.wsdl', ['location' => $url, 'cache_wsdl' => WSDL_CACHE_NONE,
    'soap_version' => $version === '1.2' ? SOAP_1_2 : SOAP_1_1, 'features' => SOAP_SINGLE_ELEMENT_ARRAYS]);
try {
    if ($operation === 'place') exit('' . $client->PlaceOrder(['sku' => 'ABC-1', 'qty' => (int) $number])->id);
    if ($operation === 'scan') {
        $content = substr(str_repeat(implode('', array_map('chr', range(0, 255))), 1 + intdiv($number, 256)), 0, $number);
        exit($client->Scan(['content' => $content])->content === $content ? "same $number" : 'different');
    }
    $order = $client->GetOrder(['id' => (int) $number])->order;
    $lines = array_map(fn($line) => " {$line->qty}x{$line->sku}", $order->line ?? []);
    $placed = (new DateTime($order->placedAt))->setTimezone(new DateTimeZone('UTC'))->format('Y-m-d\TH:i:s\Z');
    echo $order->id, ' ', $order->serial, ' ', (float) $order->total, ' ', $placed, implode('', $lines);
} catch (SoapFault $fault) {
    echo 'Fault ', $fault->faultcode, ' ', $fault->faultstring, ' ', $fault->detail->OrderFault->reason ?? '';
}
