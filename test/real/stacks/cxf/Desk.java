import jakarta.xml.ws.Dispatch;
import jakarta.xml.ws.Endpoint;
import jakarta.xml.ws.Provider;
import jakarta.xml.ws.Service;
import jakarta.xml.ws.ServiceMode;
import jakarta.xml.ws.WebServiceProvider;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Properties;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.CallbackHandler;
import javax.xml.namespace.QName;
import javax.xml.transform.OutputKeys;
import javax.xml.transform.Source;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;
import org.apache.cxf.endpoint.Client;
import org.apache.cxf.interceptor.InterceptorProvider;
import org.apache.cxf.jaxws.DispatchImpl;
import org.apache.cxf.jaxws.EndpointImpl;
import org.apache.cxf.ws.security.wss4j.WSS4JStaxInInterceptor;
import org.apache.cxf.ws.security.wss4j.WSS4JStaxOutInterceptor;
import org.apache.wss4j.common.ext.WSPasswordCallback;
import org.apache.wss4j.stax.ext.WSSConstants;
import org.apache.wss4j.stax.ext.WSSSecurityProperties;
import org.apache.wss4j.stax.securityToken.WSSecurityTokenConstants;
import org.apache.xml.security.stax.ext.SecurePart;

/**
 * A service and a client of CXF that sign and verify while they stream. Arguments: the folder of the keystores, their
 * password, and the address of the service. Reads lines "call URL TEXT" and writes the answer to each in base64, or "error".
 */
public class Desk {
  static final String SOAP = "http://schemas.xmlsoap.org/soap/envelope/";
  static String folder;
  static String password;

  @WebServiceProvider(targetNamespace = "urn:desk", serviceName = "Desk", portName = "Port")
  @ServiceMode(Service.Mode.PAYLOAD)
  public static class Pay implements Provider<Source> {
    public Source invoke(Source request) {
      String sum = text(request).replaceAll("(?s).*<(?:\\w+:)?sum[^>]*>(.*)</(?:\\w+:)?sum>.*", "$1");
      return new StreamSource(new StringReader("<PayResponse xmlns=\"urn:desk\"><id>" + sum + "</id></PayResponse>"));
    }
  }

  public static void main(String[] args) throws Exception {
    folder = args[0];
    password = args[1];
    EndpointImpl endpoint = (EndpointImpl) Endpoint.create(new Pay());
    secure(endpoint, "service", true);
    endpoint.publish(args[2]);
    System.out.println("ready");
    System.out.flush();
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] words = line.split(" ", 3);
      String answer;
      try {
        answer = Base64.getEncoder().encodeToString(call(words[1], words[2]).getBytes(StandardCharsets.UTF_8));
      } catch (Exception error) {
        answer = "error " + String.valueOf(error.getMessage()).replace('\n', ' ');
      }
      System.out.println(answer);
      System.out.flush();
    }
  }

  static String call(String url, String sum) {
    Service service = Service.create(new QName("urn:desk", "Desk"));
    QName port = new QName("urn:desk", "Port");
    service.addPort(port, "http://schemas.xmlsoap.org/wsdl/soap/http", url);
    Dispatch<Source> dispatch = service.createDispatch(port, Source.class, Service.Mode.PAYLOAD);
    Client client = ((DispatchImpl<Source>) dispatch).getClient();
    secure(client, "client", false);
    String pay = "<Pay xmlns=\"urn:desk\"><sum>" + sum + "</sum></Pay>";
    return text(dispatch.invoke(new StreamSource(new StringReader(pay))));
  }

  static void secure(InterceptorProvider provider, String alias, boolean confirms) {
    WSSSecurityProperties out = properties();
    out.addAction(WSSConstants.TIMESTAMP);
    if (confirms) out.addAction(WSSConstants.SIGNATURE_CONFIRMATION);
    out.addAction(WSSConstants.SIGNATURE);
    out.setSignatureUser(alias);
    out.setSignatureCryptoProperties(crypto(alias));
    out.setSignatureKeyIdentifier(WSSecurityTokenConstants.KEYIDENTIFIER_SECURITY_TOKEN_DIRECT_REFERENCE);
    out.setSignatureAlgorithm("http://www.w3.org/2001/04/xmldsig-more#rsa-sha256");
    out.setSignatureDigestAlgorithm("http://www.w3.org/2001/04/xmlenc#sha256");
    out.addSignaturePart(new SecurePart(new QName(SOAP, "Body"), SecurePart.Modifier.Content));
    out.addSignaturePart(new SecurePart(new QName(WSSConstants.NS_WSU10, "Timestamp"), SecurePart.Modifier.Content));
    if (confirms)
      out.addSignaturePart(
          new SecurePart(new QName(WSSConstants.NS_WSSE11, "SignatureConfirmation"), SecurePart.Modifier.Content));
    WSSSecurityProperties in = properties();
    in.addAction(WSSConstants.TIMESTAMP);
    in.addAction(WSSConstants.SIGNATURE);
    in.setSignatureVerificationCryptoProperties(crypto(alias));
    in.setEnableSignatureConfirmationVerification(false);
    provider.getOutInterceptors().add(new WSS4JStaxOutInterceptor(out));
    provider.getInInterceptors().add(new WSS4JStaxInInterceptor(in));
  }

  static WSSSecurityProperties properties() {
    WSSSecurityProperties properties = new WSSSecurityProperties();
    properties.setCallbackHandler(
        new CallbackHandler() {
          public void handle(Callback[] callbacks) {
            for (Callback callback : callbacks)
              if (callback instanceof WSPasswordCallback) ((WSPasswordCallback) callback).setPassword(password);
          }
        });
    return properties;
  }

  static Properties crypto(String alias) {
    String merlin = "org.apache.wss4j.crypto.merlin.";
    Properties properties = new Properties();
    properties.setProperty("org.apache.wss4j.crypto.provider", "org.apache.wss4j.common.crypto.Merlin");
    for (String[] store : new String[][] {{"keystore", alias}, {"truststore", "trust"}}) {
      properties.setProperty(merlin + store[0] + ".type", "PKCS12");
      properties.setProperty(merlin + store[0] + ".password", password);
      properties.setProperty(merlin + store[0] + ".file", folder + "/" + store[1] + ".p12");
    }
    return properties;
  }

  static String text(Source source) {
    try {
      Transformer transformer = TransformerFactory.newInstance().newTransformer();
      transformer.setOutputProperty(OutputKeys.OMIT_XML_DECLARATION, "yes");
      StringWriter writer = new StringWriter();
      transformer.transform(source, new StreamResult(writer));
      return writer.toString();
    } catch (Exception error) {
      throw new RuntimeException(error);
    }
  }
}
