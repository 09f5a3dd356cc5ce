/**
 * Two counters of a browser: the logins since it was linked (`lc`), and since it was opened (`connectAttemptCount`).
 * Only `lc` is stored, in the credentials.
 */
import type { AuthenticationCreds, proto } from '@whiskeysockets/baileys'
import { keepFacts, ownFacts } from '../../keys/own-facts.ts'

export interface LoginCounts {
  of(creds: AuthenticationCreds): Pick<proto.IClientPayload, 'lc' | 'connectAttemptCount'>
  /** Counts an accepted login in the credentials. They must be saved after this call. */
  accepted(creds: AuthenticationCreds): void
}

export function createLoginCounts(): LoginCounts {
  let made = { device: '', logins: 0 }
  const madeBy = ({ me }: AuthenticationCreds) => (me?.id === made.device ? made.logins : 0)

  return {
    of: (creds) => ({ lc: ownFacts(creds).logins ?? 0, connectAttemptCount: madeBy(creds) }),
    accepted(creds) {
      made = { device: creds.me!.id, logins: madeBy(creds) + 1 }
      keepFacts(creds, { logins: (ownFacts(creds).logins ?? 0) + 1 })
    },
  }
}
