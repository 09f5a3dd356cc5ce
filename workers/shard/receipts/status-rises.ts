/** Finds which statuses a receipt reports for the first time. */
import type { ReceiptLevels, Subject } from '../messages/receipt-levels.ts'
import { impliedBy, LEVEL, type MessageStatus, type Receipt } from '../translate/inbound/receipt.ts'
import { type People, subjectsOf } from './status-people.ts'

/** Status levels that result from earlier receipts of the same commit. They are not stored yet. */
export type Ahead = Map<Subject, number>

/** A status that is reported for the first time. */
export interface Rise {
  status: MessageStatus
  people: People
  /** The messages for which the status is new, without repetitions. */
  ids: string[]
  /** The key of the stored level of each id. */
  subjects: Subject[]
}

export type RisesOf = (receipt: Receipt, people: People, isWanted: boolean, ahead: Ahead) => Promise<Rise[]>

/**
 * Returns a function that finds the new statuses of a receipt. It calls `arrived` for each message of the receipt,
 * before it reads the level of the message.
 */
export function createStatusRises(levels: Pick<ReceiptLevels, 'of' | 'subject'>, arrived: (id: string) => void): RisesOf {
  const levelOf = async (names: readonly Subject[], ahead: Ahead) =>
    Math.max(await levels.of(names), ...names.map((name) => ahead.get(name) ?? 0))

  /**
   * Returns the new statuses, lowest first. They include lower statuses that the receipt implies and that were not
   * reported.
   */
  return async (receipt, people, isWanted, ahead) => {
    const statuses = [...impliedBy(receipt.status, people.kind), receipt.status]
    // The timeline of the message already has the network's ack, so an implied `sent` is only needed if its event is
    // wanted.
    const reported = statuses.filter((status) => isWanted || status !== 'sent' || receipt.status === 'sent')
    const rises = reported.map((status): Rise => ({ status, people: peopleAt(status, people), ids: [], subjects: [] }))
    for (const id of new Set(receipt.ids)) {
      arrived(id)
      const ofPeople = subjectsOf(levels, id, people)
      const before = await levelOf(ofPeople, ahead)
      for (const rise of rises) {
        if (before >= LEVEL[rise.status]) continue
        const names = rise.people === people ? ofPeople : subjectsOf(levels, id, rise.people)
        // In a group, `sent` is one status for all members, so the status of one member does not show whether
        // `sent` was reported.
        if (rise.people !== people && (await levelOf(names, ahead)) >= LEVEL[rise.status]) continue
        rise.ids.push(id)
        rise.subjects.push(names[0]!)
      }
    }
    return rises.filter(({ ids }) => ids.length > 0)
  }
}

/** Returns the people of a status. `sent` belongs to the whole message and not to one recipient. */
const peopleAt = (status: MessageStatus, people: People): People =>
  status === 'sent' && people.who ? { ...people, who: null } : people
