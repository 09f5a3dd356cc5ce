/**
 * Borrows a place (a simulated network and a service, `place.ts`) from a process that serves one test file after
 * another (`world-host.ts`). `scripts/test-worlds.mjs` lends it, and exchanges lines of JSON with the test file over a
 * socket. The end of the connection returns the place.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import type { Place } from './place.ts'

export type HostTask = 'stopService' | 'startService' | 'empty'
export type HostReady = Omit<Place, 'service' | HostTask | 'end'>

/** Path of the lender's socket; undefined if no lender runs, for example if a test file runs alone. */
export const lender = process.env.TEST_WORLDS || undefined

export async function borrowPlace(kind: 'traced' | 'untraced', address = lender!): Promise<Place> {
  const socket = connect(address)
  await once(socket, 'connect')
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  async function ask<T>(what: object): Promise<T> {
    // The socket keeps this process alive only while a task runs, so that a test can end without returning what it has
    // borrowed.
    socket.ref()
    socket.write(`${JSON.stringify(what)}\n`)
    const { value, done } = await lines.next()
    socket.unref()
    if (done) throw new Error('the process of the borrowed world has ended')
    const { answer, error } = JSON.parse(value) as { answer: T; error?: string }
    if (error !== undefined) throw new Error(`the shared test process (network and service) reported an error: ${error}`)
    return answer
  }
  const task = (name: HostTask) => ask<void>({ task: name })

  const ready = await ask<HostReady>({ borrow: kind })
  return {
    ...ready,
    service: () => null,
    stopService: () => task('stopService'),
    startService: () => task('startService'),
    async end() {
      await task('empty')
      socket.end()
    },
  }
}
