/** Translates protocol messages that people see: deletions, timers, and edits (plain or encrypted). */
import { proto } from '@whiskeysockets/baileys'
import { count, idOrEmpty, idOrNull } from '../../wire/bounds.ts'
import { type Content, type Field, type Unwrapped, unwrap } from './content.ts'
import { type Family, type KnownMessage, notification, type Scene, type Translated, type Translation } from './family.ts'
import { may } from './permissions.ts'
import { decryptAbout, type Purpose } from './secret.ts'

const { Type } = proto.Message.ProtocolMessage
const { SecretEncType } = proto.Message.SecretEncryptedMessage

export type TranslateContent = (content: Content, scene: Scene) => Promise<Translated | null>

const DEVICES = 'exchanged between the devices of one account'
const APPS = 'a setting or a hint that only the apps show'
const BOTS = 'exchanged between the apps and the bots of Meta'

type ProtocolType = keyof typeof Type
/**
 * Kinds of protocol messages that cause no event, each with the reason. Any other kind that is not handled below is
 * `unsupported`.
 */
export const NOT_REPORTED_PROTOCOL = {
  EPHEMERAL_SYNC_RESPONSE: DEVICES,
  HISTORY_SYNC_NOTIFICATION: DEVICES,
  APP_STATE_SYNC_KEY_SHARE: DEVICES,
  APP_STATE_SYNC_KEY_REQUEST: DEVICES,
  MSG_FANOUT_BACKFILL_REQUEST: DEVICES,
  INITIAL_SECURITY_NOTIFICATION_SETTING_SYNC: DEVICES,
  APP_STATE_FATAL_EXCEPTION_NOTIFICATION: DEVICES,
  PEER_DATA_OPERATION_REQUEST_MESSAGE: DEVICES,
  PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE: DEVICES,
  LID_MIGRATION_MAPPING_SYNC: DEVICES,
  SHARE_PHONE_NUMBER: 'the number comes with the stanza',
  REQUEST_WELCOME_MESSAGE: APPS,
  MEDIA_NOTIFY_MESSAGE: APPS,
  CLOUD_API_THREAD_CONTROL_NOTIFICATION: APPS,
  REMINDER_MESSAGE: APPS,
  STATUS_MENTION_MESSAGE: APPS,
  LIMIT_SHARING: APPS,
  GROUP_MEMBER_LABEL_CHANGE: APPS,
  BOT_FEEDBACK_MESSAGE: BOTS,
  BOT_MEMU_ONBOARDING_MESSAGE: BOTS,
  STOP_GENERATION_MESSAGE: BOTS,
  AI_PSI_METADATA: BOTS,
  AI_QUERY_FANOUT: BOTS,
} as const satisfies Record<Exclude<ProtocolType, 'REVOKE' | 'EPHEMERAL_SETTING' | 'MESSAGE_EDIT'>, string>

export const protocol =
  (translate: TranslateContent): Family =>
  async (content, scene) => {
    const { type, ephemeralExpiration, editedMessage } = content.message.protocolMessage ?? {}
    switch (type) {
      case Type.REVOKE: {
        const deletion = await changeBy(content, scene)
        return deletion && notification({ notification: 'revoke' }, [], { reference_message_id: idOrNull(deletion.id) })
      }
      case Type.EPHEMERAL_SETTING:
        if (!(await may('setChat', scene))) return null
        return notification({ notification: 'ephemeral_setting_changed' }, [String(count(ephemeralExpiration) ?? 0)])
      case Type.MESSAGE_EDIT:
        return editedMessage ? edit(translate, await changeBy(content, scene), scene) : null
      default:
        return (Type[type ?? 0] ?? '') in NOT_REPORTED_PROTOCOL ? 'silent' : null
    }
  }

export const sealedEdit =
  (translate: TranslateContent): Family =>
  async (content, scene) =>
    edit(translate, await changeBy(content, scene), scene)

async function edit(translate: TranslateContent, change: Change | null, scene: Scene): Promise<Translation> {
  const translated = change?.content && (await translate(change.content, scene))
  if (!change || !translated) return null
  const ids = { message_id: idOrEmpty(change.id), edit_message_id: idOrEmpty(scene.key.id) }
  return { ...translated, common: { ...translated.common, ...ids, is_edit: true } }
}

export interface Change {
  id: string
  /** The new content of an edit; null for a deletion. */
  content: Content | null
}

/** Fields that contain changes of other messages, so the new content of an edit cannot be one of them. */
export const CHANGES: ReadonlySet<Field> = new Set<Field>(['protocolMessage', 'secretEncryptedMessage'])

/**
 * Returns the change that a message makes to another one. Null if it makes none, if the change cannot be decrypted, or
 * if the sender may not make it.
 */
export async function changeBy({ message }: Pick<Unwrapped, 'message'>, scene: Scene): Promise<Change | null> {
  const { type, key } = message.protocolMessage ?? {}
  if (type === Type.REVOKE) return key?.id && (await may('delete', scene, key)) ? { id: key.id, content: null } : null
  const { target, content } = (await editIn(message, scene)) ?? {}
  const field = content && unwrap(content)?.field
  if (!target?.id || !field || CHANGES.has(field)) return null
  const original = await scene.context.original(target.id, scene.key)
  return (await may('edit', scene, target, original)) ? { id: target.id, content: completed(content, original) } : null
}

const PURPOSES: Readonly<Record<number, Purpose>> = {
  [SecretEncType.MESSAGE_EDIT]: 'Message Edit',
  [SecretEncType.EVENT_EDIT]: 'Event Edit',
}

async function editIn({ protocolMessage, secretEncryptedMessage: sealed }: Content, scene: Scene) {
  const { type, key, editedMessage } = protocolMessage ?? {}
  if (type === Type.MESSAGE_EDIT) return { target: key, content: editedMessage }
  const purpose = PURPOSES[sealed?.secretEncType ?? 0]
  const target = sealed?.targetMessageKey
  const opened = purpose && (await decryptAbout(scene, target, purpose, { payload: sealed?.encPayload, iv: sealed?.encIv }))
  if (!opened) return null
  const inner = proto.Message.decode(opened.plain)
  return { target, content: inner.protocolMessage?.editedMessage ?? inner }
}

export const CAPTIONED = ['imageMessage', 'videoMessage', 'documentMessage'] as const

/**
 * Completes the new content of an edit. A caption may arrive without its media, so all other fields are copied from the
 * original message.
 */
function completed(content: Content, original: KnownMessage | null): Content {
  const found = unwrap(content)
  const field = CAPTIONED.find((each) => each === found?.field)
  const edited = field && found?.message[field]
  if (!field || !edited || edited.mediaKey?.length) return content
  const before = original ? unwrap(original.message) : null
  return before?.field === field ? { [field]: { ...before.message[field], ...edited } } : content
}
