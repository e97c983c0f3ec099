# Sends messages as they are through zeep, and prints what its user sees of each answer, as JSON by name.
import base64, json, sys, zeep
from lxml import etree

class RawTransport(zeep.Transport):
    def post(self, address, message, headers):
        given = {**headers, 'SOAPAction': '"%s"' % self.message['action'], **self.message['headers']}
        return super().post(self.message['url'], base64.b64decode(self.message['body']), given)

transport = RawTransport()
client = zeep.Client(sys.argv[1] + '?wsdl', transport=transport)
shown = {}
for message in json.load(open(sys.argv[2])):
    transport.message = message
    try:
        client.service.GetOrder(id=1)
        shown[message['name']] = {'message': 'answered'}
    except zeep.exceptions.Fault as fault:
        shown[message['name']] = {'message': fault.message, 'detail': etree.tostring(fault.detail).decode()}
    except Exception as error:
        shown[message['name']] = {'message': '%s %s' % (error, getattr(error, 'content', ''))}
print(json.dumps(shown))
