/** Oldest Node version that is supported, also stated in `package.json`; npm only warns about an older one. */
const OLDEST_NODE = 20

/** Sentence about a Node version that is too old; undefined if it is supported. */
export function whyTooOld(version: string): string | undefined {
  if (Number.parseInt(version, 10) >= OLDEST_NODE) return undefined
  return `Node ${version} is too old; use Node ${OLDEST_NODE} or newer (24 is recommended).`
}
