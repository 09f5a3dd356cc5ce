/**
 * Translates a comment on a message in an announcement group. Clients encrypt a comment with the secret of that
 * message.
 */
import { proto } from '@whiskeysockets/baileys'
import { idOrEmpty } from '../../wire/bounds.ts'
import { type Content, saysSomething, unwrap } from './content.ts'
import type { Family, Scene, Translated } from './family.ts'
import { may } from './permissions.ts'
import type { TranslateContent } from './protocol.ts'
import { decryptAbout } from './secret.ts'

type Key = proto.IMessageKey | null | undefined

export const comment =
  (translate: TranslateContent): Family =>
  ({ message }, scene) => {
    const { message: content, targetMessageKey: target } = message.commentMessage ?? {}
    return content ? commented(translate, content, target, scene) : null
  }

export const sealedComment =
  (translate: TranslateContent): Family =>
  async ({ message }, scene) => {
    const sealed = message.encCommentMessage
    const target = sealed?.targetMessageKey
    const opened = await decryptAbout(scene, target, 'Enc Comment', { payload: sealed?.encPayload, iv: sealed?.encIv })
    return opened && commented(translate, proto.Message.decode(opened.plain), target, scene)
  }

/**
 * Null if the content is empty, only changes another message, or is itself a comment. Also null if the id of the
 * commented message is missing, or belongs to a message of another chat.
 */
async function commented(translate: TranslateContent, content: Content, target: Key, scene: Scene): Promise<Translated | null> {
  const field = unwrap(content)?.field
  if (!target?.id || !saysSomething(content) || field === 'commentMessage' || field === 'encCommentMessage') return null
  if (!(await may('speakAbout', scene, target))) return null
  const translated = await translate(content, scene)
  return translated && { ...translated, common: { ...translated.common, comment_on_message_id: idOrEmpty(target.id) } }
}
