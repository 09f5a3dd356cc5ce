/**
 * Message timers of 1:1 chats. The network does not provide them to a linked device, so they are learned from messages:
 * the setting itself, and the expiry in each message of such a chat. Sent messages then include it too. In groups the
 * timer is part of the metadata.
 *
 * A message without an expiry proves nothing, because several clients omit it. Only the setting itself turns the timer
 * off.
 */
import { proto, toNumber, type WAMessage } from '@whiskeysockets/baileys'
import * as v from 'valibot'
import { DAY, SECOND } from '../../../src/domain/clock.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { removeAll } from '../../../src/storage/remove-all.ts'
import { repository } from '../../../src/storage/repository.ts'
import type { Context } from '../context/instance-context.ts'
import { contextInfo, unwrap } from '../translate/inbound/content.ts'
import { bare, chatKind } from '../wire/jid.ts'

const { EPHEMERAL_SETTING } = proto.Message.ProtocolMessage.Type
/**
 * Enum values for the context of a message. If they or the time of the setting are missing, the other phone warns that the message will not
 * disappear.
 */
const { Initiator, Trigger } = proto.DisappearingMode
/** Longest timer that is accepted: phones offer at most 90 days, but a sender may state any number. */
const MAX_SECONDS = (365 * DAY) / SECOND
/** The most timers whose keys are kept in memory; any sender can cause a new one. If more are stored, each chat is looked up on disk. */
const MAX_KNOWN = 5_000

const Expiry = v.object({
  /** Timer in seconds; 0 means that it is off. */
  seconds: v.number(),
  /** Time at which the setting was made, in epoch s; null if unknown. */
  since: v.nullable(v.number()),
})
export type Expiry = v.InferOutput<typeof Expiry>

export interface Disappearing {
  /** Returns the context of a message to this person, with the timer of the chat. `jids`: the jids of the chat. */
  of(jids: readonly (string | null)[]): Promise<proto.IContextInfo>
  /** Returns the operations that store the timer in a message, for the commit of this message. The message may be from either side. */
  ops(message: Pick<WAMessage, 'key' | 'message' | 'messageTimestamp'>): Promise<Op[]>
  /** Removes the timers of the device's chats. Called after the device was unlinked. */
  forget(): Promise<void>
}

export function createDisappearing({
  id: instance,
  store,
  sealer,
  log,
}: Context<'id' | 'store' | 'sealer' | 'log'>): Disappearing {
  const records = repository({ name: 'expiry of a chat', schema: Expiry, version: 1, sealed: sealer })
  const keyOf = (jid: string) => keys.disappearing(instance, sealer.blind(bare(jid)))
  /**
   * Keys of the chats that may have a row. Hardly any chat has a timer, so all keys usually fit into memory, and a chat without a timer needs no read
   * from disk. Undefined before the first look-up, null if there are too many keys.
   */
  let known: Promise<Set<string> | null> | undefined

  async function allKeys(): Promise<Set<string> | null> {
    const found = new Set<string>()
    for await (const [key] of store.range(keys.disappearings(instance), { limit: MAX_KNOWN + 1 })) found.add(key)
    return found.size > MAX_KNOWN ? null : found
  }

  function knownKeys(): Promise<Set<string> | null> {
    known ??= allKeys().catch((error) => {
      known = undefined
      throw error
    })
    return known
  }

  /** Adds the key of a row that may be on disk from now on, because the commit of the row begins. */
  async function note(key: string) {
    const all = await knownKeys()
    all?.add(key)
    if (all && all.size > MAX_KNOWN) known = Promise.resolve(null)
  }

  async function read(jid: string): Promise<Expiry | null> {
    const key = keyOf(jid)
    const all = await knownKeys()
    if (all && !all.has(key)) return null
    const bytes = await store.get(key)
    try {
      return bytes ? records.decode(key, bytes) : null
    } catch (error) {
      // The record is damaged. The timer is unknown until the next message of the chat contains it.
      log.error({ err: error }, 'the stored expiry of a chat could not be decoded')
      return null
    }
  }

  return {
    async of(jids) {
      for (const jid of jids) {
        const known = jid === null ? null : await read(jid)
        if (known === null) continue
        if (known.seconds === 0) return {}
        return {
          expiration: known.seconds,
          ...(known.since === null ? {} : { ephemeralSettingTimestamp: known.since }),
          disappearingMode: { initiator: Initiator.CHANGED_IN_CHAT, trigger: Trigger.CHAT_SETTING },
        }
      }
      return {}
    },

    async ops({ key, message, messageTimestamp }) {
      const { remoteJid, remoteJidAlt } = key
      const claimed = message && remoteJid && chatKind(remoteJid) === 'user' ? expiryOf(message) : null
      if (claimed === null) return []
      // A setting cannot be newer than the message that contains it. Without this limit, a setting dated next year would override all later settings.
      const latest = toNumber(messageTimestamp) || Number.POSITIVE_INFINITY
      const said = claimed.since === null ? claimed : { ...claimed, since: Math.min(claimed.since, latest) }
      const ops: Op[] = []
      for (const jid of new Set([remoteJid, remoteJidAlt].flatMap((name) => (name ? [bare(name)] : [])))) {
        const known = await read(jid)
        const isOld = known?.since != null && said.since !== null && said.since < known.since
        const isSame = known?.seconds === said.seconds && (said.since === null || said.since === known.since)
        if (isOld || isSame) continue
        await note(keyOf(jid))
        ops.push(records.encode(keyOf(jid), said))
      }
      return ops
    },

    async forget() {
      await removeAll(store, keys.disappearings(instance))
      known = undefined
    },
  }
}

/** Returns the expiry that a message contains for its chat; null if the message has none. */
export function expiryOf(message: proto.IMessage): Expiry | null {
  const content = unwrap(message)
  if (content === null) return null
  const { protocolMessage } = content.message
  if (protocolMessage?.type === EPHEMERAL_SETTING)
    return bounded(protocolMessage.ephemeralExpiration ?? 0, protocolMessage.ephemeralSettingTimestamp)
  const info = contextInfo(content)
  return info?.expiration ? bounded(info.expiration, info.ephemeralSettingTimestamp) : null
}

function bounded(seconds: number, since: Parameters<typeof toNumber>[0]): Expiry | null {
  if (!Number.isSafeInteger(seconds) || seconds < 0 || seconds > MAX_SECONDS) return null
  return { seconds, since: toNumber(since) || null }
}
