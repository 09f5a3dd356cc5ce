/** Who is signed in. The cookie is the service's; a script cannot read it. */
import { signal } from '@preact/signals'
import type { SessionInfo } from '../../domain/dashboard.ts'

/** Undefined: not known yet. Null: nobody. */
export const session = signal<SessionInfo | null | undefined>(undefined)

export const signedOut = () => {
  session.value = null
}
