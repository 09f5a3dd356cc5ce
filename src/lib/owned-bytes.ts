/**
 * Bytes with memory of their own: a copy, where they are a view into somebody else's. Such memory may change (WebAssembly), and is all kept for as
 * long as the view is: of Node's pool that is 8 kB for a hundred bytes.
 */
export const ownedBytes = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.prototype.slice.call(bytes)
