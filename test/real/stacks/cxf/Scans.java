import jakarta.activation.DataHandler;
import jakarta.jws.WebMethod;
import jakarta.jws.WebParam;
import jakarta.jws.WebResult;
import jakarta.jws.WebService;
import jakarta.jws.soap.SOAPBinding;
import jakarta.mail.util.ByteArrayDataSource;
import jakarta.xml.bind.annotation.XmlAccessType;
import jakarta.xml.bind.annotation.XmlAccessorType;
import jakarta.xml.bind.annotation.XmlElement;
import jakarta.xml.bind.annotation.XmlMimeType;
import jakarta.xml.bind.annotation.XmlRootElement;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Properties;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.CallbackHandler;
import org.apache.cxf.jaxws.JaxWsProxyFactoryBean;
import org.apache.cxf.jaxws.JaxWsServerFactoryBean;
import org.apache.cxf.ws.security.wss4j.WSS4JInInterceptor;
import org.apache.cxf.ws.security.wss4j.WSS4JOutInterceptor;
import org.apache.wss4j.common.ext.WSPasswordCallback;
import org.apache.wss4j.dom.handler.WSHandlerConstants;

/**
 * A service and a client of CXF with MTOM that sign and verify by DOM, so that tokens and signed content are parts.
 * Arguments: the folder of the keystores, their password, and the address of the service. Reads lines "call URL BYTES
 * STORED" and writes the answer to each, or "error". STORED: whether tokens are parts as well.
 */
public class Scans {
  @XmlRootElement(name = "Store", namespace = "urn:scans")
  @XmlAccessorType(XmlAccessType.FIELD)
  public static class Store {
    @XmlElement(namespace = "urn:scans")
    public String name;

    @XmlElement(namespace = "urn:scans")
    @XmlMimeType("application/octet-stream")
    public DataHandler scan;
  }

  @XmlRootElement(name = "Stored", namespace = "urn:scans")
  @XmlAccessorType(XmlAccessType.FIELD)
  public static class Stored {
    @XmlElement(namespace = "urn:scans")
    public String digest;
  }

  @WebService(targetNamespace = "urn:scans", name = "Desk")
  @SOAPBinding(parameterStyle = SOAPBinding.ParameterStyle.BARE)
  public interface Desk {
    @WebMethod(operationName = "Store")
    @WebResult(name = "Stored", targetNamespace = "urn:scans")
    Stored store(@WebParam(name = "Store", targetNamespace = "urn:scans") Store request);
  }

  @WebService(targetNamespace = "urn:scans", endpointInterface = "Scans$Desk")
  public static class DeskService implements Desk {
    public Stored store(Store request) {
      try (InputStream content = request.scan.getInputStream()) {
        Stored stored = new Stored();
        stored.digest = request.name + " " + digest(content.readAllBytes());
        return stored;
      } catch (Exception error) {
        throw new RuntimeException(error);
      }
    }
  }

  static String folder;
  static String password;

  public static void main(String[] args) throws Exception {
    folder = args[0];
    password = args[1];
    JaxWsServerFactoryBean server = new JaxWsServerFactoryBean();
    server.setServiceBean(new DeskService());
    server.setServiceClass(DeskService.class);
    server.setAddress(args[2]);
    server.setProperties(new HashMap<>(Map.of("mtom-enabled", "true")));
    Map<String, Object> verified = properties("service");
    verified.put(WSHandlerConstants.SIG_VER_PROP_REF_ID, "keys");
    server.getInInterceptors().add(new WSS4JInInterceptor(verified));
    server.create();
    System.out.println("ready");
    System.out.flush();
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] words = line.split(" ");
      String answer;
      try {
        answer = call(words[1], Integer.parseInt(words[2]), words[3]);
      } catch (Exception error) {
        answer = "error " + String.valueOf(error.getMessage()).replace('\n', ' ');
      }
      System.out.println(answer);
      System.out.flush();
    }
    System.exit(0);
  }

  static String call(String url, int bytes, String stored) {
    JaxWsProxyFactoryBean factory = new JaxWsProxyFactoryBean();
    factory.setServiceClass(Desk.class);
    factory.setAddress(url);
    factory.setProperties(new HashMap<>(Map.of("mtom-enabled", "true", "mtom-threshold", "0")));
    Map<String, Object> signed = properties("client");
    signed.put(WSHandlerConstants.STORE_BYTES_IN_ATTACHMENT, stored);
    signed.put(WSHandlerConstants.USER, "client");
    signed.put(WSHandlerConstants.SIG_PROP_REF_ID, "keys");
    signed.put(WSHandlerConstants.SIG_KEY_ID, "DirectReference");
    signed.put(WSHandlerConstants.SIG_ALGO, "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256");
    signed.put(WSHandlerConstants.SIG_DIGEST_ALGO, "http://www.w3.org/2001/04/xmlenc#sha256");
    String utility = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";
    signed.put(
        WSHandlerConstants.SIGNATURE_PARTS,
        "{Element}{http://schemas.xmlsoap.org/soap/envelope/}Body;{Element}{" + utility + "}Timestamp");
    factory.getOutInterceptors().add(new WSS4JOutInterceptor(signed));
    Desk desk = (Desk) factory.create();
    byte[] content = new byte[bytes];
    for (int at = 0; at < bytes; at++) content[at] = (byte) (at * 31 + at / 256);
    Store request = new Store();
    request.name = "a & ä";
    request.scan = new DataHandler(new ByteArrayDataSource(content, "application/octet-stream"));
    String answer = desk.store(request).digest;
    return answer.endsWith(digest(content)) ? "stored" : answer;
  }

  static Map<String, Object> properties(String alias) {
    Map<String, Object> properties = new HashMap<>();
    properties.put(WSHandlerConstants.ACTION, "Timestamp Signature");
    properties.put("keys", crypto(alias));
    CallbackHandler callbacks =
        (Callback[] all) ->
            Arrays.stream(all)
                .filter(WSPasswordCallback.class::isInstance)
                .forEach(one -> ((WSPasswordCallback) one).setPassword(password));
    properties.put(WSHandlerConstants.PW_CALLBACK_REF, callbacks);
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

  static String digest(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (Exception error) {
      throw new RuntimeException(error);
    }
  }
}
