#!/usr/bin/env python3
# PyPI openapi-python-client: caller.py FOLDER URL
# Calls three operations with the client that was made in FOLDER, and prints what they answer.
import json
import sys

sys.path.insert(0, sys.argv[1])

from crm_client import Client
from crm_client.api.crm import find_customers, post_get_customer, set_customer
from crm_client.models import AddressInput, GetCustomerArguments, SetCustomerArguments

client = Client(base_url=sys.argv[2])
customer = post_get_customer.sync(client=client, body=GetCustomerArguments(id=7))
found = find_customers.sync(client=client, ids=[1, 2])
body = SetCustomerArguments(id=7, name="B", address=AddressInput(street="S"))
done = set_customer.sync(client=client, body=body)
missed = post_get_customer.sync(client=client, body=GetCustomerArguments(id=404))
print(json.dumps({"city": customer.address.city, "found": len(found), "set": done, "missed": missed.code}))
