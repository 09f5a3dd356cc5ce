/** Removes the padding. The last byte contains the number of padding bytes. */
export function unpad(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, bytes.length - (bytes[bytes.length - 1] ?? 0))
}

export function pad(bytes: Uint8Array): Buffer {
  const count = 1 + Math.floor(Math.random() * 16)
  return Buffer.concat([bytes, Buffer.alloc(count, count)])
}
