/**
 * The proof of the session, which is one half of its credential. The page stores it. The other half is the cookie, which scripts cannot read. Browser
 * storage belongs to one origin, including its port, and all tabs of the origin share it. If a browser refuses storage, the proof is kept in memory
 * and ends with the tab.
 */

/** Services in several folders of one origin have separate sessions, as their cookie paths do. */
const KEY = `svc_dashboard ${new URL('.', location.href).pathname}`

/** The proof, if the browser refuses storage. */
let inMemory: string | null = null

function stored(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    // Storage is refused, so nothing was stored there.
    return null
  }
}

/** Returns the proof of the session, which another tab may have changed since the last call; null if there is none. */
export const readProof = () => inMemory ?? stored()

export function keepProof(proof: string): void {
  inMemory = null
  try {
    localStorage.setItem(KEY, proof)
  } catch {
    inMemory = proof
  }
}

/** Forgets the proof of an ended session. A newer proof from another tab stays. */
export function dropProof(proof: string | null): void {
  if (inMemory === proof) inMemory = null
  if (proof !== null && stored() === proof) localStorage.removeItem(KEY)
}
