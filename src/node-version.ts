/** The start checks this version, because npm only warns about an older one. */
const OLDEST_NODE = 20

/** Undefined if the version is supported. */
export function whyTooOld(version: string): string | undefined {
  if (Number.parseInt(version, 10) >= OLDEST_NODE) return undefined
  return `Node ${version} is too old; use Node ${OLDEST_NODE} or newer (24 is recommended).`
}
