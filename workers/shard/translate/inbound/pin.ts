import { proto } from '@whiskeysockets/baileys'
import { count } from '../../wire/bounds.ts'
import { block, type Family } from './family.ts'
import { may } from './permissions.ts'
import { referencedMessage } from './referenced.ts'

const { Type } = proto.Message.PinInChatMessage

export const pin: Family = async ({ message, aside }, scene) => {
  const found = message.pinInChatMessage
  const referenced = await referencedMessage(found?.key, scene)
  if (!found || !referenced || !(await may('pin', scene, found.key))) return null
  const isPin = found.type !== Type.UNPIN_FOR_ALL
  return block('pin', {
    action: isPin ? 'pin' : 'unpin',
    pin_duration_seconds: isPin ? (count(aside.messageAddOnDurationInSecs) ?? 0) : 0,
    referenced_message: referenced,
  })
}
