/** Files: reads that are recorded and replayed, files that change, patterns of names. */

export { glob, matchesName } from './glob.js';
export {
  addInputs,
  completeInputs,
  emptySnapshot,
  type InputSnapshot,
  type Inputs,
  LIVE_INPUTS,
  recordInputs,
  replayInputs,
} from './inputs.js';
export { PACKAGE_FOLDER, packageVersion } from './package-folder.js';
export { PrivateFolder } from './private-folder.js';
export { isRead, type Read, RememberedReads } from './remembered-reads.js';
export { fileText, RotatingFile } from './rotating-file.js';
