/** The namespace of SDL types: their names in the schema are exactly those. */
export const SDL_URI = 'urn:soapstone:sdl';
