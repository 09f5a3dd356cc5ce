/** A message that was composed, and can be encrypted. */
import type { proto } from '@whiskeysockets/baileys/WAProto/index.js'

export interface Composed {
  message: proto.IMessage
  /** Attribute `type` of the stanza. */
  type: 'text' | 'media' | 'reaction' | 'poll' | 'event'
  /** Attribute `mediatype` of the stanza's `<enc>`. */
  mediaType?: string
  /** Set if the content already contains the common fields, because they were encrypted with it. */
  hasContext?: true
  /**
   * Attribute `edit` of the stanza: 1 is an edit, 2 a pin, 7 a revocation by the author, and 8 a revocation by an
   * admin.
   */
  edit?: '1' | '2' | '7' | '8'
  /** Attributes of the element `<meta>` in the stanza: the role of this message in a poll or event. */
  meta?: Record<string, string>
}
