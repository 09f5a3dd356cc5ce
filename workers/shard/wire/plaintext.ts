/** Builds the plaintexts for devices from an encoded message, so that a message is encoded once for all devices. */
import { randomInt } from 'node:crypto'
import { proto } from '@whiskeysockets/baileys'

const DEVICE_SENT = 31
const DESTINATION = 1
const CONTENT = 2

/** Maximum number of bytes of padding. The number is random, and each padding byte contains it. */
const MAX_PADDING = 16

export function padded(message: Uint8Array): Uint8Array {
  const padding = randomInt(1, MAX_PADDING + 1)
  const bytes = new Uint8Array(message.length + padding).fill(padding, message.length)
  bytes.set(message)
  return bytes
}

/**
 * Builds the copy of a sent message for the account's other devices. The copy repeats the context `info` outside of the
 * wrapped message.
 */
export function deviceSent(to: string, message: Uint8Array, info: proto.IMessageContextInfo | null | undefined): Uint8Array {
  const sent = Buffer.concat([field(DESTINATION, Buffer.from(to)), field(CONTENT, message)])
  const around = info ? [proto.Message.encode({ messageContextInfo: info }).finish()] : []
  return Buffer.concat([field(DEVICE_SENT, sent), ...around])
}

/** Builds the message that gives a device the sender key of a group or of a status. */
export const distributing = (groupId: string, key: Uint8Array): Uint8Array =>
  proto.Message.encode({ senderKeyDistributionMessage: { groupId, axolotlSenderKeyDistributionMessage: key } }).finish()

const field = (number: number, bytes: Uint8Array) => Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes])

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80)
  return Uint8Array.of(...bytes, rest)
}
