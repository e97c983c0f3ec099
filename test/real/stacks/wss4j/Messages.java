import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Properties;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import org.apache.wss4j.common.WSEncryptionPart;
import org.apache.wss4j.common.crypto.Crypto;
import org.apache.wss4j.common.crypto.CryptoFactory;
import org.apache.wss4j.dom.WSConstants;
import org.apache.wss4j.dom.engine.WSSConfig;
import org.apache.wss4j.dom.engine.WSSecurityEngine;
import org.apache.wss4j.dom.handler.WSHandlerResult;
import org.apache.wss4j.dom.message.WSSecHeader;
import org.apache.wss4j.dom.message.WSSecSignature;
import org.apache.wss4j.dom.message.WSSecTimestamp;
import org.apache.wss4j.dom.message.WSSecUsernameToken;
import org.w3c.dom.Document;

/**
 * Makes and judges signed messages by WSS4J. Reads lines: "make VERSION KEY_IDENTIFIER KEYSTORE ALGORITHM FORM", or
 * "judge BASE64"; writes a line for each: the message in base64, "ok", "unsigned", or "error" and why.
 * Arguments: the folder of the keystores NAME.p12 and trust.p12, and their password.
 */
public class Messages {
  static String folder;
  static String password;

  public static void main(String[] args) throws Exception {
    folder = args[0];
    password = args[1];
    WSSConfig.init();
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] words = line.split(" ");
      String answer;
      try {
        answer = words[0].equals("make") ? make(words) : judge(words[1]);
      } catch (Exception error) {
        answer = "error " + String.valueOf(error.getMessage()).replace('\n', ' ');
      }
      System.out.println(answer);
      System.out.flush();
    }
  }

  static Crypto crypto(String keystore) throws Exception {
    String merlin = "org.apache.wss4j.crypto.merlin.";
    Properties properties = new Properties();
    properties.setProperty("org.apache.wss4j.crypto.provider", "org.apache.wss4j.common.crypto.Merlin");
    for (String[] store : new String[][] {{"keystore", keystore}, {"truststore", "trust"}}) {
      properties.setProperty(merlin + store[0] + ".type", "PKCS12");
      properties.setProperty(merlin + store[0] + ".password", password);
      properties.setProperty(merlin + store[0] + ".file", folder + "/" + store[1] + ".p12");
    }
    return CryptoFactory.getInstance(properties);
  }

  static Document parse(byte[] bytes) throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setNamespaceAware(true);
    factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
    DocumentBuilder builder = factory.newDocumentBuilder();
    builder.setErrorHandler(null);
    return builder.parse(new ByteArrayInputStream(bytes));
  }

  static String make(String[] words) throws Exception {
    String soap = words[1].equals("1.1") ? WSConstants.URI_SOAP11_ENV : WSConstants.URI_SOAP12_ENV;
    String form = words[5];
    Document document = parse(("<s:Envelope xmlns:s=\"" + soap + "\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\""
        + " xmlns:p=\"urn:p\"><s:Header><k:Key xmlns:k=\"urn:key\">7</k:Key></s:Header><s:Body><Pay xmlns=\"urn:desk\">"
        + "<sum xsi:type=\"p:Money\">12 &amp; \u00e4 \uD83D\uDE00 &#13;x</sum><e/><n a=\"1\tx\" b='\"'>  t </n></Pay></s:Body>"
        + "</s:Envelope>").getBytes(StandardCharsets.UTF_8));
    WSSecHeader header = new WSSecHeader(document);
    header.insertSecurityHeader();
    if (form.equals("username")) {
      WSSecUsernameToken token = new WSSecUsernameToken(header);
      token.setUserInfo("erp", "secret");
      token.setPasswordType(WSConstants.PASSWORD_DIGEST);
      token.addNonce();
      token.addCreated();
      token.build();
    }
    if (!form.equals("timestampLast")) timestamp(header);
    WSSecSignature signature = new WSSecSignature(header);
    signature.setUserInfo("k", password);
    signature.setKeyIdentifierType(WSConstants.class.getField(words[2]).getInt(null));
    signature.setSignatureAlgorithm(words[4]);
    signature.setDigestAlgo("http://www.w3.org/2001/04/xmlenc#sha256");
    if (form.equals("noPrefixes")) signature.setAddInclusivePrefixes(false);
    if (form.equals("inclusive")) signature.setSigCanonicalization("http://www.w3.org/TR/2001/REC-xml-c14n-20010315");
    List<WSEncryptionPart> parts = signature.getParts();
    parts.add(new WSEncryptionPart("Body", soap, "Content"));
    if (!form.equals("timestampLast")) parts.add(new WSEncryptionPart("Timestamp", WSConstants.WSU_NS, ""));
    if (form.equals("username")) parts.add(new WSEncryptionPart("UsernameToken", WSConstants.WSSE_NS, ""));
    if (form.equals("block")) parts.add(new WSEncryptionPart("Key", "urn:key", ""));
    if (form.equals("token")) parts.add(new WSEncryptionPart("STRTransform", "", "Element"));
    signature.build(crypto(words[3]));
    if (form.equals("timestampLast")) timestamp(header);
    Transformer transformer = TransformerFactory.newInstance().newTransformer();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    transformer.transform(new DOMSource(document), new StreamResult(bytes));
    return Base64.getEncoder().encodeToString(bytes.toByteArray());
  }

  static void timestamp(WSSecHeader header) throws Exception {
    WSSecTimestamp timestamp = new WSSecTimestamp(header);
    timestamp.setTimeToLive(300);
    timestamp.build();
  }

  static String judge(String letters) throws Exception {
    WSSecurityEngine engine = new WSSecurityEngine();
    Document document = parse(Base64.getDecoder().decode(letters));
    WSHandlerResult result = engine.processSecurityHeader(document, null, null, crypto("rsa"));
    boolean isSigned = result != null && result.getActionResults().containsKey(WSConstants.SIGN);
    return isSigned ? "ok" : "unsigned";
  }
}
