/** `instance export`: takes a linked device out, into a program that goes on with it without pairing again. */
import { resolve } from 'node:path'
import type { WrittenFolder } from '../../workers/portability/export/write-folder.ts'
import { keys } from '../storage/record-keys.ts'
import { command, UsageError } from './command.ts'
import { type FoundInstance, ordered } from './instance-orders.ts'
import type { Stored } from './stored.ts'

const NAME = 'instance export'

export const exportDevice = command({
  name: NAME,
  summary: 'Move a linked device out, into a program on Baileys',
  details: [
    'The instance is stopped first and stays stopped, with the reason moved: a device can be connected in one place only. Then its credentials and',
    'keys are written into FOLDER, as useMultiFileAuthState of Baileys reads them. The service may keep running. Start the other program with the',
    'folder, and delete the instance when that is connected: deleting a stopped instance logs nothing out. `instance resume` takes the device back',
    'as long as the other program has not been started with it; afterwards, import its folder again. FOLDER holds the keys of the account.',
  ].join('\n'),
  arguments: [
    { name: 'ID', about: 'id of the instance' },
    { name: 'FOLDER', about: 'folder to create; it may exist if it is empty' },
  ],
  options: {
    to: { value: '<program>', about: 'the form to write: baileys', required: true },
    json: { about: 'print JSON instead of sentences' },
  },
  async run({ config, options: { to, json }, arguments: [id = '', given = ''] }) {
    if (to !== 'baileys') throw new UsageError(`--to is ${JSON.stringify(to)}; it must be baileys.`, NAME)
    const folder = resolve(given)
    // The library is loaded by this command alone.
    const { makeEmpty } = await import('../../workers/portability/export/write-folder.ts')
    // Before the instance is stopped for it.
    await makeEmpty(folder)
    return ordered(config, { id, order: 'move' }, async (stored, found) => {
      const written = await writeDevice(stored, found, folder)
      return shown(json, id, folder, written, await waitingIn(stored, id))
    })
  },
})

async function writeDevice({ store }: Stored, { id, ringKey }: FoundInstance, folder: string): Promise<WrittenFolder> {
  const { readInstance } = await import('../../workers/portability/export/read-instance.ts')
  const { writeFolder } = await import('../../workers/portability/export/write-folder.ts')
  const device = await readInstance(id, store, ringKey)
  if (!device) throw new Error(`Instance ${id} has no credentials, so there is nothing to move.`)
  return writeFolder(folder, device, Date.now())
}

/** Number of messages in the queue, which stay here. */
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
  const queued = waiting === 0 ? [] : [`${plural(waiting, 'message')} in the queue of the instance did not move.`]
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
