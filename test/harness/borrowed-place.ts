/**
 * A place in a process that serves one test file after another (`world-host.ts`), lent by `scripts/test-worlds.mjs` over a socket: a line of JSON
 * each way. The end of the connection gives it back, whatever ended it.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import type { Place } from './place.ts'

/** What a host does for who borrowed it. */
export type HostTask = 'stopService' | 'startService' | 'empty'
/** What a host says of itself. */
export type HostReady = Omit<Place, 'service' | HostTask | 'end'>

/** Where places are lent; undefined: nowhere, as for a file that runs alone. */
export const lender = process.env.TEST_WORLDS || undefined

export async function borrowPlace(kind: 'traced' | 'untraced', address = lender!): Promise<Place> {
  const socket = connect(address)
  await once(socket, 'connect')
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  async function ask<T>(what: object): Promise<T> {
    // It keeps the process alive for as long as something is asked: a test that ends without giving its world back is not held up by it.
    socket.ref()
    socket.write(`${JSON.stringify(what)}\n`)
    const { value, done } = await lines.next()
    socket.unref()
    if (done) throw new Error('the process of the borrowed world has ended')
    const { answer, error } = JSON.parse(value) as { answer: T; error?: string }
    if (error !== undefined) throw new Error(`in the process of the borrowed world: ${error}`)
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
