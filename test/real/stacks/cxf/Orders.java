import jakarta.jws.WebMethod;
import jakarta.jws.WebParam;
import jakarta.jws.WebResult;
import jakarta.jws.WebService;
import jakarta.jws.soap.SOAPBinding;
import jakarta.xml.bind.annotation.XmlAccessType;
import jakarta.xml.bind.annotation.XmlAccessorType;
import jakarta.xml.bind.annotation.XmlElement;
import jakarta.xml.bind.annotation.XmlRootElement;
import jakarta.xml.soap.SOAPFault;
import jakarta.xml.ws.BindingType;
import jakarta.xml.ws.Endpoint;
import jakarta.xml.ws.Service;
import jakarta.xml.ws.WebFault;
import jakarta.xml.ws.WebServiceFeature;
import jakarta.xml.ws.soap.Addressing;
import jakarta.xml.ws.soap.AddressingFeature;
import jakarta.xml.ws.soap.MTOM;
import jakarta.xml.ws.soap.MTOMFeature;
import jakarta.xml.ws.soap.SOAPFaultException;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.xml.datatype.DatatypeFactory;
import javax.xml.datatype.XMLGregorianCalendar;
import javax.xml.namespace.QName;

/**
 * The service of moving.wsdl by JAX-WS (CXF), at URL/11 in SOAP 1.1, at URL/12 in 1.2, with packages at URL/mtom11 and
 * URL/mtom12, and a client of it. The argument is URL. Reads lines "OPERATION VERSION URL NUMBER [FEATURES]", or "placed", and writes one line for each.
 */
public class Orders {
  static final String NS = "urn:moving";
  static final AtomicInteger placed = new AtomicInteger();

  @XmlRootElement(name = "GetOrder", namespace = NS)
  @XmlAccessorType(XmlAccessType.FIELD)
  public static class GetOrder {
    @XmlElement(namespace = NS) int id;
  }

  @XmlAccessorType(XmlAccessType.FIELD)
  public static class Line {
    @XmlElement(namespace = NS) String sku;
    @XmlElement(namespace = NS) int qty;
  }

  @XmlAccessorType(XmlAccessType.FIELD)
  public static class Order {
    @XmlElement(namespace = NS) int id;
    @XmlElement(namespace = NS) String serial;
    @XmlElement(namespace = NS) BigDecimal total;
    @XmlElement(namespace = NS) XMLGregorianCalendar placedAt;
    @XmlElement(namespace = NS) List<Line> line = new ArrayList<>();
  }

  @XmlRootElement(name = "GetOrderResponse", namespace = NS)
  @XmlAccessorType(XmlAccessType.FIELD)
  public static class GetOrderResponse {
    @XmlElement(namespace = NS) Order order;
  }

  @XmlRootElement(name = "PlaceOrder", namespace = NS)
  @XmlAccessorType(XmlAccessType.FIELD)
  public static class PlaceOrder {
    @XmlElement(namespace = NS) String sku;
    @XmlElement(namespace = NS) int qty;
  }

  @XmlRootElement(name = "PlaceOrderResponse", namespace = NS)
  @XmlAccessorType(XmlAccessType.FIELD)
  public static class PlaceOrderResponse {
    @XmlElement(namespace = NS) int id;
  }

  @XmlRootElement(name = "Scan", namespace = NS)
  @XmlAccessorType(XmlAccessType.FIELD)
  public static class Scan {
    @XmlElement(namespace = NS) byte[] content;
  }

  @XmlRootElement(name = "ScanResponse", namespace = NS)
  @XmlAccessorType(XmlAccessType.FIELD)
  public static class ScanResponse {
    @XmlElement(namespace = NS) byte[] content;
  }

  @XmlRootElement(name = "OrderFault", namespace = NS)
  @XmlAccessorType(XmlAccessType.FIELD)
  public static class OrderFault {
    @XmlElement(namespace = NS) String reason;
  }

  @WebFault(name = "OrderFault", targetNamespace = NS)
  public static class OrderException extends Exception {
    final OrderFault info;

    public OrderException(String message, OrderFault info) {
      super(message);
      this.info = info;
    }

    public OrderFault getFaultInfo() {
      return info;
    }
  }

  @WebService(name = "Orders", targetNamespace = NS)
  @SOAPBinding(parameterStyle = SOAPBinding.ParameterStyle.BARE)
  public interface Desk {
    @WebMethod(operationName = "GetOrder", action = "urn:moving/GetOrder")
    @WebResult(name = "GetOrderResponse", targetNamespace = NS, partName = "p")
    GetOrderResponse getOrder(@WebParam(name = "GetOrder", targetNamespace = NS, partName = "p") GetOrder request)
        throws OrderException;

    @WebMethod(operationName = "PlaceOrder", action = "urn:moving/PlaceOrder")
    @WebResult(name = "PlaceOrderResponse", targetNamespace = NS, partName = "p")
    PlaceOrderResponse placeOrder(@WebParam(name = "PlaceOrder", targetNamespace = NS, partName = "p") PlaceOrder request);

    @WebMethod(operationName = "Scan", action = "urn:moving/Scan")
    @WebResult(name = "ScanResponse", targetNamespace = NS, partName = "p")
    ScanResponse scan(@WebParam(name = "Scan", targetNamespace = NS, partName = "p") Scan request);
  }

  @Addressing(required = false)
  @WebService(targetNamespace = NS, serviceName = "Orders", portName = "Port", endpointInterface = "Orders$Desk")
  public static class Desk11 implements Desk {
    public GetOrderResponse getOrder(GetOrder request) throws OrderException {
      if (request.id == 0) {
        OrderFault fault = new OrderFault();
        fault.reason = "unknown";
        throw new OrderException("no order", fault);
      }
      GetOrderResponse response = new GetOrderResponse();
      response.order = new Order();
      response.order.id = request.id;
      response.order.serial = "java-" + request.id;
      response.order.total = new BigDecimal(request.id).multiply(new BigDecimal("19.9"));
      response.order.placedAt =
          DatatypeFactory.newDefaultInstance().newXMLGregorianCalendar("2024-01-15T10:00:00+01:00");
      for (int number = 1; number <= request.id % 3; number++) {
        Line line = new Line();
        line.sku = "ABC-" + number;
        line.qty = number;
        response.order.line.add(line);
      }
      return response;
    }

    public PlaceOrderResponse placeOrder(PlaceOrder request) {
      PlaceOrderResponse response = new PlaceOrderResponse();
      response.id = placed.incrementAndGet();
      return response;
    }

    public ScanResponse scan(Scan request) {
      ScanResponse response = new ScanResponse();
      response.content = request.content;
      return response;
    }
  }

  @Addressing(required = false)
  @BindingType(jakarta.xml.ws.soap.SOAPBinding.SOAP12HTTP_BINDING)
  @WebService(targetNamespace = NS, serviceName = "Orders", portName = "Port", endpointInterface = "Orders$Desk")
  public static class Desk12 extends Desk11 {}

  @MTOM(threshold = 100)
  @WebService(targetNamespace = NS, serviceName = "Orders", portName = "Port", endpointInterface = "Orders$Desk")
  public static class Packages11 extends Desk11 {}

  @MTOM(threshold = 100)
  @BindingType(jakarta.xml.ws.soap.SOAPBinding.SOAP12HTTP_BINDING)
  @WebService(targetNamespace = NS, serviceName = "Orders", portName = "Port", endpointInterface = "Orders$Desk")
  public static class Packages12 extends Desk11 {}

  public static void main(String[] args) throws Exception {
    Endpoint.publish(args[0] + "/11", new Desk11());
    Endpoint.publish(args[0] + "/12", new Desk12());
    Endpoint.publish(args[0] + "/mtom11", new Packages11());
    Endpoint.publish(args[0] + "/mtom12", new Packages12());
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      System.out.println(answer(line.split(" ")).replaceAll("\\s+", " "));
      System.out.flush();
    }
  }

  static String answer(String[] words) {
    try {
      if (words[0].equals("placed")) return String.valueOf(placed.get());
      int number = Integer.parseInt(words[3]);
      List<String> named = Arrays.asList(words).subList(4, words.length);
      Desk desk = desk(words[1], words[2], named);
      if (words[0].equals("place")) return String.valueOf(desk.placeOrder(order(number)).id);
      return words[0].equals("get") ? shown(desk, number) : scanned(desk, number);
    } catch (OrderException error) {
      return "OrderException " + error.getMessage() + " " + error.getFaultInfo().reason;
    } catch (SOAPFaultException error) {
      SOAPFault fault = error.getFault();
      return "Fault " + fault.getFaultCodeAsQName() + " " + fault.getFaultString();
    } catch (Exception error) {
      return "error " + error;
    }
  }

  static Desk desk(String version, String url, List<String> named) {
    Service service = Service.create(new QName(NS, "Orders"));
    QName port = new QName(NS, "Port");
    String binding =
        version.equals("1.1")
            ? jakarta.xml.ws.soap.SOAPBinding.SOAP11HTTP_BINDING
            : jakarta.xml.ws.soap.SOAPBinding.SOAP12HTTP_BINDING;
    service.addPort(port, binding, url);
    List<WebServiceFeature> features = new ArrayList<>();
    if (named.contains("mtom")) features.add(new MTOMFeature(true, 100));
    if (named.contains("addressing")) features.add(new AddressingFeature(true, true));
    return service.getPort(port, Desk.class, features.toArray(new WebServiceFeature[0]));
  }

  static PlaceOrder order(int quantity) {
    PlaceOrder request = new PlaceOrder();
    request.sku = "ABC-1";
    request.qty = quantity;
    return request;
  }

  static String shown(Desk desk, int id) throws OrderException {
    GetOrder request = new GetOrder();
    request.id = id;
    Order order = desk.getOrder(request).order;
    StringBuilder text = new StringBuilder();
    text.append(order.id).append(' ').append(order.serial).append(' ');
    text.append(order.total.stripTrailingZeros().toPlainString()).append(' ');
    text.append(order.placedAt.toGregorianCalendar().toInstant());
    for (Line line : order.line) text.append(' ').append(line.qty).append('x').append(line.sku);
    return text.toString();
  }

  static String scanned(Desk desk, int bytes) {
    Scan request = new Scan();
    request.content = new byte[bytes];
    for (int at = 0; at < bytes; at++) request.content[at] = (byte) at;
    boolean isSame = Arrays.equals(request.content, desk.scan(request).content);
    return isSame ? "same " + bytes : "different";
  }
}
