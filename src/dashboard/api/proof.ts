/**
 * The proof of the session, which is one half of its credential. The other half is a cookie that scripts cannot read.
 * The proof is in the storage of the origin; if the browser refuses storage, it is kept in memory.
 */

/** Key of the storage. Services in several folders of one origin have separate sessions. */
const KEY = `svc_dashboard ${new URL('.', location.href).pathname}`

let inMemory: string | null = null

function stored(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
}

/**
 * Returns the proof; null if there is none. The stored proof is read each time, because another tab may have changed
 * it.
 */
export const readProof = () => inMemory ?? stored()

export function keepProof(proof: string): void {
  inMemory = null
  try {
    localStorage.setItem(KEY, proof)
  } catch {
    inMemory = proof
  }
}

/** Deletes the proof of an ended session. A newer proof from another tab stays. */
export function dropProof(proof: string | null): void {
  if (inMemory === proof) inMemory = null
  if (proof !== null && stored() === proof) localStorage.removeItem(KEY)
}
