/**
 * Returns bytes that have a buffer of their own: a copy if they are a part of a larger buffer. The memory behind such a
 * view may change (WebAssembly), and all of it is kept as long as the view: 8 kB for a hundred bytes.
 */
export const ownedBytes = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.prototype.slice.call(bytes)
