import { text } from '../keys/key-types.js';

/** The folder beside the configuration, where it names none. */
export const COMPILED_FOLDER = '.soapstone-compiled';

/** In place of a folder: none is used. */
export const NO_FOLDER = 'none';

/** The key of the folder for compiled forms of WSDLs. */
export const COMPILED = text(
  'A folder for compiled forms of WSDLs, by which a later start is faster; `none`: none. ' +
    'It may be lost at any time. It counts only while it belongs to the user of the process and ' +
    'others cannot write it. In a configuration that a program gives as an object the default is ' +
    '`none`.',
  { derived: `${COMPILED_FOLDER}, for WSDLs of 128 KiB and more`, minLength: 1, maxLength: 4096 },
);
