/** The lines of a service without a WSDL, whose one mutation pays under idempotency keys. */
export const payingBank = (url: string): string => `  bank:
    url: ${url}/bank
    namespace: urn:bank
    types: |
      type Query { balance: Int }
      type Mutation { pay(sum: Int!): Receipt }
      type Receipt { receipt: String }
    operations:
      GetBalance: { field: Query.balance, soapAction: "urn:bank:get" }
      Pay: { field: Mutation.pay, soapAction: "urn:bank:pay", response: PayResponse,
        idempotency: {} }
`;
