import { bytesOf } from './wire.ts'

const SENDER_KEY_DISTRIBUTION = 2
const DEVICE_SENT = 31
const DEVICE_SENT_MESSAGE = 2
const GROUP_ID = 1
const DISTRIBUTION = 2

export function findDistribution(plaintext: Uint8Array): { groupId: string; distribution: Uint8Array } | undefined {
  try {
    const message = unpad(plaintext)
    if (!message) return undefined
    const sent = bytesOf(message, DEVICE_SENT)
    const inner = (sent && bytesOf(sent, DEVICE_SENT_MESSAGE)) ?? message
    const found = bytesOf(inner, SENDER_KEY_DISTRIBUTION)
    const groupId = found && bytesOf(found, GROUP_ID)
    const distribution = found && bytesOf(found, DISTRIBUTION)
    return groupId && distribution && { groupId: Buffer.from(groupId).toString(), distribution }
  } catch {
    // The bytes are not a message. The inbox decodes them next, and logs the error.
    return undefined
  }
}

function unpad(plaintext: Uint8Array): Uint8Array | undefined {
  const padding = plaintext.at(-1)
  if (padding === undefined || padding > plaintext.length) return undefined
  return plaintext.subarray(0, plaintext.length - padding)
}
