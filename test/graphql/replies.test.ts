import t from 'tap';
import { desk, startDesk } from '../acceptance/desk.js';

const PAYMENT = `
<xs:complexType name="Payment"><xs:sequence>
  <xs:element name="Amount" type="xs:decimal"/>
  <xs:choice>
    <xs:element name="Card" type="t:Card"/>
    <xs:element name="Iban" type="xs:string"/>
    <xs:element name="Coins" type="t:ArrayOfCoin"/>
    <xs:element name="Free" nillable="true" type="xs:int"/>
  </xs:choice>
</xs:sequence></xs:complexType>
<xs:complexType name="Card"><xs:sequence><xs:element name="Number" type="xs:string"/></xs:sequence>\
</xs:complexType>
<xs:complexType name="ArrayOfCoin"><xs:sequence><xs:element name="Coin" type="xs:int" \
minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType>
<xs:complexType name="Story"><xs:choice minOccurs="0" maxOccurs="unbounded">
  <xs:element name="Text" type="xs:string"/><xs:element name="Break" type="xs:int"/>\
<xs:element name="Payment" type="t:Payment"/>
</xs:choice></xs:complexType>
<xs:complexType name="Extended"><xs:complexContent><xs:extension base="t:Payment"><xs:sequence>
  <xs:choice minOccurs="0"><xs:element name="A" type="xs:int"/><xs:element name="B" type="xs:int"/>\
</xs:choice>
</xs:sequence></xs:extension></xs:complexContent></xs:complexType>
<xs:complexType name="Mixture"><xs:sequence maxOccurs="unbounded">
  <xs:choice><xs:element name="X" type="xs:int"/><xs:element name="Y" type="xs:int"/></xs:choice>\
<xs:element name="Z" type="xs:int"/>
</xs:sequence></xs:complexType>`;

const PAYMENTS = desk({
  types: PAYMENT,
  reply: `<xs:element name="payment" type="t:Payment"/><xs:element name="story" type="t:Story" \
minOccurs="0"/>
    <xs:element name="more" type="t:Extended" minOccurs="0"/>\
<xs:element name="mixture" type="t:Mixture" minOccurs="0"/>`,
});

const UNIONS = '    schema: { choices: union }\n';

const payment = (branch: string): string =>
  `<t:GetResponse><t:payment><t:Amount>1.50</t:Amount>${branch}</t:payment></t:GetResponse>`;

t.test('a choice is a union of its branches where the service asks for it', async (t) => {
  const shop = await startDesk(t, { 'desk.wsdl': PAYMENTS }, UNIONS);
  const query = `{ get { payment { amount choice {
    __typename ... on PaymentCard { card { number } } ... on PaymentIban { iban }
    ... on PaymentCoins { coins } ... on PaymentFree { free } } } } }`;
  const ask = async (branch: string): Promise<unknown> => {
    const { data, errors } = await shop.ask(query, payment(branch));
    t.same(errors, undefined, branch);
    return (data as { get: { payment: { choice: unknown } } }).get.payment.choice;
  };
  t.same(await ask('<t:Card><t:Number>7</t:Number></t:Card>'), {
    __typename: 'PaymentCard',
    card: { number: '7' },
  });
  t.same(await ask('<t:Iban>AT1</t:Iban>'), { __typename: 'PaymentIban', iban: 'AT1' });
  t.same(await ask('<t:Coins><t:Coin>1</t:Coin><t:Coin>2</t:Coin></t:Coins>'), {
    __typename: 'PaymentCoins',
    coins: [1, 2],
  });
  t.same(await ask('<t:Coins/>'), { __typename: 'PaymentCoins', coins: [] });
  t.same(await ask('<t:Free xsi:nil="true"/>'), { __typename: 'PaymentFree', free: null });
  const { data, errors } = await shop.ask(query, payment(''));
  t.same(data, { get: null });
  t.match(errors, [
    { path: ['get', 'payment', 'choice'], extensions: { code: 'UPSTREAM_SCHEMA_INVALID' } },
  ]);
});

t.test('a branch that is hidden leaves a choice that may be null', async (t) => {
  const hidden =
    '    schema: { choices: union, types: { Payment: { fields: { Iban: { hide: true } } } } }\n';
  const shop = await startDesk(t, { 'desk.wsdl': PAYMENTS }, hidden);
  const { data, errors } = await shop.ask(
    '{ get { payment { choice { __typename } } } }',
    payment('<t:Iban>A</t:Iban>'),
  );
  t.same(errors, undefined);
  t.same(data, { get: { payment: { choice: null } } });
});

t.test('a choice that is repeated keeps the order of the message', async (t) => {
  const shop = await startDesk(t, { 'desk.wsdl': PAYMENTS }, UNIONS);
  const query = `{ get { story { choice { ... on StoryText { text } ... on StoryBreak { again: \
break }
    ... on StoryPayment { payment { choice { ... on PaymentIban { iban } } } } } } } }`;
  const story =
    '<t:Text>a</t:Text><t:Break>1</t:Break><t:Text>b</t:Text><t:Payment><t:Amount>1</t:Amount>' +
    '<t:Iban>I</t:Iban></t:Payment><t:Break>2</t:Break>';
  const body =
    '<t:GetResponse><t:payment><t:Amount>1</t:Amount><t:Iban>x</t:Iban></t:payment><t:story>' +
    `${story}</t:story></t:GetResponse>`;
  const { data, errors } = await shop.ask(query, body);
  t.same(errors, undefined);
  t.same(data, {
    get: {
      story: {
        choice: [
          { text: 'a' },
          { again: 1 },
          { text: 'b' },
          { payment: { choice: { iban: 'I' } } },
          { again: 2 },
        ],
      },
    },
  });
});

t.test(
  'a choice is inherited, and in what is repeated with something beside it there are fields',
  async (t) => {
    const shop = await startDesk(t, { 'desk.wsdl': PAYMENTS }, UNIONS);
    const query = `{ get { more { choice { ... on PaymentIban { iban } } choice2 { ... \
on ExtendedB { b } } }
    mixture { items { x y z } } payment { ... on Extended { choice2 { __typename } } } } }`;
    const body = `<t:GetResponse><t:payment xsi:type="t:Extended"><t:Amount>1</t:Amount>\
<t:Iban>x</t:Iban><t:A>1</t:A></t:payment>
    <t:more><t:Amount>1</t:Amount><t:Iban>y</t:Iban><t:B>3</t:B></t:more>
    <t:mixture><t:X>1</t:X><t:Z>2</t:Z><t:Y>3</t:Y><t:Z>4</t:Z></t:mixture></t:GetResponse>`;
    const { data, errors } = await shop.ask(query, body);
    t.same(errors, undefined);
    t.same(data, {
      get: {
        more: { choice: { iban: 'y' }, choice2: { b: 3 } },
        mixture: {
          items: [
            { x: 1, y: null, z: 2 },
            { x: null, y: 3, z: 4 },
          ],
        },
        payment: { choice2: { __typename: 'ExtendedA' } },
      },
    });
  },
);

t.test('without being asked for, each branch is a field that may be null', async (t) => {
  const shop = await startDesk(t, { 'desk.wsdl': PAYMENTS });
  const { data } = await shop.ask(
    '{ get { payment { card { number } iban coins free } } }',
    payment('<t:Iban>A</t:Iban>'),
  );
  t.same(data, { get: { payment: { card: null, iban: 'A', coins: null, free: null } } });
});

t.test(
  'what xs:any lets in is a value of any type beside the fields that are declared',
  async (t) => {
    const types = `<xs:complexType name="Open"><xs:sequence><xs:element name="known" \
type="xs:int"/><xs:element name="other" type="xs:int" minOccurs="0"/>
    <xs:any namespace="##any" processContents="lax" minOccurs="0" maxOccurs="unbounded"/>\
</xs:sequence><xs:attribute name="any" type="xs:int"/></xs:complexType>`;
    const shop = await startDesk(t, {
      'desk.wsdl': desk({ types, reply: '<xs:element name="open" type="t:Open"/>' }),
    });
    const body =
      '<t:GetResponse><t:open any="1"><t:known>1</t:known><t:other>2</t:other>' +
      '<t:Known>3</t:Known><x:known xmlns:x="urn:x">a&amp;<x:b/></x:known><none xsi:nil="true"/>' +
      '</t:open></t:GetResponse>';
    const { data, errors } = await shop.ask(
      '{ get { any anyElement { name type value xml } known } }',
      body,
    );
    t.same(errors, undefined);
    t.same(data, {
      get: {
        any: 1,
        known: 1,
        anyElement: [
          { name: '{urn:t}Known', type: null, value: '3', xml: '<Known xmlns="urn:t">3</Known>' },
          {
            name: '{urn:x}known',
            type: null,
            value: { b: '', '#text': 'a&' },
            xml: '<known xmlns="urn:x">a&amp;<b/></known>',
          },
          { name: '{}none', type: null, value: null, xml: null },
        ],
      },
    });
    const less = await shop.ask('{ get { anyElement { value } } }', body);
    t.same(
      (less.data as { get: { anyElement: unknown[] } }).get.anyElement.length,
      3,
      'whatever else is selected',
    );
  },
);

t.test('lists of values are lists, enumerations in them have their names', async (t) => {
  const types = `<xs:simpleType name="Sizes"><xs:list itemType="xs:int"/></xs:simpleType>
    <xs:simpleType name="Day"><xs:restriction base="xs:string"><xs:enumeration value="mon-day"/>\
<xs:enumeration value="mon.day"/><xs:enumeration value="true"/><xs:enumeration value="__x"/>\
</xs:restriction></xs:simpleType>
    <xs:simpleType name="Days"><xs:list itemType="t:Day"/></xs:simpleType>
    <xs:simpleType name="Rank"><xs:restriction base="xs:int"><xs:enumeration value="1"/>\
<xs:enumeration value="2"/></xs:restriction></xs:simpleType>
    <xs:simpleType name="Short"><xs:restriction base="xs:string"><xs:enumeration value="S"/>\
</xs:restriction></xs:simpleType>
    <xs:simpleType name="Either"><xs:union memberTypes="t:Short t:Day"/></xs:simpleType>
    <xs:complexType name="Box"><xs:sequence><xs:element name="sizes" type="t:Sizes"/>\
<xs:element name="days" type="t:Days" maxOccurs="unbounded"/>\
<xs:element name="rank" type="t:Rank"/><xs:element name="either" type="t:Either"/></xs:sequence>\
<xs:attribute name="days" type="t:Days"/></xs:complexType>`;
  const shop = await startDesk(t, {
    'desk.wsdl': desk({
      types,
      request: '<xs:element name="days" type="t:Days" minOccurs="0"/>',
      reply: '<xs:element name="box" type="t:Box"/>',
    }),
  });
  const body = `<t:GetResponse><t:box days="true __x"><t:sizes> 1 2
3 </t:sizes><t:days>mon-day</t:days><t:days/><t:rank> 02</t:rank><t:either>mon.day</t:either>\
</t:box></t:GetResponse>`;
  const { data, errors } = await shop.ask(
    '{ get(days: [mon_day2, _true]) { sizes days daysAttribute rank either } }',
    body,
  );
  t.same(errors, undefined);
  t.same(data, {
    get: {
      sizes: [1, 2, 3],
      days: [['mon_day'], []],
      daysAttribute: ['_true', '_x'],
      rank: '_2',
      either: 'mon_day2',
    },
  });
  t.match(shop.sent(), /<(\w+:)?days[^>]*>mon\.day true<\//);
});

t.test('a map of JAXB that is left out is null, and the answer is there', async (t) => {
  const types = `<xs:complexType name="Order"><xs:sequence><xs:element name="Id" type="xs:int"/>
    <xs:element name="Tags"><xs:complexType><xs:sequence><xs:element name="entry" minOccurs="0" \
maxOccurs="unbounded"><xs:complexType><xs:sequence>
      <xs:element name="key" minOccurs="0" type="xs:string"/>\
<xs:element name="value" minOccurs="0" type="xs:string"/>
    </xs:sequence></xs:complexType></xs:element></xs:sequence></xs:complexType></xs:element>\
</xs:sequence></xs:complexType>`;
  const wsdl = desk({ types, reply: '<xs:element name="order" type="t:Order"/>' });
  const shop = await startDesk(t, { 'desk.wsdl': wsdl });
  const ask = (tags: string): Promise<unknown> =>
    shop.ask(
      '{ get { id tags { key value } } }',
      `<t:GetResponse><t:order><t:Id>1</t:Id>${tags}</t:order></t:GetResponse>`,
    );
  t.same(await ask(''), { data: { get: { id: 1, tags: null } } });
  t.same(await ask('<t:Tags><t:entry><t:key>a</t:key></t:entry></t:Tags>'), {
    data: { get: { id: 1, tags: [{ key: 'a', value: null }] } },
  });
});

t.test('an xsi:type that is not declared is an error at its place, and null', async (t) => {
  const types =
    '<xs:complexType name="Item"><xs:sequence><xs:element name="Id" type="xs:int"/>' +
    '</xs:sequence></xs:complexType>';
  const reply =
    '<xs:element name="item" type="t:Item" minOccurs="0" maxOccurs="unbounded" nillable="true"/>';
  const shop = await startDesk(t, { 'desk.wsdl': desk({ types, reply }) });
  const ask = (type: string): Promise<unknown> =>
    shop.ask(
      '{ get { id } }',
      '<t:GetResponse><t:item><t:Id>1</t:Id></t:item>' +
        `<t:item xmlns:n="urn:n" xsi:type="${type}"><t:Id>2</t:Id><t:More>3</t:More>` +
        '</t:item></t:GetResponse>',
    );
  t.same(await ask('t:Item'), { data: { get: [{ id: 1 }, { id: 2 }] } });
  t.match(await ask('n:Special'), {
    data: { get: [{ id: 1 }, null] },
    errors: [{ path: ['get', 1], extensions: { code: 'UPSTREAM_SCHEMA_INVALID' } }],
  });
});

t.test(
  'a service whose backend leaves out what its WSDL requires gives null there, without an error',
  async (t) => {
    const shop = await startDesk(t, { 'desk.wsdl': PAYMENTS }, '    schema: { nullable: true }\n');
    t.same(
      await shop.ask(
        '{ get { payment { amount iban } } }',
        '<t:GetResponse><t:payment/></t:GetResponse>',
      ),
      {
        data: { get: { payment: { amount: null, iban: null } } },
      },
    );
  },
);

t.test('INF and NaN take their own value away, and nothing around it', async (t) => {
  const types = `<xs:complexType name="Row"><xs:sequence><xs:element name="Id" type="xs:int"/>\
<xs:element name="Ratio" type="xs:double"/>
    <xs:element name="Each" type="xs:float" maxOccurs="unbounded"/>\
<xs:element name="Line" type="t:Line"/><xs:element name="Part" type="t:Part"/></xs:sequence>\
<xs:attribute name="at" type="xs:double" use="required"/></xs:complexType>
    <xs:simpleType name="Line"><xs:list itemType="xs:double"/></xs:simpleType>
    <xs:simpleType name="Part"><xs:restriction base="xs:double"><xs:minInclusive value="0"/>\
<xs:maxExclusive value="1"/></xs:restriction></xs:simpleType>`;
  const reply = '<xs:element name="row" type="t:Row" maxOccurs="unbounded"/>';
  const shop = await startDesk(t, { 'desk.wsdl': desk({ types, reply }) });
  const row = (id: number, ratio: string, each: string, line: string, at: string): string =>
    `<t:row at="${at}"><t:Id>${id}</t:Id><t:Ratio>${ratio}</t:Ratio><t:Each>1</t:Each><t:Each>` +
    `${each}</t:Each><t:Line>${line}</t:Line><t:Part>0.5</t:Part></t:row>`;
  const answer = await shop.ask(
    '{ get { id ratio each line at part } }',
    `<t:GetResponse>${row(1, '1.5', '2', '1 2', '3')}` +
      `${row(2, 'INF', 'NaN', '1 -INF 3', 'INF')}</t:GetResponse>`,
  );
  t.match(answer, {
    data: {
      get: [
        { id: 1, ratio: 1.5, each: [1, 2], line: [1, 2], at: 3, part: 0.5 },
        { id: 2, ratio: null, each: [1, null], line: [1, null, 3], at: null, part: 0.5 },
      ],
    },
  });
  const code = 'VALUE_NOT_REPRESENTABLE';
  const paths = [['at'], ['ratio'], ['each', 1], ['line', 1]];
  t.match(
    (answer as { errors: unknown[] }).errors,
    paths.map((path) => ({ path: ['get', 1, ...path], extensions: { code } })),
  );
  const { data } = await shop.ask('{ __type(name: "Row") { fields { name type { kind } } } }', '');
  t.match(JSON.stringify(data), /"part","type":\{"kind":"NON_NULL"\}/);
});
