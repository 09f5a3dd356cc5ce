/**
 * The proof of the session: the half of it that the page keeps, beside the cookie, which a script cannot read. Storage belongs to one origin,
 * its port included, and all its tabs share it. Where a browser refuses storage the proof is in memory, and ends with the tab.
 */

/** Services under several folders of one origin have sessions of their own, as the path of the cookie says. */
const KEY = `svc_dashboard ${new URL('.', location.href).pathname}`

/** Only where storage is refused. */
let inMemory: string | null = null

function stored(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    // Refused: then nothing was kept there, either.
    return null
  }
}

/** Null: there is none. Another tab may have changed it since the last time. */
export const readProof = () => inMemory ?? stored()

export function keepProof(proof: string): void {
  inMemory = null
  try {
    localStorage.setItem(KEY, proof)
  } catch {
    inMemory = proof
  }
}

/** `proof`: the one whose session is over. One that another tab has got since then stays. */
export function dropProof(proof: string | null): void {
  if (inMemory === proof) inMemory = null
  if (proof !== null && stored() === proof) localStorage.removeItem(KEY)
}
