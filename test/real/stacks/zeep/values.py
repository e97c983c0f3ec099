#!/usr/bin/python3
"""zeep client: values.py ENDPOINT WSDL   (env: SOAP=1.1|1.2, AUTH=namespace, AUTH_FORM=qualified|unqualified).
Reads calls as JSON from standard input ([{"operation": .., "arguments": [{..}], "auth": true}]) and prints what each
returned. Numbers are printed as text with every digit, bytes as {"bytes": base64}."""
import base64
import datetime as dt
import decimal
import json
import os
import sys

import lxml.etree as ET
import zeep
from zeep.helpers import serialize_object

endpoint, wsdl = sys.argv[1], sys.argv[2]
SOAP, AUTH, FORM = os.environ.get("SOAP", "1.1"), os.environ.get("AUTH", ""), os.environ.get("AUTH_FORM", "qualified")

client = zeep.Client(wsdl, settings=zeep.Settings(strict=False, xml_huge_tree=True))
kind = zeep.wsdl.bindings.Soap12Binding if SOAP == "1.2" else zeep.wsdl.bindings.Soap11Binding
bindings = [b for b in client.wsdl.bindings.items() if type(b[1]) is kind]


def service_for(operation):
    name = next(n for n, b in bindings if operation in b._operations)
    return client.create_service(name, endpoint)


def auth_header():
    q = (lambda n: f"{{{AUTH}}}{n}") if FORM == "qualified" else (lambda n: n)
    header = ET.Element(f"{{{AUTH}}}AuthToken")
    ET.SubElement(header, q("token")).text = "s3cret"
    ET.SubElement(header, q("tenant")).text = "acme"
    return header


def plain(value):
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, (int, float, decimal.Decimal)):
        return {"number": format(value, "f") if isinstance(value, decimal.Decimal) else repr(value)}
    if isinstance(value, (dt.datetime, dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    return str(value)


def given(value):
    if isinstance(value, dict):
        return base64.b64decode(value["base64"]) if "base64" in value else {k: given(v) for k, v in value.items()}
    return [given(each) for each in value] if isinstance(value, list) else value


results = []
for call in json.load(sys.stdin):
    headers = {"_soapheaders": [auth_header()]} if call.get("auth") else {}
    arguments = given(call["arguments"][0]) if call["arguments"] else {}
    results.append(plain(serialize_object(getattr(service_for(call["operation"]), call["operation"])(**arguments, **headers), dict)))
print(json.dumps(results, ensure_ascii=False))
