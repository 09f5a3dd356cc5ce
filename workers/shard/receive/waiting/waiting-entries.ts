/**
 * Keeps the messages that could not be read yet. A mark is a hash of a message's id, chat and author, so a message has
 * one for each jid. The entry is stored under one of these marks.
 */
import type { WAMessageKey } from '@whiskeysockets/baileys'
import { type Mark, messageMarks } from '../../messages/seen-marks.ts'
import { chatNamesOf } from '../../translate/inbound/referenced.ts'
import { bare } from '../../wire/jid.ts'
import type { WaitingMessage } from './waiting-message.ts'

export interface WaitingEntry {
  record: WaitingMessage
}

export interface WaitingEntries<E extends WaitingEntry> {
  get(mark: Mark): E | undefined
  has(mark: Mark): boolean
  size(): number
  marks(): Iterable<Mark>
  all(): (readonly [Mark, E])[]
  /** Returns the mark of the entry of this message; undefined if the message is not waiting. */
  find(key: WAMessageKey): Mark | undefined
  /**
   * Returns the waiting message with this id. Senders choose the ids, so if several messages have this id, the chat
   * decides.
   */
  known(key: Pick<WAMessageKey, 'id' | 'remoteJid'>): WaitingMessage | undefined
  /** Returns the mark of the oldest entry that is already reported, or of the oldest entry if none is. */
  oldest(): Mark | undefined
  set(mark: Mark, entry: E): void
  remove(mark: Mark): void
}

export function createWaitingEntries<E extends WaitingEntry>(): WaitingEntries<E> {
  const open = new Map<Mark, E>()
  /** Maps each mark of a message to the mark under which it is stored in `open`. */
  const names = new Map<Mark, Mark>()

  return {
    get: (mark) => open.get(mark),
    has: (mark) => open.has(mark),
    size: () => open.size,
    marks: () => open.keys(),
    all: () => [...open],
    find: (key) =>
      names.size === 0
        ? undefined
        : messageMarks(key)
            .map((mark) => names.get(mark))
            .find((mark) => mark !== undefined),
    known({ id, remoteJid }) {
      const found = [...open.values()].map(({ record }) => record).filter(({ key }) => key.id === id)
      const isHere = ({ key }: WaitingMessage) => chatNamesOf(key).includes(bare(remoteJid ?? ''))
      // The caller may name a person by another jid than the stanza. So if no chat matches, the only message with this
      // id is returned.
      return found.find(isHere) ?? (found.length === 1 ? found[0] : undefined)
    },
    oldest() {
      for (const [mark, { record }] of open) if (record.isTold) return mark
      return open.keys().next().value
    },
    set(mark, entry) {
      open.set(mark, entry)
      for (const name of messageMarks(entry.record.key)) names.set(name, mark)
    },
    remove(mark) {
      const entry = open.get(mark)
      open.delete(mark)
      if (entry) for (const name of messageMarks(entry.record.key)) names.delete(name)
    },
  }
}
