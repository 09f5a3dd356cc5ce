import type { proto } from '@whiskeysockets/baileys/WAProto/index.js'

export interface Composed {
  message: proto.IMessage
  type: 'text' | 'media' | 'reaction' | 'poll' | 'event'
  mediaType?: string
  /** Set if the content already has the common fields, as in an edit or a comment. */
  hasContext?: true
  /**
   * Attribute `edit` of the stanza: 1 is an edit, 2 a pin, 7 a revocation by the author, and 8 a revocation by an
   * admin.
   */
  edit?: '1' | '2' | '7' | '8'
  /** Attributes of `<meta>` in the stanza: the role of this message in a poll or event. */
  meta?: Record<string, string>
}
