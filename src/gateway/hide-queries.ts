/** An address of HTTP in a text, and its query. */
const ADDRESS = /\b(https?:\/\/[^\s?#]{0,2048})(\?[^\s]*)/gi;
/** Queries that ask for a document and hold nothing else. */
const OF_DOCUMENTS = /^\?(?:wsdl|xsd|singlewsdl)(?:=\d*)?$/i;
/** What may follow an address in a sentence. */
const PUNCTUATION = ':.,;)';

/** The text without the queries of addresses, which may hold tokens; `?wsdl` and the like stay. */
export const hideQueries = (text: string): string =>
  text.replace(ADDRESS, (whole, address: string, query: string) => {
    let end = query.length;
    while (PUNCTUATION.includes(query.charAt(end - 1))) {
      end--;
    }
    return OF_DOCUMENTS.test(query.slice(0, end)) ? whole : `${address}?...${query.slice(end)}`;
  });
