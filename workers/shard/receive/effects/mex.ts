import type { BinaryNode } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { Json } from '../../wire/json.ts'
import type { LidPair } from '../../wire/lid-pairs.ts'
import { lidChangeIn, linkedProfilesIn, mexUpdateIn, reachOutLockIn } from '../../wire/mex-notice.ts'
import type { ReachOutLock } from '../../wire/reach-out-lock.ts'

export interface MexDeps {
  restricted(lock: ReachOutLock): void
  storePairs(pairs: LidPair[]): Promise<void>
  pnOf(lid: string): Promise<string | null>
  forgetDevices(jid: string): Promise<void>
  log: Pick<Logger, 'warn'>
}

export function handleMex({ restricted, storePairs, pnOf, forgetDevices, log }: MexDeps): (notice: BinaryNode) => Promise<void> {
  async function lidChanged(json: Json) {
    const change = lidChangeIn(json)
    if (change === null) return
    const { before, after } = change
    const pn = await pnOf(before)
    await forgetDevices(before)
    if (pn !== null) await storePairs([{ lid: after, pn }])
  }

  const effects: Readonly<Record<string, (json: Json) => void | Promise<void>>> = {
    NotificationUserReachoutTimelockUpdate(json) {
      const lock = reachOutLockIn(json)
      if (lock !== null) restricted(lock)
    },
    MessageCappingInfoNotification() {
      log.warn({}, 'the network limits how many new chats the account may open')
    },
    LidChangeNotification: lidChanged,
    NotificationLinkedProfilesUpdates: (json) => storePairs(linkedProfilesIn(json)),
  }
  return async (notice) => {
    const { operation, json } = mexUpdateIn(notice)
    await effects[operation]?.(json)
  }
}
