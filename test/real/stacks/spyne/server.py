#!/usr/bin/python3
"""Order desk on spyne: /soap11 and /soap12, one WSGI server (wsgiref, HTTP/1.0, threaded)."""
import datetime as dt
import re
import socket
import socketserver
import sys
import time
from decimal import Decimal as D
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from spyne import (Application, Array, Boolean, ByteArray, ComplexModel, Date, DateTime, Decimal, Enum, Fault,
                   Integer32, Integer64, ServiceBase, Unicode, XmlAttribute, rpc)
from spyne.protocol.soap import Soap11, Soap12
from spyne.server.wsgi import WsgiApplication

NS = "http://legacy.example.com/spyne/orders"
UTC = dt.timezone.utc
OrderStatus = Enum("NEW", "PAID", "SHIPPED", "ON HOLD", type_name="OrderStatus")


class Model(ComplexModel):
    __namespace__ = NS


def opt(t, **kw):
    return t.customize(min_occurs=0, nullable=True, **kw)


def req(t, **kw):
    return t.customize(min_occurs=1, nullable=False, **kw)


class Address(Model):
    street, city, zip = req(Unicode), req(Unicode), opt(Unicode)


class Customer(Model):
    code, name, vip = req(Unicode), req(Unicode), req(Boolean)
    creditLimit = Decimal(12, 2, min_occurs=1, nullable=True)
    address = req(Address)


class Line(Model):
    no = XmlAttribute(Integer32, use="required")
    sku, qty, price = req(Unicode, max_len=16, pattern=r"[A-Z]{3}-\d+"), req(Integer32), Decimal(12, 2, min_occurs=1)


class Payment(Model):
    amount = Decimal(12, 2, min_occurs=1)


class CardPayment(Payment):
    __namespace__ = NS
    last4, expires = req(Unicode), req(Unicode)


class InvoicePayment(Payment):
    __namespace__ = NS
    termDays = req(Integer32)


class Order(Model):
    priority = XmlAttribute(Integer32)
    currency = XmlAttribute(Unicode)
    id, serial, status, placedAt = req(Integer32), req(Integer64), OrderStatus.customize(min_occurs=1), req(DateTime)
    dueDate, total, paid = opt(Date), Decimal(12, 2, min_occurs=1), req(Boolean)
    note = Unicode(min_occurs=1, nullable=True)
    signature, customer = req(ByteArray), req(Customer)
    lines, payment = Array(Line), Payment   # not req(): a customized class forgets its subclasses
    pickupCode = Unicode(xml_choice_group="delivery")
    shipTo = Address.customize(xml_choice_group="delivery")


class NewOrder(Model):
    customerCode, dueDate, note = req(Unicode), opt(Date), opt(Unicode)
    lines = Line.customize(min_occurs=1, max_occurs="unbounded")


class Receipt(Model):
    orderId, total = req(Integer64), Decimal(12, 2, min_occurs=1)
    warnings = Unicode(min_occurs=0, max_occurs="unbounded")


class Record(Model):
    n, sku, text, price = req(Integer32), req(Unicode), req(Unicode), Decimal(12, 2, min_occurs=1)


class AuthToken(Model):
    token, tenant = req(Unicode), opt(Unicode)


class OrderFault(Fault):
    __namespace__ = NS

    def __init__(self, code, field, reason):
        super().__init__("Client.OrderFault", reason,
                         detail={"OrderFault": {"code": code, "field": field, "reason": reason}})


def address(i):
    return Address(street=f"Rue de l'Été {i}", city="Liège", zip=f"{i:05d}" if i % 2 else None)


def customer(i):
    return Customer(code=f"C{i:03d}", name="Zoë <& Søn>", vip=i % 2 == 1,
                    creditLimit=D("1500.50") if i % 2 else None, address=address(i))


def order(i):
    amount = D("19.99") * i
    odd = i % 2 == 1
    return Order(
        id=i, serial=9007199254740993, status=("ON HOLD", "NEW", "PAID", "SHIPPED")[i % 4], priority=i % 5, currency="EUR",
        placedAt=dt.datetime(2024, 1, 15, 10, i % 60, tzinfo=UTC), dueDate=dt.date(2024, 2, 29) if odd else None,
        total=amount, paid=not odd, note="line1\nné & <b>" if i % 3 else None,
        signature=[b"\x00\x01\xfe\xff"[:1 + i % 4]], customer=customer(i),
        lines=[Line(no=n, sku=f"ABC-{n}", qty=n, price=D("9.99")) for n in range(1, i % 3 + 1)],
        payment=CardPayment(amount=amount, last4="4242", expires="2027-04") if odd else InvoicePayment(amount=amount, termDays=30),
        pickupCode=f"P{i}" if odd else None, shipTo=None if odd else address(i))


class OrderDesk(ServiceBase):
    @rpc(Unicode, _returns=Unicode)
    def Echo(ctx, text):
        return text

    @rpc(Integer32, _returns=Order, _throws=OrderFault)
    def GetOrder(ctx, id):
        """One order. Unknown ids raise OrderFault."""
        if not 1 <= id <= 9999:
            raise OrderFault(404, "id", f"No order {id}")
        return order(id)

    @rpc(Integer32, OrderStatus, _returns=Array(Order))
    def ListOrders(ctx, count, status):
        return [order(i) for i in range(1, count + 1)]

    @rpc(NewOrder, _returns=Receipt, _throws=OrderFault)
    def PlaceOrder(ctx, order):
        for line in order.lines:
            if line.qty < 1:
                raise OrderFault(422, f"lines[{line.no}].qty", "Quantity must be positive")
        return Receipt(orderId=9007199254740994, total=sum(line.qty * line.price for line in order.lines),
                       warnings=[] if order.dueDate else ["no due date"])

    @rpc(Unicode, _returns=Customer)
    def FindCustomer(ctx, code):
        m = re.fullmatch(r"C(\d{3})", code)
        return customer(int(m[1])) if m else None

    @rpc(Integer32, _returns=Integer32)
    def Slow(ctx, ms):
        time.sleep(ms / 1000)
        return ms

    @rpc(Integer32, _returns=Record.customize(min_occurs=0, max_occurs="unbounded"))
    def Export(ctx, n):
        for i in range(1, n + 1):
            yield Record(n=i, sku=f"ABC-{i}", text=f"Record {i} — größe", price=D("1.10"))

    @rpc(Unicode, ByteArray, _returns=Integer32)
    def Upload(ctx, name, content):
        return len(b"".join(content))

    @rpc(Integer32, _returns=ByteArray)
    def Download(ctx, n):
        return [(bytes(range(256)) * (1 + n // 256))[:n]]

    @rpc(Unicode)
    def Notify(ctx, text):
        pass

    @rpc(_returns=Unicode)
    def Crash(ctx):
        return {}["no such key"]

    @rpc(Unicode, _returns=Unicode)
    def Broken(ctx, mode):
        ctx.transport.req_env["desk.broken"] = mode   # acted upon by the WSGI wrapper below
        return mode


class Auth(ServiceBase):
    __in_header__ = AuthToken

    @rpc(_returns=Unicode)
    def WhoAmI(ctx):
        auth = ctx.in_header
        if auth is None or auth.token != "s3cret":
            raise Fault("Client.Authentication", "AuthToken header required")
        return f"alice@{auth.tenant or 'default'}"


def desk(protocol):
    return WsgiApplication(Application([OrderDesk, Auth], NS, name="OrderDesk",
                                       in_protocol=protocol(validator="lxml"), out_protocol=protocol(polymorphic=True)))


APPS = {"/soap11": desk(Soap11), "/soap12": desk(Soap12)}


def wsgi(environ, start_response):
    app = APPS.get(environ["PATH_INFO"])
    if not app:
        start_response("404 Not Found", [("Content-Type", "text/plain")])
        return [b"try /soap11?wsdl or /soap12?wsdl\n"]
    answer = []
    body = list(app(environ, lambda *a: answer.append(a)))
    mode = environ.get("desk.broken")
    if mode == "html":
        start_response("500 Internal Server Error", [("Content-Type", "text/html")])
        return [b"<!DOCTYPE html><html><body><h1>Internal Server Error</h1><br>&nbsp;</body></html>"]
    if mode == "close":      # hang up instead of answering
        environ["desk.socket"].shutdown(socket.SHUT_RDWR)
    if mode == "truncate":   # headers promise more than what comes
        start_response("200 OK", [("Content-Type", "text/xml; charset=utf-8"), ("Content-Length", "5000")])
        return body
    start_response(*answer[0])
    return body


class Handler(WSGIRequestHandler):
    def get_environ(self):
        return {**super().get_environ(), "desk.socket": self.connection}

    def log_message(self, *a):
        pass


class Server(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True


if __name__ == "__main__":
    make_server("127.0.0.1", int(sys.argv[1]), wsgi, Server, Handler).serve_forever()
