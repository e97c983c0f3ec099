/** Messages up to this length are read as they come; longer ones in turns with all that is long, by whichever endpoint. */
export const SHORT_MESSAGE_BYTES = 16 * 1024;
