import type { inputFiles } from '../core/index.js';

/** A text of the configuration, or of a file that may be replaced. */
export interface RotatingText {
  /** As the configuration found it. */
  readonly text: string;
  /** Null where the text is in the configuration itself. */
  readonly file: inputFiles.RotatingFile | null;
}

/** The latest content that is known. */
export const currentText = ({ text, file }: RotatingText): string =>
  file === null ? text : file.content;
