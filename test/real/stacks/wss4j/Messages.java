import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Properties;
import javax.crypto.SecretKey;
import javax.security.auth.callback.Callback;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import org.apache.wss4j.common.WSEncryptionPart;
import org.apache.wss4j.common.crypto.Crypto;
import org.apache.wss4j.common.crypto.CryptoFactory;
import org.apache.wss4j.common.ext.WSPasswordCallback;
import org.apache.wss4j.common.util.KeyUtils;
import org.apache.wss4j.dom.WSConstants;
import org.apache.wss4j.dom.engine.WSSConfig;
import org.apache.wss4j.dom.engine.WSSecurityEngine;
import org.apache.wss4j.dom.handler.WSHandlerResult;
import org.apache.wss4j.dom.message.WSSecEncrypt;
import org.apache.wss4j.dom.message.WSSecHeader;
import org.apache.wss4j.dom.message.WSSecSignature;
import org.apache.wss4j.dom.message.WSSecTimestamp;
import org.apache.wss4j.dom.message.WSSecUsernameToken;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/**
 * Makes and judges signed messages by WSS4J. Reads lines: "make VERSION KEY_IDENTIFIER KEYSTORE ALGORITHM FORM", or
 * "judge BASE64", "encrypt KEY_IDENTIFIER KEYSTORE CIPHER KEY_CIPHER FORM", or "open KEYSTORE BASE64"; writes a line for each: the message in base64, "ok", "unsigned", or "error" and why.
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
        answer = answerTo(words);
      } catch (Exception error) {
        answer = "error " + String.valueOf(error.getMessage()).replace('\n', ' ');
      }
      System.out.println(answer);
      System.out.flush();
    }
  }

  static String answerTo(String[] words) throws Exception {
    switch (words[0]) {
      case "make": return make(words);
      case "encrypt": return encrypt(words);
      case "open": return open(words[1], words[2]);
      default: return judge(words[1]);
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
    return written(document);
  }

  static void timestamp(WSSecHeader header) throws Exception {
    WSSecTimestamp timestamp = new WSSecTimestamp(header);
    timestamp.setTimeToLive(300);
    timestamp.build();
  }

  static Document message() throws Exception {
    return parse(("<s:Envelope xmlns:s=\"" + WSConstants.URI_SOAP11_ENV + "\"><s:Header><k:Key xmlns:k=\"urn:key\">7</k:Key>"
        + "</s:Header><s:Body><Pay xmlns=\"urn:desk\"><sum>12 &amp; \u00e4 \uD83D\uDE00 &#13;x</sum></Pay></s:Body>"
        + "</s:Envelope>").getBytes(StandardCharsets.UTF_8));
  }

  /** Forms: "plain"; "sha256" with the digest and mask of OAEP; "block" with a header block; "signed" and "signing" with a signature
   * before or after it; "signingKey": that covers the EncryptedKey as well; "concat" and "hkdf" with a key agreement. */
  static String encrypt(String[] words) throws Exception {
    String form = words[5];
    Document document = message();
    WSSecHeader header = new WSSecHeader(document);
    header.insertSecurityHeader();
    if (form.equals("signed")) sign(header, null);
    WSSecEncrypt encrypt = new WSSecEncrypt(header);
    encrypt.setUserInfo("k");
    encrypt.setKeyIdentifierType(WSConstants.class.getField(words[1]).getInt(null));
    encrypt.setSymmetricEncAlgorithm(words[3]);
    encrypt.setKeyEncAlgo(words[4]);
    if (form.equals("sha256")) {
      encrypt.setDigestAlgorithm(WSConstants.SHA256);
      encrypt.setMGFAlgorithm(WSConstants.MGF_SHA256);
    }
    if (form.equals("concat") || form.equals("hkdf")) {
      encrypt.setKeyAgreementMethod(WSConstants.AGREEMENT_METHOD_ECDH_ES);
      encrypt.setKeyDerivationMethod(form.equals("hkdf") ? WSConstants.KEYDERIVATION_HKDF : WSConstants.KEYDERIVATION_CONCATKDF);
    }
    encrypt.getParts().add(new WSEncryptionPart("Body", WSConstants.URI_SOAP11_ENV, "Content"));
    if (form.equals("block")) encrypt.getParts().add(new WSEncryptionPart("Key", "urn:key", "Header"));
    if (form.equals("signed")) encrypt.getParts().add(new WSEncryptionPart("Signature", WSConstants.SIG_NS, "Element"));
    SecretKey key = KeyUtils.getKeyGenerator(words[3]).generateKey();
    encrypt.build(crypto(words[2]), key);
    if (form.equals("signing")) sign(header, null);
    if (form.equals("signingKey")) {
      Element encryptedKey = (Element) header.getSecurityHeaderElement()
          .getElementsByTagNameNS(WSConstants.ENC_NS, "EncryptedKey").item(0);
      sign(header, encryptedKey.getAttribute("Id"));
    }
    return written(document);
  }

  static void sign(WSSecHeader header, String keyId) throws Exception {
    WSSecSignature signature = new WSSecSignature(header);
    signature.setUserInfo("k", password);
    signature.setKeyIdentifierType(WSConstants.BST_DIRECT_REFERENCE);
    signature.setDigestAlgo("http://www.w3.org/2001/04/xmlenc#sha256");
    signature.setSignatureAlgorithm("http://www.w3.org/2001/04/xmldsig-more#rsa-sha256");
    signature.getParts().add(new WSEncryptionPart("Body", WSConstants.URI_SOAP11_ENV, "Content"));
    if (keyId != null) signature.getParts().add(new WSEncryptionPart(keyId));
    signature.build(crypto("rsa"));
  }

  /** What the Body holds of a message that is decrypted with this key, and whether it is signed. */
  static String open(String keystore, String letters) throws Exception {
    WSSecurityEngine engine = new WSSecurityEngine();
    Document document = parse(Base64.getDecoder().decode(letters));
    Crypto own = crypto(keystore);
    WSHandlerResult result = engine.processSecurityHeader(document, null, callbacks -> {
      for (Callback callback : callbacks) ((WSPasswordCallback) callback).setPassword(password);
    }, crypto("rsa"), own);
    boolean isSigned = result.getActionResults().containsKey(WSConstants.SIGN);
    boolean isEncrypted = result.getActionResults().containsKey(WSConstants.ENCR);
    String text = document.getElementsByTagNameNS("urn:desk", "sum").item(0).getTextContent();
    return (isEncrypted ? "encrypted " : "plain ") + (isSigned ? "signed " : "unsigned ")
        + Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  static String written(Document document) throws Exception {
    Transformer transformer = TransformerFactory.newInstance().newTransformer();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    transformer.transform(new DOMSource(document), new StreamResult(bytes));
    return Base64.getEncoder().encodeToString(bytes.toByteArray());
  }

  static String judge(String letters) throws Exception {
    WSSecurityEngine engine = new WSSecurityEngine();
    Document document = parse(Base64.getDecoder().decode(letters));
    WSHandlerResult result = engine.processSecurityHeader(document, null, null, crypto("rsa"));
    boolean isSigned = result != null && result.getActionResults().containsKey(WSConstants.SIGN);
    return isSigned ? "ok" : "unsigned";
  }
}
