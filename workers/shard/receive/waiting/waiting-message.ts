import type { BinaryNode, WAMessageKey } from '@whiskeysockets/baileys'
import * as v from 'valibot'
import { secondsOf } from '../../wire/bounds.ts'
import { envelopeOf } from '../../wire/envelope.ts'
import { isHidden, isViewOnce } from '../../wire/message-stanza.ts'

const text = v.optional(v.string())
export const WaitingMessage = v.object({
  key: v.object({
    id: v.string(),
    remoteJid: v.string(),
    remoteJidAlt: text,
    fromMe: v.boolean(),
    participant: text,
    participantAlt: text,
  }),
  /** Epoch seconds. */
  timestamp: v.number(),
  pushName: v.nullable(v.string()),
  viewOnce: v.boolean(),
  /** Type that the event `unsupported` names; absent if the message is reported as `waiting_message`. */
  protoType: text,
  /** True if apps show nothing where the message would be. */
  isHidden: v.optional(v.literal(true)),
  isTold: v.boolean(),
  at: v.number(),
})
export type WaitingMessage = v.InferOutput<typeof WaitingMessage>

const optional = <K extends string>(name: K, value: string | null | undefined) =>
  (value ? { [name]: value } : {}) as { [P in K]?: string }

/**
 * Returns the record of a message that cannot be read. `protoType` is given if the message is reported as
 * `unsupported`. `now` is in epoch ms.
 */
export function waitingMessage(
  key: WAMessageKey & { id: string; remoteJid: string },
  node: BinaryNode,
  protoType: string | undefined,
  now: number,
): WaitingMessage {
  const { t, pushName = null } = envelopeOf(node)
  return {
    key: {
      id: key.id,
      remoteJid: key.remoteJid,
      fromMe: key.fromMe === true,
      ...optional('remoteJidAlt', key.remoteJidAlt),
      ...optional('participant', key.participant),
      ...optional('participantAlt', key.participantAlt),
    },
    timestamp: secondsOf(t, now),
    pushName,
    viewOnce: isViewOnce(node),
    ...optional('protoType', protoType),
    ...(isHidden(node) ? { isHidden: true as const } : {}),
    isTold: false,
    at: now,
  }
}
