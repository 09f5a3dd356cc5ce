/** The oldest Node that this runs on, as `package.json` says, too; npm only warns of another one. */
const OLDEST_NODE = 20

/** One sentence about a Node that is too old; undefined: it will do. */
export function whyTooOld(version: string): string | undefined {
  if (Number.parseInt(version, 10) >= OLDEST_NODE) return undefined
  return `Node ${version} is too old; use Node ${OLDEST_NODE} or newer (24 is recommended).`
}
