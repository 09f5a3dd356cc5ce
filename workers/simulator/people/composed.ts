/** A message made ready for the wire. */
import type { proto } from '@whiskeysockets/baileys/WAProto/index.js'

export interface Composed {
  message: proto.IMessage
  /** `type` of the stanza. */
  type: 'text' | 'media' | 'reaction' | 'poll' | 'event'
  /** `mediatype` of its `<enc>`. */
  mediaType?: string
  /** The common fields are in its content already, where they were encrypted with it. */
  hasContext?: true
  /** `edit` of the stanza: 1 edit, 2 pin, 7 revoked by its author, 8 revoked by an admin. */
  edit?: '1' | '2' | '7' | '8'
  /** `<meta>` of the stanza: which side of a poll or event this is. */
  meta?: Record<string, string>
}
