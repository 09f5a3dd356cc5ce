/** `<notification type=mex>`: what the network says about the account itself. Channels are told by `notices.ts`. */
import type { BinaryNode } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { mexUpdateIn } from '../../wire/chat-changes.ts'
import { type Json, object, objects, textOf } from '../../wire/json.ts'
import type { LidPair } from '../../wire/lid-pairs.ts'

export interface MexDeps {
  /** The reach-out lock, as the network writes it. */
  restricted(lock: { isActive: boolean; endsAtSeconds: number | null }): void
  storePairs(pairs: LidPair[]): Promise<void>
  log: Pick<Logger, 'warn'>
}

export function mexTold({ restricted, storePairs, log }: MexDeps): (notice: BinaryNode) => Promise<void> {
  const effects: Readonly<Record<string, (json: Json) => void | Promise<void>>> = {
    NotificationUserReachoutTimelockUpdate(json) {
      const lock = object(object(json.data).xwa2_notify_account_reachout_timelock)
      if (lock.is_active === undefined) return
      restricted({ isActive: Boolean(lock.is_active), endsAtSeconds: Number(lock.time_enforcement_ends) || null })
    },
    MessageCappingInfoNotification() {
      log.warn({}, 'the network limits how many new chats the account may open')
    },
    NotificationLinkedProfilesUpdates(json) {
      const linked = object(object(json.data).xwa2_notify_linked_profiles)
      return storePairs([...objects(json.updates), linked].flatMap(pairsOf))
    },
  }
  return async (notice) => {
    const { operation, json } = mexUpdateIn(notice)
    await effects[operation]?.(json)
  }
}

function pairsOf({ jid, added_profiles: added }: Json): LidPair[] {
  const lid = textOf(jid)
  if (lid === null || !Array.isArray(added)) return []
  return added.flatMap((profile) => {
    const pn = textOf(profile) ?? textOf(object(profile).pn) ?? textOf(object(profile).jid)
    return pn === null ? [] : [{ lid, pn }]
  })
}
