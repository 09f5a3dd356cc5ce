/** `instance resume`: continues an instance whose device was exported and never used at its target. */
import { createKillAt } from '../kill-at.ts'
import { command } from './command.ts'
import { between, type FoundInstance } from './instance-orders.ts'
import type { Stored } from './stored.ts'

export const resumeDevice = command({
  name: 'instance resume',
  summary: 'Start an instance again whose move to another program was cancelled',
  details: [
    'Use it only if the other program has never connected with the device. If it has, its keys have changed, and recipients would silently drop the',
    'first messages from here: delete the instance while it is stopped, and import the device again with `instance import`. The service may',
    'keep running; a stopped one connects the instance at its next start.',
  ].join('\n'),
  arguments: [{ name: 'ID', about: 'id of the instance' }],
  async run({ config, arguments: [id = ''] }) {
    const check = (_: Stored, { state }: FoundInstance) => {
      if (state.reason !== 'moved')
        throw new Error(`Instance ${id} was not moved to another program; its status is ${state.status}.`)
    }
    return between(config, { id, before: ['resume'], check }, async () => {
      await createKillAt(config.killAt)('resume:ended')
      return `Instance ${id} is started again.\n`
    })
  },
})
