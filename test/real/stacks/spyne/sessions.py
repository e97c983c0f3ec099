#!/usr/bin/python3
"""Shop on spyne that wants the token of a session: sessions.py PORT SECONDS. Tokens end after so many seconds.

GET /sessions: how many were begun, and how many were ended by Logout."""
import secrets
import socketserver
import sys
import time
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from spyne import Application, ComplexModel, Fault, ServiceBase, Unicode, rpc
from spyne.protocol.soap import Soap11
from spyne.server.wsgi import WsgiApplication

NS = "urn:shop"
LIFE = float(sys.argv[2])
ends = {}
count = {"begun": 0, "ended": 0}


class Session(ComplexModel):
    __namespace__ = NS
    token = Unicode(min_occurs=1)


class Accounts(ServiceBase):
    @rpc(Unicode, Unicode, _returns=Unicode)
    def Login(ctx, user, password):
        if (user, password) != ("web", "s3cret"):
            raise Fault("Client.Authentication", "no")
        token = secrets.token_hex(16)
        ends[token] = time.monotonic() + LIFE
        count["begun"] += 1
        return token


class Shop(ServiceBase):
    __in_header__ = Session

    @rpc(Unicode, _returns=Unicode)
    def GetStock(ctx, sku):
        session = ctx.in_header
        if session is None or ends.get(session.token, 0) < time.monotonic():
            raise Fault("Client.InvalidSession", "the session has ended")
        return f"7 of {sku}"

    @rpc()
    def Logout(ctx):
        if ctx.in_header is not None and ends.pop(ctx.in_header.token, None):
            count["ended"] += 1


shop = WsgiApplication(Application([Accounts, Shop], NS, name="Shop", in_protocol=Soap11(validator="lxml"),
                                   out_protocol=Soap11()))


def wsgi(environ, start_response):
    if environ["PATH_INFO"] == "/sessions":
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [f"{count['begun']} {count['ended']}".encode()]
    return shop(environ, start_response)


class Handler(WSGIRequestHandler):
    def log_message(self, *a):
        pass


class Server(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 128


if __name__ == "__main__":
    make_server("127.0.0.1", int(sys.argv[1]), wsgi, Server, Handler).serve_forever()
