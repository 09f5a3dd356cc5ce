/** The signed-in session. The service sets the cookie, which scripts cannot read; the page stores the proof (`proof.ts`). */
import { signal } from '@preact/signals'
import type { SessionInfo } from '../../domain/dashboard.ts'
import { dropProof, readProof } from './proof.ts'

/** Current session; undefined while it is not known yet, null if nobody is signed in. */
export const session = signal<SessionInfo | null | undefined>(undefined)

/** Number of answers with which the service refused something to the session: its key may have been narrowed. */
export const refusals = signal(0)

/** Ends the session after the service refused its proof, by default the current proof. */
export function signedOut(proof = readProof()): void {
  dropProof(proof)
  session.value = null
}
