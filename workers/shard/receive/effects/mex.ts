/** Handles `<notification type=mex>` about the account itself and about people. `notices.ts` handles those about channels. */
import type { BinaryNode } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { Json } from '../../wire/json.ts'
import type { LidPair } from '../../wire/lid-pairs.ts'
import { lidChangeIn, linkedProfilesIn, mexUpdateIn, reachOutLockIn } from '../../wire/mex-notice.ts'
import type { ReachOutLock } from '../../wire/reach-out-lock.ts'

export interface MexDeps {
  /** Called when the reach-out lock (the network's restriction of the account) has changed. `lock` is as the network sends it. */
  restricted(lock: ReachOutLock): void
  storePairs(pairs: LidPair[]): Promise<void>
  /** Returns the number of a LID; null if it is unknown. */
  pnOf(lid: string): Promise<string | null>
  /** Called when the device list of a person must be queried again. */
  forgetDevices(jid: string): Promise<void>
  log: Pick<Logger, 'warn'>
}

export function handleMex({ restricted, storePairs, pnOf, forgetDevices, log }: MexDeps): (notice: BinaryNode) => Promise<void> {
  /** Handles the new LID of a person. The number stays the same, and stored data is moved from the old LID to the new one. */
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
