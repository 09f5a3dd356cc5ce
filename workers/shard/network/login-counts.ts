/**
 * Two counters that a browser sends when it logs in: the number of logins since it was linked (`lc`), and since it was opened
 * (`connectAttemptCount`). The first one is stored in the credentials; the second one is counted here from the start of the process.
 */
import type { AuthenticationCreds, proto } from '@whiskeysockets/baileys'
import { keepFacts, ownFacts } from '../keys/own-facts.ts'

export interface LoginCounts {
  /** Returns the counters for the next login of this device. */
  of(creds: AuthenticationCreds): Pick<proto.IClientPayload, 'lc' | 'connectAttemptCount'>
  /** Called when the network has accepted a login. The credentials must then be saved. */
  accepted(creds: AuthenticationCreds): void
}

/** Creates the counters of one instance. */
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
