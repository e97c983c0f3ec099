import { copyFiles } from './copy-files.js';
import { PAGE_FILES, PAGE_FOLDER } from './page-files.js';

// A step of the build, not of the gateway.
copyFiles(PAGE_FILES, PAGE_FOLDER);
