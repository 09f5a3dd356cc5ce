import type { AuthenticationCreds, BinaryNode, WAMessageKey } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { type Marks, messageMarks } from '../../messages/seen-marks.ts'
import { idOf } from '../../wire/envelope.ts'
import type { Unreported } from '../unreported.ts'
import type { Unreadable } from '../waiting/waiting-messages.ts'
import { addressed } from './stanza-message.ts'

export interface UnreadableNotesDeps {
  marks: Pick<Marks, 'has'>
  log: Logger
  me(): AuthenticationCreds['me']
  unreadable(key: WAMessageKey, node: BinaryNode, how?: Unreadable): Promise<void>
  unreported(reason: Unreported): void
}

export type NoteUnreadable = (node: BinaryNode, how?: Unreadable) => Promise<boolean>

export function createUnreadableNotes({ marks, log, me, ...deps }: UnreadableNotesDeps): NoteUnreadable {
  const noted = new WeakSet<BinaryNode>()

  return async (node, how) => {
    let key: WAMessageKey
    try {
      key = addressed(node, me()).key
    } catch (error) {
      // The stanza has no chat or no id, so no record is possible.
      log.warn({ err: error, stanza: idOf(node) }, 'a message stanza is malformed')
      deps.unreported('malformed')
      return false
    }
    if (messageMarks(key).some(marks.has)) {
      deps.unreported('again')
      return false
    }
    if (!noted.has(node)) await deps.unreadable(key, node, how)
    noted.add(node)
    return true
  }
}

/** Describes a message that nobody sends again. `protoType` is its type in the event `unsupported`. */
export const never = (protoType: string): Unreadable => ({ protoType, isFinal: true })
