<?php
// rpc/encoded inventory ("section 5" encoding, soapenc:Array, apache Map, multi-ref) on PHP ext-soap.
// SoapServer would send the document as it is (with this very header, ISO-8859-1 or not); the port here is the system's choice.
if (isset($_GET['wsdl'])) {
    header('Content-Type: text/xml; charset=utf-8');
    exit(str_replace('127.0.0.1:18101', $_SERVER['HTTP_HOST'], file_get_contents(__DIR__ . '/legacy.wsdl')));
}

function item(string $sku): array {
    $i = (int)preg_replace('/\D/', '', $sku);
    $it = ['sku' => $sku, 'qty' => $i, 'price' => '9.99', 'unit' => $i % 2 ? 'piece' : 'kg', 'active' => $i % 2 == 1,
        'counted' => $i % 2 ? '2003-05-01T08:00:00+02:00' : null, 'tags' => array_slice(['a', 'b&c', 'é'], 0, $i % 4)];
    if ($i > 0 && $i % 3 == 0) $it['substitute'] = item('S' . ($i - 1));
    return $it;
}

class Inventory {
    private $user = null;

    public function AuthToken($h) {
        $h = (object)$h;
        if (($h->token ?? '') !== 's3cret') throw new SoapFault('Client.Authentication', 'Bad token');
        $this->user = 'alice@' . ($h->tenant ?? 'default');
    }
    public function whoAmI() {
        if (!$this->user) throw new SoapFault('Client.Authentication', 'AuthToken header required');
        return $this->user;
    }
    public function slow($ms) { usleep($ms * 1000); return $ms; }
    public function echo($text) { return $text; }
    public function getItem($sku) {
        if ($sku === '') throw new SoapFault('Client.BadSku', 'Empty sku', 'urn:legacy:inventory', new SoapVar(['sku' => $sku, 'retry' => false], SOAP_ENC_OBJECT));
        return item($sku);
    }
    public function listItems($count) { return $count ? array_map(fn($n) => item("S$n"), range(1, $count)) : []; }
    public function sumQty($skus, $factor) { return $factor * array_sum(array_map(fn($s) => item($s)['qty'], (array)$skus)); }
    public function minMax($values) { return ['min' => min($values), 'max' => max($values)]; }
    public function pairUp($left, $right) { return [$left, $right, $left]; }
    public function attributes($sku) { return ['color' => 'red', 'weight' => 1.5, 'stock' => 7, 'discontinued' => false, 'parent' => null, 'sizes' => ['S', 'M']]; }
    public function crash() { return no_such_function(); }
}

$server = new SoapServer(__DIR__ . '/legacy.wsdl', ['cache_wsdl' => WSDL_CACHE_NONE, 'features' => SOAP_SINGLE_ELEMENT_ARRAYS]);
$server->setClass('Inventory');
$server->handle();
