/**
 * `<ack id class from t error? phash? addressing_mode? refresh_lid? server_id?>`: the network took a stanza of ours, or refused it. Pure.
 */
import type { BinaryNode } from '@whiskeysockets/baileys'

export interface Ack {
  /** Empty: absent. */
  id: string
  /** The tag of what it answers. */
  class: string | undefined
  /** The chat that the stanza went to. */
  from: string
  /** Undefined: taken. */
  error: string | undefined
  /** Hash of the devices that the network gave a message to. */
  phash: string | undefined
  /** Of a group: `pn` or `lid`. */
  addressingMode: string | undefined
  /** Of a channel post: its number. */
  serverId: string | undefined
  /** The LID of the person may be another one by now. */
  isLidOutdated: boolean
}

export const ackIn = ({ attrs }: BinaryNode): Ack => ({
  id: attrs.id ?? '',
  class: attrs.class,
  from: attrs.from ?? '',
  error: attrs.error,
  phash: attrs.phash,
  addressingMode: attrs.addressing_mode,
  serverId: attrs.server_id,
  isLidOutdated: attrs.refresh_lid === 'true',
})
