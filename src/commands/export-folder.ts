/** `instance export --to baileys`: the device as a folder of Baileys. */
import { resolve } from 'node:path'
import type { WrittenFolder } from '../../workers/portability/export/write-folder.ts'
import type { Config } from '../config.ts'
import { keys } from '../storage/record-keys.ts'
import { between, type FoundInstance } from './instance-orders.ts'
import type { Stored } from './stored.ts'

export async function exportFolder(config: Config, id: string, given: string, isJson: boolean): Promise<string> {
  const folder = resolve(given)
  // Only this command loads the library.
  const { makeEmpty } = await import('../../workers/portability/export/write-folder.ts')
  // Checked before the instance is stopped for the export.
  await makeEmpty(folder)
  return between(config, { id, before: ['move'], onFailure: ['resume'] }, async (stored, found) => {
    const written = await writeDevice(stored, found, folder)
    return shown(isJson, id, folder, written, await waitingIn(stored, id))
  })
}

async function writeDevice({ store }: Stored, { id, ringKey }: FoundInstance, folder: string): Promise<WrittenFolder> {
  const { readInstance } = await import('../../workers/portability/export/read-instance.ts')
  const { writeFolder } = await import('../../workers/portability/export/write-folder.ts')
  const device = await readInstance(id, store, ringKey)
  if (!device) throw new Error(`Instance ${id} has no credentials, so there is nothing to move.`)
  return writeFolder(folder, device, Date.now())
}

/** Number of messages in the queue, which are not exported. */
async function waitingIn({ store }: Stored, id: string): Promise<number> {
  let count = 0
  for await (const _ of store.range(keys.queue(id))) count += 1
  return count
}

async function shown(
  isJson: boolean,
  id: string,
  folder: string,
  { written, missing, lostMessageKeys }: WrittenFolder,
  waiting: number,
): Promise<string> {
  if (isJson) {
    const counts = { written: Object.fromEntries(written), missing: Object.fromEntries(missing) }
    return `${JSON.stringify({ instance: id, folder, ...counts, lost_message_keys: lostMessageKeys, waiting })}\n`
  }
  const { CATEGORIES } = await import('../../workers/portability/categories.ts')
  const lines = CATEGORIES.flatMap(({ type, nouns, without }) => {
    const [there, absent] = [written.get(type) ?? 0, missing.get(type) ?? 0]
    if (there + absent === 0) return []
    const counts = [`${there} written`, ...(absent > 0 ? [`${absent} not written`] : [])].join(', ')
    return [`${there + absent} ${nouns[there + absent === 1 ? 0 : 1]}: ${counts}.${absent > 0 ? ` ${without}` : ''}`]
  })
  const late =
    lostMessageKeys === 0 ? [] : [`${plural(lostMessageKeys, 'message')} that the network still holds may not be readable there.`]
  const queued = waiting === 0 ? [] : [`Messages in the queue that were not exported and stay here: ${waiting}.`]
  return [
    ...lines,
    ...late,
    ...queued,
    `The device is in ${folder}, and instance ${id} is stopped here with the reason moved.`,
    'Start the other program with this folder. Delete the instance when that is connected; nothing is logged out by it.',
  ]
    .map((line) => `${line}\n`)
    .join('')
}

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
