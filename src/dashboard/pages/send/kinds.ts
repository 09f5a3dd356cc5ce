/** The kinds of messages that can be sent. They are the send operations of the API, with the examples of its description. */
import sends from '../../generated/sends.json'

export interface Kind {
  operation: string
  /** Path behind that of the instance. */
  path: string
  summary: string
  takesPhone: boolean
  /** Field that takes a file; null if there is none. */
  file: string | null
  hasCaption: boolean
  /** Fields besides the recipient, as the description's example has them. */
  example: Record<string, unknown>
}

export const KINDS: readonly Kind[] = sends

export const TEXT = KINDS.find(({ operation }) => operation === 'send.sendText')!

/** Returns what is put in front of the user: no picture of somebody else, and no number that could be somebody's. */
export const draftOf = ({ example }: Kind) => JSON.stringify(example, null, 2)

/** Returns the path for a file; that of a document ends with its extension. */
export const pathOf = ({ path }: Kind, fileName: string | undefined) =>
  path.replace('{extension}', encodeURIComponent(fileName?.split('.').slice(1).at(-1) ?? 'bin'))
