/**
 * A process with a place (a network and a service, `place.ts`) that is lent to one test file after another. It is a
 * child of `scripts/test-worlds.mjs`, which passes on the tasks of the test files. One process for some seventy files
 * saves two to four seconds of CPU time for each file.
 */
import type { HostReady, HostTask } from './borrowed-place.ts'
import { createEmptying } from './empty-place.ts'
import { openPlace } from './own-place.ts'

const place = await openPlace({ untraced: process.argv[2] === 'untraced' })
const { network, controlUrl, dir, baseUrl, adminKey } = place
const tasks: Record<HostTask, () => Promise<void>> = {
  stopService: place.stopService,
  startService: place.startService,
  empty: await createEmptying(place),
}

const say = (message: { ready: HostReady } | { error?: string }) => process.send!(message)

process.on('message', ({ task }: { task: HostTask }) => {
  tasks[task]().then(
    () => say({}),
    (error: Error) => say({ error: error.stack ?? error.message }),
  )
})
// The channel closes when the lender no longer needs the place, or when the lender has ended.
process.on('disconnect', () => place.end().finally(() => process.exit()))
say({ ready: { network, controlUrl, dir, baseUrl, adminKey } })
