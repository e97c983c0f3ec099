import { copyFileSync } from 'node:fs';
import { pages } from '../../../graphql/index.js';
import { OPENAPI_FILES, OPENAPI_FOLDER } from './openapi-files.js';

// A step of the build, not of the gateway.
pages.copyFiles(OPENAPI_FILES, OPENAPI_FOLDER);
copyFileSync('src/flow/rest/page/swagger/page.css', new URL('page.css', OPENAPI_FOLDER));
