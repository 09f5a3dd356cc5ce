/**
 * Timers of disappearing messages in 1:1 chats. The network does not provide the timers to a linked device, so they are
 * learned from messages. Several clients omit the timer, so a message without one proves nothing.
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
 * Enum values for the context of a message. Without them the recipient's phone warns that the message will not
 * disappear.
 */
const { Initiator, Trigger } = proto.DisappearingMode
/**
 * Longest accepted timer. Phones offer at most 90 days, but a sender may state any number, so longer ones are ignored.
 */
const MAX_SECONDS = (365 * DAY) / SECOND
/** Maximum number of timers whose keys are kept in memory. If more are stored, each chat is looked up on disk. */
const MAX_KNOWN = 5_000

const Expiry = v.object({
  /** Duration of the timer; 0 means that the timer is off. */
  seconds: v.number(),
  /** Time at which the setting was made, in epoch s; null if unknown. */
  since: v.nullable(v.number()),
})
export type Expiry = v.InferOutput<typeof Expiry>

export interface Disappearing {
  of(jids: readonly (string | null)[]): Promise<proto.IContextInfo>
  ops(message: Pick<WAMessage, 'key' | 'message' | 'messageTimestamp'>): Promise<Op[]>
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
   * Keys of the timers that may be stored, so that other chats need no read from disk. Null if there are too many;
   * undefined while they have not been read.
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
      // The timer is unknown until the next message of the chat contains it.
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
      // A setting cannot be newer than its message. Without this limit, a setting dated next year would override all
      // later ones.
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
