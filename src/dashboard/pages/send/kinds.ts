import sends from '../../generated/sends.json'
import { SENT_KINDS } from '../../texts/kind-words.ts'
import { t } from '../../texts/t.ts'

export interface Kind {
  operation: string
  path: string
  summary: string
  takesPhone: boolean
  /** Name of the field that takes a file; null if there is none. */
  file: string | null
  hasCaption: boolean
  example: Record<string, unknown>
}

const nameOf = (operation: string) => operation.slice(operation.indexOf('.') + 1)
const ORDER = SENT_KINDS.flatMap(([, kinds]) => Object.keys(kinds))
const placeOf = ({ operation }: Kind) => (ORDER.includes(nameOf(operation)) ? ORDER.indexOf(nameOf(operation)) : ORDER.length)

/** Kinds of messages in the order of the list. Kinds without words of their own come last. */
export const KINDS: readonly Kind[] = sends.toSorted((one, other) => placeOf(one) - placeOf(other))

export const groupOf = (operation: string): string =>
  SENT_KINDS.find(([, kinds]) => Object.hasOwn(kinds, nameOf(operation)))?.[0] ?? ''

/**
 * Returns words by which people search a kind: they may search for a "voice message" or a `sendAudio`, which are not in
 * the name of the kind.
 */
export const searchWordsOf = (operation: string) => `${operation} ${t('Message')}`

export const TEXT = KINDS.find(({ operation }) => operation === 'send.sendText')!

/**
 * Returns the example of a kind as JSON. It has no picture of a real person, and no number that may belong to somebody.
 */
export const draftOf = ({ example }: Kind) => JSON.stringify(example, null, 2)

/** Returns the path of an operation. The path for a document ends with the extension of the file name. */
export const pathOf = ({ path }: Kind, fileName: string | undefined) =>
  path.replace('{extension}', encodeURIComponent(fileName?.split('.').slice(1).at(-1) ?? 'bin'))
