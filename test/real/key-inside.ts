import { DS } from '../kit/signed-message.js';

/** The EncryptedData of a message, with its key inside of it, as programs without SOAP read it. */
export function withKeyInside(message: string): string {
  const [key = ''] = /<xenc:EncryptedKey .*<\/xenc:EncryptedKey>/s.exec(message) ?? [];
  const [data = ''] = /<xenc:EncryptedData .*<\/xenc:EncryptedData>/s.exec(message) ?? [];
  const own = key
    .replace(/<ds:KeyInfo>.*<\/ds:KeyInfo>/s, '')
    .replace(/<xenc:ReferenceList .*<\/xenc:ReferenceList>/s, '');
  const info = `<ds:KeyInfo xmlns:ds="${DS}">${own}</ds:KeyInfo>`;
  return `<a>${data.replace(/<ds:KeyInfo .*?<\/ds:KeyInfo>/s, info)}</a>`;
}
