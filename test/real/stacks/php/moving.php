<?php
// The service of moving.wsdl, as an old backend: the same orders as cxf/Orders.java, in another spelling.
class Orders {
    public function GetOrder($p) {
        if ($p->id == 0) throw new SoapFault('Server', 'no order', null, ['reason' => 'unknown'], 'OrderFault');
        $lines = [];
        for ($n = 1; $n <= $p->id % 3; $n++) $lines[] = ['sku' => "ABC-$n", 'qty' => $n];
        return ['order' => ['id' => $p->id, 'serial' => "php-{$p->id}", 'total' => number_format($p->id * 19.9, 2, '.', ''),
            'placedAt' => '2024-01-15T09:00:00Z', 'line' => $lines]];
    }
    public function PlaceOrder($p) { return ['id' => 1000 + $p->qty]; }
    public function Scan($p) { return ['content' => $p->content]; }
}

$version = ($_GET['version'] ?? '1.1') === '1.2' ? SOAP_1_2 : SOAP_1_1;
$server = new SoapServer(__DIR__ . '/moving.wsdl',
    ['cache_wsdl' => WSDL_CACHE_NONE, 'encoding' => 'UTF-8', 'soap_version' => $version]);
$server->setClass('Orders');
$server->handle();
