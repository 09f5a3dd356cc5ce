/**
 * Lends a test file a place (a simulated network and a service, `place.ts`) from a process that serves one test file
 * after another (`world-host.ts`). `scripts/test-worlds.mjs` is the lender. The messages between the lender and the
 * test file are lines of JSON over a socket. When the connection ends for any reason, the place is returned.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import type { Place } from './place.ts'

/** Tasks that the process with the place does for the test file that has borrowed the place. */
export type HostTask = 'stopService' | 'startService' | 'empty'
/** The data with which the process with the place reports that the place is ready. */
export type HostReady = Omit<Place, 'service' | HostTask | 'end'>

/** Path of the lender's socket; undefined if no lender runs, for example if a test file runs alone. */
export const lender = process.env.TEST_WORLDS || undefined

export async function borrowPlace(kind: 'traced' | 'untraced', address = lender!): Promise<Place> {
  const socket = connect(address)
  await once(socket, 'connect')
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  async function ask<T>(what: object): Promise<T> {
    // The socket keeps this process alive only while a task runs. So a test that ends without returning its world is
    // not delayed by the socket.
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
