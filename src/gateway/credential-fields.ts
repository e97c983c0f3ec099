const CREDENTIALS = /authorization|cookie|key|token|secret|password|credential|session/i;

/** Whether a header field of this name may hold credentials. */
export const mayHoldCredentials = (name: string): boolean => CREDENTIALS.test(name);
