/**
 * Returns bytes that have a buffer of their own. A view of a larger buffer would keep all of that buffer in memory, and
 * WebAssembly may change its bytes.
 */
export const ownedBytes = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.prototype.slice.call(bytes)
