/**
 * Returns a copy of the bytes. The memory behind a view may change (WebAssembly), and all of it is kept as long as the
 * view: 8 kB for a hundred bytes.
 */
export const ownedBytes = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.prototype.slice.call(bytes)
