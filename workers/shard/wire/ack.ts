/**
 * Parses `<ack id class from t error? phash? addressing_mode? refresh_lid? server_id?>`: the network accepted or
 * refused a stanza of this device.
 */
import type { BinaryNode } from '@whiskeysockets/baileys'

export interface Ack {
  id: string
  class: string | undefined
  from: string
  error: string | undefined
  /** Hash of the devices to which the network delivered a message. */
  phash: string | undefined
  addressingMode: string | undefined
  /** Id that the network gave to a channel post. */
  serverId: string | undefined
  /** Whether the LID of the person may have changed. */
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
