/** The modules of undici that are used; the package has types for all of it only. */
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici';
  export default Client;
}

declare module 'undici/lib/core/connect.js' {
  import { buildConnector } from 'undici';
  export default buildConnector;
}

declare module 'undici/lib/core/symbols.js' {
  const symbols: { readonly kParser: symbol };
  export default symbols;
}
