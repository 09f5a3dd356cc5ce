/**
 * The proof of the session: the half of the credential that the page stores. The other half is the cookie, which scripts cannot read. Storage belongs
 * to one origin, including its port, and all its tabs share it. If a browser refuses storage, the proof is kept in memory and ends with the tab.
 */

/** Services in several folders of one origin have separate sessions, as their cookie paths do. */
const KEY = `svc_dashboard ${new URL('.', location.href).pathname}`

/** Used only if storage is refused. */
let inMemory: string | null = null

function stored(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    // Storage is refused, so nothing was stored there.
    return null
  }
}

/** Null if there is none. Another tab may have changed it since the last call. */
export const readProof = () => inMemory ?? stored()

export function keepProof(proof: string): void {
  inMemory = null
  try {
    localStorage.setItem(KEY, proof)
  } catch {
    inMemory = proof
  }
}

/** `proof`: the proof of the ended session. A newer one from another tab stays. */
export function dropProof(proof: string | null): void {
  if (inMemory === proof) inMemory = null
  if (proof !== null && stored() === proof) localStorage.removeItem(KEY)
}
