/** Whether a text has the form of the id of an event: a UUID as `randomUUID` writes it. */
export const isEventId = (text: string): boolean => EVENT_ID.test(text);

const EVENT_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
