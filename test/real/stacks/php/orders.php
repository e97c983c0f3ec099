<?php
// Document/literal order desk on PHP ext-soap.
const NS = 'http://legacy.example.com/orders/2009';

// SoapServer would send the document as it is (with this very header, ISO-8859-1 or not); the port here is the system's choice.
if (isset($_GET['wsdl'])) {
    header('Content-Type: text/xml; charset=utf-8');
    exit(str_replace('127.0.0.1:18101', $_SERVER['HTTP_HOST'], file_get_contents(__DIR__ . '/orders.wsdl')));
}

class Address { public $street; public $city; public $zip; }
class CardPayment { public $amount; public $last4; public $expires; }
class InvoicePayment { public $amount; public $termDays; }

function address(int $i): Address {
    $a = new Address;
    $a->street = "Rue de l'Été $i";
    $a->city = 'Liège';
    if ($i % 2) $a->zip = sprintf('%05d', $i);
    return $a;
}

function customer(int $i): array {
    return ['code' => sprintf('C%03d', $i), 'name' => 'Zoë <& Søn>', 'vip' => $i % 2 == 1,
        'creditLimit' => $i % 2 ? '1500.50' : null, 'address' => address($i)];
}

function order(int $i): array {
    $amount = number_format($i * 19.99, 2, '.', '');
    if ($i % 2) { $p = new CardPayment; $p->last4 = '4242'; $p->expires = '2027-04'; }
    else { $p = new InvoicePayment; $p->termDays = 30; }
    $p->amount = $amount;
    $o = ['id' => $i, 'serial' => '9007199254740993', 'status' => ['ON HOLD', 'NEW', 'PAID', 'SHIPPED'][$i % 4],
        'placedAt' => sprintf('2024-01-15T10:%02d:00Z', $i % 60), 'total' => $amount, 'paid' => $i % 2 == 0,
        'note' => $i % 3 ? "line1\nné & <b>" : null, 'signature' => substr("\x00\x01\xfe\xff", 0, 1 + $i % 4),
        'customer' => customer($i), 'lines' => [], 'payment' => $p, 'priority' => $i % 5];
    if ($i % 2) $o['dueDate'] = '2024-02-29+01:00';
    for ($n = 1; $n <= $i % 3; $n++) $o['lines'][] = ['no' => $n, 'sku' => "ABC-$n", 'qty' => $n, 'price' => '9.99'];
    if ($i % 2) $o['pickupCode'] = "P$i"; else $o['shipTo'] = address($i);
    return $o;
}

function fault(int $code, string $field, string $reason): SoapFault {
    return new SoapFault('Client', $reason, null, ['code' => $code, 'field' => $field, 'reason' => $reason], 'OrderFault');
}

class OrderDesk {
    private $user = null;

    // SOAP header handler: called because the method name matches the header element.
    public function AuthToken($h) {
        if (!isset($h->token) || $h->token !== 's3cret') throw new SoapFault('Client.Authentication', 'Bad token');
        $this->user = 'alice@' . ($h->tenant ?? 'default');
    }
    public function Echo($p) { return ['EchoResult' => $p->text]; }
    public function GetOrder($p) {
        if ($p->id < 1 || $p->id > 9999) throw fault(404, 'id', "No order {$p->id}");
        return ['GetOrderResult' => order($p->id)];
    }
    public function ListOrders($p) {
        return ['ListOrdersResult' => $p->count ? array_map('order', range(1, $p->count)) : []];
    }
    public function PlaceOrder($p) {
        $lines = is_array($p->order->lines) ? $p->order->lines : [$p->order->lines];
        $total = 0;
        foreach ($lines as $l) {
            if ($l->qty < 1) throw fault(422, "lines[{$l->no}].qty", 'Quantity must be positive');
            $total += $l->qty * $l->price;
        }
        return ['PlaceOrderResult' => ['orderId' => '9007199254740994', 'total' => number_format($total, 2, '.', ''),
            'warnings' => isset($p->order->dueDate) ? [] : ['no due date']]];
    }
    public function FindCustomer($p) {
        return ['FindCustomerResult' => preg_match('/^C(\d{3})$/', $p->code, $m) ? customer((int)$m[1]) : null];
    }
    public function WhoAmI() {
        if (!$this->user) throw new SoapFault('Client.Authentication', 'AuthToken header required');
        return ['WhoAmIResult' => $this->user];
    }
    public function Slow($p) { usleep($p->ms * 1000); return ['SlowResult' => $p->ms]; }
    public function Export($p) {
        $r = [];
        for ($n = 1; $n <= $p->n; $n++) $r[] = ['n' => $n, 'sku' => "ABC-$n", 'text' => "Record $n — größe", 'price' => '1.10'];
        return ['ExportResult' => $r];
    }
    public function Upload($p) { return ['UploadResult' => strlen($p->content)]; }
    public function Download($p) { return ['DownloadResult' => substr(str_repeat(implode('', array_map('chr', range(0, 255))), 1 + intdiv($p->n, 256)), 0, $p->n)]; }
    public function Notify($p) {}
    public function Crash() { return no_such_function(); }
    public function Broken($p) {
        switch ($p->mode) {
        case 'html': http_response_code(500); header('Content-Type: text/html; charset=iso-8859-1');
            exit("<html><head><title>500</title></head><body><h1>Internal Server Error</h1><p>D\xe9sol\xe9<br></body></html>");
        case 'truncate': header('Content-Type: text/xml; charset=utf-8'); header('Content-Length: 5000');
            exit('<?xml version="1.0"?><SOAP-ENV:Envelope xmlns:SOAP-ENV="http://schemas.xmlsoap.org/soap/envelope/"><SOAP-ENV:Body><Bro');
        case 'fatal': exit(1);   // dies with an empty 200
        default: return ['BrokenResult' => $p->mode];
        }
    }
}

// What real PHP hosts do around the SOAP stack: output compression, a BOM or a warning printed before the XML.
if (isset($_GET['gzip'])) ini_set('zlib.output_compression', '1');
echo ['bom' => "\xEF\xBB\xBF", 'blank' => "\r\n", 'warning' => "<br />\n<b>Notice</b>: Undefined index: foo<br />\n"][$_GET['prefix'] ?? ''] ?? '';

$server = new SoapServer(__DIR__ . '/orders.wsdl', ['cache_wsdl' => WSDL_CACHE_NONE, 'encoding' => 'UTF-8',
    'features' => SOAP_SINGLE_ELEMENT_ARRAYS,
    'classmap' => ['CardPayment' => 'CardPayment', 'InvoicePayment' => 'InvoicePayment', 'Address' => 'Address']]);
$server->setClass('OrderDesk');
$server->handle();
