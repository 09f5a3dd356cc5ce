/**
 * The mode of an instance's queue, which does one thing at a time. The table lists the allowed changes, and each goes through `enter`,
 * which throws on any other: an item that leaves beside another, or a name in storage that no mode has, would be lost or sent twice.
 *
 *   idle      nothing is under way: the head leaves when its moment has come
 *   naming    an item with none before it is being stored, and named in flight by the same commit; nothing may begin meanwhile
 *   named     such an item, or the head behind an item that has ended, is named in storage and has not begun
 *   sending   an item has begun: named, at the network, waited for
 *   settling  its outcome is known and is being stored
 */
import type { Waiting } from './item.ts'

export type Mode =
  | { name: 'idle' }
  | { name: 'naming'; svcId: string }
  | { name: 'named'; svcId: string }
  /** `since`: a moment of the clock that does not step. `done` resolves when the item is over, and never rejects. */
  | { name: 'sending'; item: Waiting; since: number; done: Promise<void> }
  | { name: 'settling'; item: Waiting; since: number; done: Promise<void> }

export type ModeName = Mode['name']

const FOLLOWING: Readonly<Record<ModeName, readonly ModeName[]>> = {
  idle: ['naming', 'sending'],
  naming: ['named', 'idle'],
  // Another item may overtake the named one, which was removed or put aside: the in-flight record is overwritten.
  named: ['sending', 'idle'],
  sending: ['settling', 'idle'],
  settling: ['named', 'idle'],
}

export interface Modes {
  readonly now: Mode
  /** Throws on what the table does not allow, and where the item is another. */
  enter(next: Mode): void
}

export function createModes(): Modes {
  let now: Mode = { name: 'idle' }

  return {
    get now() {
      return now
    },
    enter(next) {
      if (!FOLLOWING[now.name].includes(next.name)) throw new Error(`queue: ${next.name} cannot follow ${now.name}`)
      if (now.name === 'naming' && next.name === 'named' && now.svcId !== next.svcId)
        throw new Error('queue: a different item is being prepared')
      if (now.name === 'sending' && next.name === 'settling' && now.item !== next.item)
        throw new Error('queue: a different item is being sent')
      now = next
    },
  }
}

/** The item in flight, if there is one. */
export const inFlight = (mode: Mode) => (mode.name === 'sending' || mode.name === 'settling' ? mode : undefined)
