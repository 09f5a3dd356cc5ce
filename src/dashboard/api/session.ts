/** Who is signed in. The cookie is the service's, and a script cannot read it; the proof beside it is the page's (`proof.ts`). */
import { signal } from '@preact/signals'
import type { SessionInfo } from '../../domain/dashboard.ts'
import { dropProof, readProof } from './proof.ts'

/** Undefined: not known yet. Null: nobody. */
export const session = signal<SessionInfo | null | undefined>(undefined)

/** `proof`: the one that the service did not take; by default the present one. */
export function signedOut(proof = readProof()): void {
  dropProof(proof)
  session.value = null
}
