/** The signed-in session. The service sets the cookie, which scripts cannot read; the page stores the proof. */
import { signal } from '@preact/signals'
import type { SessionInfo } from '../../domain/dashboard.ts'
import { dropForDocs } from './docs-instance.ts'
import { dropProof, readProof } from './proof.ts'

/** The session. Undefined until it was first read. Null if nobody is signed in, or if it could not be read. */
export const session = signal<SessionInfo | null | undefined>(undefined)

/**
 * Number of answers with status 403. After each of them, the rights of an API key are read again, because they may have
 * been reduced.
 */
export const refusals = signal(0)

/**
 * True if the session ended, but its user did not end it in this tab. For example, it expired, or somebody ended it in
 * another browser or replaced its key.
 */
export const hasEnded = signal(false)

/**
 * Ends the session in this tab and deletes the given proof, by default the stored one. A newer proof from another tab
 * stays.
 */
export function signedOut(proof = readProof()): void {
  hasEnded.value = proof !== null
  dropProof(proof)
  dropForDocs()
  session.value = null
}
