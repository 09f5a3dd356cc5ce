/** Oldest supported major version of Node. The start checks it, because npm only warns about an older one. */
const OLDEST_NODE = 20

/** Returns a sentence for the operator if the version of Node is too old; undefined if it is supported. */
export function whyTooOld(version: string): string | undefined {
  if (Number.parseInt(version, 10) >= OLDEST_NODE) return undefined
  return `Node ${version} is too old; use Node ${OLDEST_NODE} or newer (24 is recommended).`
}
