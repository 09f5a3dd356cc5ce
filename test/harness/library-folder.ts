/** Links a device with the library (Baileys) alone, which stores the state of the device in a folder of files. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type AuthenticationCreds,
  BufferJSON,
  type SignalDataSet,
  type UserFacingSocketConfig,
  useMultiFileAuthState,
} from '@whiskeysockets/baileys'
import { silenceLibsignal } from '../../packages/sandbox/src/testing.ts'
import { keyOfName } from '../../workers/portability/baileys/folder.ts'
import { type Client, connect, isReady, lastQr } from '../simulator/client.ts'
import type { Simulator } from './network.ts'
import type { Sandbox } from './sandbox.ts'
import type { World } from './world.ts'

// The library prints sessions to the console when it closes them. This call prevents that.
silenceLibsignal()

export interface FolderClient {
  client: Client
  stop(): Promise<void>
}

const networkOf = ({ network }: World) => network.network as unknown as Simulator

/** Connects the device whose state is in the folder; if the folder is empty, a new device that is not linked. */
export async function openFolder(
  world: World,
  folder: string,
  config: Partial<UserFacingSocketConfig> = {},
): Promise<FolderClient> {
  const { state, saveCreds } = await useMultiFileAuthState(folder)
  let writing: Promise<unknown> = Promise.resolve()
  const writes: Promise<unknown>[] = []
  const keys = {
    get: state.keys.get,
    set(data: Parameters<typeof state.keys.set>[0]) {
      const written = Promise.resolve(state.keys.set(data))
      writes.push(written)
      return written
    },
  }
  const client = connect(networkOf(world), { creds: state.creds, keys }, config)
  client.socket.ev.on('creds.update', () => {
    writing = writing.then(saveCreds)
  })
  return {
    client,
    async stop() {
      await client.close().catch(() => {})
      await Promise.all(writes)
      await writing
    },
  }
}

/** Links a device that the library stores in the folder. The device stays connected. */
export async function linkFolder(world: World, sandbox: Sandbox, phone: string, folder: string): Promise<FolderClient> {
  await sandbox.createPhone(phone, { name: `Phone ${phone}` })
  const first = await openFolder(world, folder)
  await sandbox.scan(phone, await lastQr(first.client))
  await first.client.ended()
  await first.stop()
  const linked = await openFolder(world, folder)
  await isReady(linked.client)
  await linked.client.until(
    () => linked.client.events['messaging-history.set']?.some((set) => set.progress === 100),
    'the recent history',
  )
  return linked
}

/** Reads the whole state of the device from the folder. No client may write to the folder at the same time. */
export async function readWholeFolder(folder: string): Promise<{ creds: AuthenticationCreds; keys: SignalDataSet }> {
  const parsed = async (name: string) => JSON.parse(await readFile(join(folder, name), 'utf8'), BufferJSON.reviver)
  const keys: Record<string, Record<string, unknown>> = {}
  for (const name of await readdir(folder)) {
    const found = keyOfName(name.replace(/\.json$/, ''))
    if (found) keys[found.type] = { ...keys[found.type], [found.id]: await parsed(name) }
  }
  return { creds: await parsed('creds.json'), keys: keys as SignalDataSet }
}
