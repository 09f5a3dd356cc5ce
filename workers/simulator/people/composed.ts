/** A composed message, ready to be encrypted. */
import type { proto } from '@whiskeysockets/baileys/WAProto/index.js'

export interface Composed {
  message: proto.IMessage
  /** Attribute `type` of the stanza. */
  type: 'text' | 'media' | 'reaction' | 'poll' | 'event'
  /** Attribute `mediatype` of the stanza's `<enc>`. */
  mediaType?: string
  /** Set if the common fields are already in the content, because they were encrypted with it. */
  hasContext?: true
  /** Attribute `edit` of the stanza: 1 edit, 2 pin, 7 revoked by its author, 8 revoked by an admin. */
  edit?: '1' | '2' | '7' | '8'
  /** Element `<meta>` of the stanza: the role of this message in a poll or event. */
  meta?: Record<string, string>
}
