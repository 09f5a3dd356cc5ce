/** Texts between instances of a cluster and people, in both directions, one after the other in each chat. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Instance } from '../harness/gateway.ts'
import { type Load, sendText } from './cluster-load.ts'
import type { ClusterWorld } from './cluster-world.ts'
import { CONTACTS } from './traffic.ts'

/** Milliseconds between two texts of a chat in one direction. */
const EVERY = 500
/** Number of texts of each chat and direction that are sent even if `isOver` is true at once. */
const LEAST = 3

export interface ConversationsOptions {
  instances: readonly Instance[]
  phoneOf(index: number): string
  /** Begins each text, so that the texts of one call of `converse` form a sequence of their own in each chat. */
  label: string
  /** Records the requests of the texts to people, and the accepted texts. */
  load: Load
  /** Records the ids of the texts from people. */
  received: string[]
  isOver(): boolean
}

/**
 * Sends texts until `isOver` returns true, but at least `LEAST`. Each text is sent after the answer to the earlier text
 * of its chat and direction.
 */
export async function converse(world: ClusterWorld, options: ConversationsOptions): Promise<void> {
  const { instances, phoneOf, label, load, received, isOver } = options
  const contactOf = (index: number) => CONTACTS[index % CONTACTS.length]!

  async function inSequence(name: string, send: (text: string) => Promise<unknown>): Promise<void> {
    for (let number = 0; !isOver() || number < LEAST; number++) {
      await send(`${label} ${name} ${String(number).padStart(5, '0')}`)
      await pause(EVERY)
    }
  }

  const lines = instances.flatMap((instance, index) => [
    inSequence(`in ${index}`, async (text) => {
      received.push((await world.sandbox.send(contactOf(index), phoneOf(index), { text })).id)
    }),
    inSequence(`out ${index}`, (message) => sendText(load, world, instance, { to: contactOf(index), message })),
  ])
  await Promise.all(lines)
}
