/**
 * Mode of an instance's queue. `enter` throws on a change that the table does not allow, because two items in flight
 * could lose a message or send it twice.
 *   idle      nothing is in flight: the first item is sent when its time has come
 *   naming    an item is being stored as the first of an empty queue; the same commit records it as in flight; until then no item may begin
 *   named     the first item is recorded as in flight in storage, and its sending has not begun
 *   sending   an item is recorded as in flight and is being sent
 *   settling  the result of the item is known and is being stored
 */
import type { Waiting } from './item.ts'

export type Mode =
  | { name: 'idle' }
  | { name: 'naming'; svcId: string }
  | { name: 'named'; svcId: string }
  /**
   * `since`: time of the monotonic clock at which the sending began. `done` resolves when the attempt is over, and
   * never rejects.
   */
  | { name: 'sending'; item: Waiting; since: number; done: Promise<void> }
  | { name: 'settling'; item: Waiting; since: number; done: Promise<void> }

export type ModeName = Mode['name']

const FOLLOWING: Readonly<Record<ModeName, readonly ModeName[]>> = {
  idle: ['naming', 'sending'],
  naming: ['named', 'idle'],
  // The recorded item may have been removed, so `sending` may begin with another one.
  named: ['sending', 'idle'],
  sending: ['settling', 'idle'],
  settling: ['named', 'idle'],
}

export interface Modes {
  readonly now: Mode
  /**
   * Changes the mode. Throws if the table does not allow the change, or if the change must keep the item and the new
   * mode has another one.
   */
  enter(next: Mode): void
}

export function createModes(): Modes {
  let now: Mode = { name: 'idle' }

  return {
    get now() {
      return now
    },
    enter(next) {
      if (!FOLLOWING[now.name].includes(next.name))
        throw new Error(`The queue cannot change from mode ${now.name} to ${next.name}.`)
      if (now.name === 'naming' && next.name === 'named' && now.svcId !== next.svcId)
        throw new Error('The message that was recorded as in flight is not the one that the queue is preparing.')
      if (now.name === 'sending' && next.name === 'settling' && now.item !== next.item)
        throw new Error('The message whose result is known is not the one that the queue is sending.')
      now = next
    },
  }
}

export const inFlight = (mode: Mode) => (mode.name === 'sending' || mode.name === 'settling' ? mode : undefined)
