import type { DialectName } from '../../src/soap/dialect.js';
import type { MessageVector } from './messages.js';
import { PLAIN, withBody, withHeader, wsa } from './soap-vectors.js';

/** Messages of group S for a literal service whose WSDL is known: `fixtures/ping.wsdl`. */

const NEW: readonly DialectName[] = ['1.2'];
const SPEAKS_ACTION: readonly DialectName[] = ['2001-12', '1.1', '1.2'];
const PONG = withBody('<m:Pong xmlns:m="urn:m"/>');
const PAIR = '<m:Pair xmlns:m="urn:m"/><m:Twin xmlns:m="urn:m"/>';

const action = (row: string, name: string, soapAction: string, message = PLAIN): MessageVector => ({
  row,
  case: name,
  dialects: SPEAKS_ACTION,
  message,
  headers: { SOAPAction: soapAction },
});
const parameter = (name: string, value: string): MessageVector => ({
  row: 'S07',
  case: name,
  dialects: NEW,
  message: PLAIN,
  headers: { 'Content-Type': `application/soap+xml; charset=utf-8; action="${value}"` },
});
const addressed = (name: string, value: string, headers: Readonly<Record<string, string>> = {}): MessageVector => ({
  row: 'S08',
  case: name,
  message: withHeader(wsa('Action', value)),
  headers,
});

export const DESCRIBED: readonly MessageVector[] = [
  {
    row: 'S06',
    case: 'two operations, literal',
    message: withBody('<m:Ping xmlns:m="urn:m"/><m:Pong xmlns:m="urn:m"/>'),
  },
  {
    row: 'S06',
    case: 'an Id helps nothing where all is literal',
    message: withBody('<m:Ping xmlns:m="urn:m"/><m:Pong xmlns:m="urn:m" id="a"/>'),
  },
  {
    row: 'S06',
    case: 'the parts of one operation that declares several',
    message: withBody(PAIR),
  },
  { row: 'S06', case: 'one of its parts is missing', message: withBody('<m:Pair xmlns:m="urn:m"/>') },
  { row: 'S06', case: 'one of its parts twice', message: withBody(`${PAIR}<m:Twin xmlns:m="urn:m"/>`) },
  { row: 'S06', case: 'another operation beside its parts', message: withBody(`${PAIR}<m:Pong xmlns:m="urn:m"/>`) },
  {
    row: 'S06',
    case: 'another operation in place of a part',
    message: withBody('<m:Pair xmlns:m="urn:m"/><m:Pong xmlns:m="urn:m"/>'),
  },
  action('S07', 'the action of several parts', '"Pair"', withBody(PAIR)),
  action('S07', 'the action of the WSDL', '"http://desk.example/Ping"'),
  action('S07', 'the action of another operation', '"Pong"'),
  action('S07', 'an action of nobody', '"urn:elsewhere"'),
  action('S07', 'the action in other letters', '"http://desk.example/ping"'),
  action('S07', 'an action where the WSDL has an empty one', '"http://desk.example/Ping"', PONG),
  action('S07', 'an empty one', '""'),
  action('S07', 'None', '"None"'),
  action('S07', 'the bare name', '"Ping"'),
  action('S07', 'namespace and name with a hash', '"urn:m#Ping"'),
  action('S07', 'namespace and name with a slash', '"urn:m/Ping"'),
  action('S07', 'unquoted', 'http://desk.example/Ping'),
  parameter('the action parameter of another operation', 'urn:m/Pong'),
  parameter('the action parameter of the WSDL', 'http://desk.example/Ping'),
  parameter('an empty action parameter', ''),
  addressed('wsa:Action of another operation', 'urn:m/pong-please'),
  addressed('wsa:Action of the WSDL', 'http://desk.example/Ping'),
  addressed('wsa:Action by the default pattern', 'urn:m:Desk:PingRequest'),
  addressed('wsa:Action right, SOAPAction wrong', 'http://desk.example/Ping', { SOAPAction: '"Pong"' }),
  addressed('wsa:Action wrong, SOAPAction right', 'Pong', { SOAPAction: '"http://desk.example/Ping"' }),
  {
    row: 'S08',
    case: 'wsa:Action the WSDL names',
    message: withHeader(wsa('Action', 'urn:m/pong-please'), '<E:Body><m:Pong xmlns:m="urn:m"/></E:Body>'),
  },
  { row: 'S16', case: 'an operation of nobody', message: withBody('<m:Drop xmlns:m="urn:m"/>') },
  { row: 'S16', case: 'the name in another namespace', message: withBody('<m:Ping xmlns:m="urn:other"/>') },
  { row: 'S16', case: 'the name in no namespace', message: withBody('<Ping/>') },
  { row: 'S16', case: 'an empty Body', message: withBody('') },
  { row: 'S16', case: 'a reply', message: withBody('<m:PingResponse xmlns:m="urn:m"/>') },
  { row: 'S16', case: 'a known one', message: PLAIN },
];
