/** Protocol messages that say something to a person: a deletion, an expiry, an edit in its old and in its sealed form. */
import { proto } from '@whiskeysockets/baileys'
import { count, idOrEmpty, idOrNull } from '../../wire/bounds.ts'
import { may } from './authority.ts'
import { type Content, unwrap } from './content.ts'
import { type Family, type KnownMessage, notification, type Scene, type Telling, type Told } from './family.ts'
import { openAbout, type Purpose } from './secret.ts'

type Key = proto.IMessageKey | null | undefined

const { Type } = proto.Message.ProtocolMessage
const { SecretEncType } = proto.Message.SecretEncryptedMessage

/** Tells a content without its message: what an edit turns into. */
export type TellContent = (content: Content, scene: Scene) => Promise<Told | null>

/** Of protocol messages only these are reported; the rest is the clients' own business. */
export const protocol =
  (tell: TellContent): Family =>
  async ({ message }, scene) => {
    const { type, key, ephemeralExpiration, editedMessage } = message.protocolMessage ?? {}
    switch (type) {
      case Type.REVOKE:
        if (!(await may('delete', scene, key))) return null
        return notification({ notification: 'revoke' }, [], { reference_message_id: idOrNull(key?.id) })
      case Type.EPHEMERAL_SETTING:
        if (!(await may('setChat', scene))) return null
        return notification({ notification: 'ephemeral_setting_changed' }, [String(count(ephemeralExpiration) ?? 0)])
      case Type.MESSAGE_EDIT:
        return editedMessage ? edit(tell, editedMessage, key, scene) : 'silent'
      default:
        return 'silent'
    }
  }

const PURPOSES: Readonly<Record<number, Purpose>> = {
  [SecretEncType.MESSAGE_EDIT]: 'Message Edit',
  [SecretEncType.EVENT_EDIT]: 'Event Edit',
}

export const sealedEdit =
  (tell: TellContent): Family =>
  async ({ message }, scene) => {
    const sealed = message.secretEncryptedMessage
    const purpose = PURPOSES[sealed?.secretEncType ?? 0]
    const target = sealed?.targetMessageKey
    if (!purpose) return null
    const opened = await openAbout(scene, target, purpose, { payload: sealed?.encPayload, iv: sealed?.encIv })
    if (!opened) return null
    const inner = proto.Message.decode(opened.plain)
    return edit(tell, inner.protocolMessage?.editedMessage ?? inner, target, scene)
  }

/** The new content under the id of the message it replaces. Of somebody else's message it changes nothing: phones do not show it. */
async function edit(tell: TellContent, content: Content, target: Key, scene: Scene): Promise<Telling> {
  if (!target?.id) return null
  const original = await scene.context.original(target.id, scene.key)
  if (!(await may('edit', scene, target, original))) return null
  const told = await tell(completed(content, original), scene)
  if (!told) return null
  const ids = { message_id: idOrEmpty(target.id), edit_message_id: idOrEmpty(scene.key.id) }
  return { ...told, common: { ...told.common, ...ids, is_edit: true } }
}

/** Media whose caption is edited. */
export const CAPTIONED = ['imageMessage', 'videoMessage', 'documentMessage'] as const

/** A new caption may come without the picture: the rest is that of the message it replaces. */
function completed(content: Content, original: KnownMessage | null): Content {
  const found = unwrap(content)
  const field = CAPTIONED.find((each) => each === found?.field)
  const edited = field && found?.message[field]
  if (!field || !edited || edited.mediaKey?.length) return content
  const before = original ? unwrap(original.message) : null
  return before?.field === field ? { [field]: { ...before.message[field], ...edited } } : content
}
