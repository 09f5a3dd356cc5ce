/** Protocol messages that matter to a person: a deletion, an expiry, an edit in its old and in its sealed form. */
import { proto } from '@whiskeysockets/baileys'
import { count, idOrEmpty, idOrNull } from '../../wire/bounds.ts'
import { type Content, unwrap } from './content.ts'
import { type Family, type KnownMessage, notification, type Scene, type Translated, type Translation } from './family.ts'
import { may } from './permissions.ts'
import { openAbout, type Purpose } from './secret.ts'

type Key = proto.IMessageKey | null | undefined

const { Type } = proto.Message.ProtocolMessage
const { SecretEncType } = proto.Message.SecretEncryptedMessage

/** Translates a content without its message: the result of an edit. */
export type TranslateContent = (content: Content, scene: Scene) => Promise<Translated | null>

/** Of protocol messages only these are reported; the rest is the clients' own business. */
export const protocol =
  (translate: TranslateContent): Family =>
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
        return editedMessage ? edit(translate, editedMessage, key, scene) : 'silent'
      default:
        return 'silent'
    }
  }

const PURPOSES: Readonly<Record<number, Purpose>> = {
  [SecretEncType.MESSAGE_EDIT]: 'Message Edit',
  [SecretEncType.EVENT_EDIT]: 'Event Edit',
}

export const sealedEdit =
  (translate: TranslateContent): Family =>
  async ({ message }, scene) => {
    const sealed = message.secretEncryptedMessage
    const purpose = PURPOSES[sealed?.secretEncType ?? 0]
    const target = sealed?.targetMessageKey
    if (!purpose) return null
    const opened = await openAbout(scene, target, purpose, { payload: sealed?.encPayload, iv: sealed?.encIv })
    if (!opened) return null
    const inner = proto.Message.decode(opened.plain)
    return edit(translate, inner.protocolMessage?.editedMessage ?? inner, target, scene)
  }

/** The new content under the id of the message it replaces. Of somebody else's message it changes nothing: phones do not show it. */
async function edit(translate: TranslateContent, content: Content, target: Key, scene: Scene): Promise<Translation> {
  if (!target?.id) return null
  const original = await scene.context.original(target.id, scene.key)
  if (!(await may('edit', scene, target, original))) return null
  const translated = await translate(completed(content, original), scene)
  if (!translated) return null
  const ids = { message_id: idOrEmpty(target.id), edit_message_id: idOrEmpty(scene.key.id) }
  return { ...translated, common: { ...translated.common, ...ids, is_edit: true } }
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
