/**
 * A process with a simulated network and a service, which test files use one after another. This saves two to four
 * seconds of CPU time for each file. `scripts/test-worlds.mjs` starts and controls this process.
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
// The channel closes when `scripts/test-worlds.mjs` no longer needs this process, or has ended itself.
process.on('disconnect', () => place.end().finally(() => process.exit()))
say({ ready: { network, controlUrl, dir, baseUrl, adminKey } })
