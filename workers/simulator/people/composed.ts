/** A composed message, ready to be encrypted. */
import type { proto } from '@whiskeysockets/baileys/WAProto/index.js'

export interface Composed {
  message: proto.IMessage
  /** `type` of the stanza. */
  type: 'text' | 'media' | 'reaction' | 'poll' | 'event'
  /** `mediatype` of its `<enc>`. */
  mediaType?: string
  /** The common fields are already in its content, because they were encrypted with it. */
  hasContext?: true
  /** `edit` of the stanza: 1 edit, 2 pin, 7 revoked by its author, 8 revoked by an admin. */
  edit?: '1' | '2' | '7' | '8'
  /** `<meta>` of the stanza: the role of this message in a poll or event. */
  meta?: Record<string, string>
}
