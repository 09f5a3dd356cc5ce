import { resolve } from 'node:path'
import type { WrittenFolder } from '../../workers/portability/export/write-folder.ts'
import { movedToOp } from '../archive/moved-to.ts'
import type { Config } from '../config.ts'
import type { Steps } from '../domain/steps.ts'
import { createKillAt } from '../kill-at.ts'
import { keys } from '../storage/record-keys.ts'
import { earlierTarget } from './earlier-target.ts'
import { between, type FoundInstance } from './instance-orders.ts'
import type { Stored } from './stored.ts'

export async function exportFolder(config: Config, id: string, given: string, isJson: boolean): Promise<string> {
  const folder = resolve(given)
  const steps = createKillAt(config.killAt)
  const { makeEmpty } = await import('../../workers/portability/export/write-folder.ts')
  let isThere = false
  const text = await between(
    config,
    {
      id,
      before: ['move'],
      onFailure: ['resume'],
      // The checks run before the instance is stopped for the export.
      async check(stored, found) {
        isThere = await isFromEarlier(stored, found, folder)
        if (!isThere) await makeEmpty(folder, id)
      },
    },
    async (stored, found) => {
      const waiting = await waitingIn(stored, id)
      if (isThere) return shown(isJson, id, folder, undefined, waiting)
      return shown(isJson, id, folder, await writeDevice(stored, found, folder, steps), waiting)
    },
  )
  await steps('export:ended')
  return text
}

async function isFromEarlier(stored: Stored, found: FoundInstance, folder: string): Promise<boolean> {
  const { isComplete } = await import('../../workers/portability/export/write-folder.ts')
  return (await earlierTarget(stored, found, folder)) !== undefined && (await isComplete(folder, found.id))
}

async function writeDevice(
  { store, sealer }: Stored,
  { id, ringKey }: FoundInstance,
  folder: string,
  steps: Steps,
): Promise<WrittenFolder> {
  const { readInstance } = await import('../../workers/portability/export/read-instance.ts')
  const { writeFolder } = await import('../../workers/portability/export/write-folder.ts')
  const device = await readInstance(id, store, ringKey)
  if (!device) throw new Error(`Instance ${id} has no credentials, so there is nothing to move.`)
  const now = Date.now()
  return writeFolder(folder, device, {
    instance: id,
    now,
    steps,
    async complete() {
      await store.commit({ ops: [movedToOp(sealer, id, { path: folder, made: now })] })
      await steps('export:recorded')
    },
  })
}

async function waitingIn({ store }: Stored, id: string): Promise<number> {
  let count = 0
  for await (const _ of store.range(keys.queue(id))) count += 1
  return count
}

async function shown(
  isJson: boolean,
  id: string,
  folder: string,
  counts: WrittenFolder | undefined,
  waiting: number,
): Promise<string> {
  if (isJson) return `${JSON.stringify({ instance: id, folder, ...(counts && asJson(counts)), waiting })}\n`
  const report = counts ? await sentencesOf(counts) : ['An earlier run of this command has written the folder.']
  const queued = waiting === 0 ? [] : [`Messages in the queue that were not exported and stay here: ${waiting}.`]
  return [
    ...report,
    ...queued,
    `The device is in ${folder}, and instance ${id} is stopped here with the reason moved.`,
    'Start the other program with this folder. Delete the instance when that program is connected; this does not log the device out.',
  ]
    .map((line) => `${line}\n`)
    .join('')
}

const asJson = ({ written, missing, lostMessageKeys }: WrittenFolder) => ({
  written: Object.fromEntries(written),
  missing: Object.fromEntries(missing),
  lost_message_keys: lostMessageKeys,
})

async function sentencesOf({ written, missing, lostMessageKeys }: WrittenFolder): Promise<string[]> {
  const { CATEGORIES } = await import('../../workers/portability/categories.ts')
  const lines = CATEGORIES.flatMap(({ type, nouns, without }) => {
    const [there, absent] = [written.get(type) ?? 0, missing.get(type) ?? 0]
    if (there + absent === 0) return []
    const counts = [`${there} written`, ...(absent > 0 ? [`${absent} not written`] : [])].join(', ')
    return [`${there + absent} ${nouns[there + absent === 1 ? 0 : 1]}: ${counts}.${absent > 0 ? ` ${without}` : ''}`]
  })
  const late =
    lostMessageKeys === 0 ? [] : [`${plural(lostMessageKeys, 'message')} that the network still holds may not be readable there.`]
  return [...lines, ...late]
}

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
