/**
 * Messages up to this length are read as they come; longer ones in time slices, on every endpoint.
 */
export const SHORT_MESSAGE_BYTES = 16 * 1024;
