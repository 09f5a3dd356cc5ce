/**
 * A place in a process that serves one test file after another (`world-host.ts`), lent by `scripts/test-worlds.mjs` over a socket with one line of
 * JSON per message. The end of the connection returns it, regardless of the reason.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import type { Place } from './place.ts'

/** Tasks that a host does for its borrower. */
export type HostTask = 'stopService' | 'startService' | 'empty'
/** The data with which a host reports that it is ready. */
export type HostReady = Omit<Place, 'service' | HostTask | 'end'>

/** Socket of the lender; undefined if there is none, as for a file that runs alone. */
export const lender = process.env.TEST_WORLDS || undefined

export async function borrowPlace(kind: 'traced' | 'untraced', address = lender!): Promise<Place> {
  const socket = connect(address)
  await once(socket, 'connect')
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  async function ask<T>(what: object): Promise<T> {
    // The socket keeps the process alive only while a task runs: a test that ends without returning its world is not delayed by it.
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
