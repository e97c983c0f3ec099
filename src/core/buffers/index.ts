/** Bytes: buffers that are joined, content that is kept in files, the memory of packets. */

export { joinAdjacent, joinBuffers, SHORT_MESSAGE_BYTES } from './bytes.js';
export { FileContent } from './file-content.js';
export { collectPackets, packetRead } from './packet-memory.js';
