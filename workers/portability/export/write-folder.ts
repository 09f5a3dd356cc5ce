/** Writes a device as a folder of Baileys. Baileys' own function determines the names and formats of the files. */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type AuthenticationCreds, type SignalDataSet, useMultiFileAuthState } from '@whiskeysockets/baileys'
import type { DeviceKey } from '../../../src/domain/device-bundle.ts'
import type { Steps } from '../../../src/domain/steps.ts'
import type { KeyType } from '../../shard/keys/key-store.ts'
import { keyFrom } from '../../shard/keys/signal/codec.ts'
import { jsonFromRecord } from '../../shard/keys/signal/session-json.ts'
import type { StoredDevice } from './read-instance.ts'
import { senderKeyJson } from './sender-key-json.ts'

export interface WrittenFolder {
  written: ReadonlyMap<string, number>
  /**
   * Number of keys that could not be written, by type: their name is unknown, or they cannot be converted to the format
   * of Baileys.
   */
  missing: ReadonlyMap<string, number>
  lostMessageKeys: number
}

/** Umask for the export: only the owner may read the files, because they contain the keys of an account. */
const PRIVATE = 0o077
const PRIVATE_FOLDER = 0o700
const CREDS = 'creds.json'
const AT_ONCE = 200

const LEFT_OUT: ReadonlySet<string> = new Set(['app-state-sync-version'])

/** Returns the path of the marker file, which is in the folder until the export is complete. */
const unfinished = (folder: string, instance: string) => join(folder, `svc-export-${instance}.unfinished`)

/**
 * Creates the folder, or removes the files of an interrupted export from it. Rejects if it has files, but not the
 * marker file.
 */
export async function makeEmpty(folder: string, instance: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER })
  const mark = unfinished(folder, instance)
  const names = await readdir(folder)
  if (names.length === 0) return
  if (!names.includes(basename(mark))) throw new Error(`The folder ${folder} is not empty; name one that does not exist yet.`)
  // The marker file is removed last. Otherwise the next run would refuse the folder because of the other files.
  for (const name of names) if (name !== basename(mark)) await rm(join(folder, name))
  await rm(mark)
}

export async function isComplete(folder: string, instance: string): Promise<boolean> {
  const names = await readdir(folder)
  return names.includes(CREDS) && !names.includes(basename(unfinished(folder, instance)))
}

export interface WritingOptions {
  instance: string
  now: number
  steps: Steps
  /** Called when all files are written, but before the folder counts as complete. */
  complete(): Promise<void>
}

export async function writeFolder(
  folder: string,
  { creds, keys, unnamed }: StoredDevice,
  { instance, now, steps, complete }: WritingOptions,
): Promise<WrittenFolder> {
  process.umask(PRIVATE)
  const mark = unfinished(folder, instance)
  await writeFile(mark, '', { flush: true })
  const written = new Map<string, number>()
  const missing = new Map([...unnamed].filter(([type]) => !LEFT_OUT.has(type)))
  let lostMessageKeys = 0
  const count = (counts: Map<string, number>, type: string) => counts.set(type, (counts.get(type) ?? 0) + 1)

  function libraryValue(type: string, stored: Uint8Array): unknown {
    if (type === 'sender-key') return senderKeyJson(stored)
    if (type !== 'session') return keyFrom(type as KeyType, stored)
    const converted = jsonFromRecord(stored, now)
    lostMessageKeys += converted?.lostMessageKeys ?? 0
    return converted?.json
  }

  const { state, saveCreds } = await useMultiFileAuthState(folder)
  const entries = keys.flatMap(([type, id, stored]: DeviceKey) => {
    if (LEFT_OUT.has(type)) return []
    const value = libraryValue(type, stored)
    count(value === undefined ? missing : written, type)
    return value === undefined ? [] : [{ type, id, value }]
  })
  for (let from = 0; from < entries.length; from += AT_ONCE) {
    const data: Record<string, Record<string, unknown>> = {}
    for (const { type, id, value } of entries.slice(from, from + AT_ONCE)) data[type] = { ...data[type], [id]: value }
    await state.keys.set(data as SignalDataSet)
    await steps('export:begun')
  }
  // A folder without credentials is not a device. The credentials are written last, so that no program can start from
  // an incomplete folder after a kill.
  replaceAll(state.creds, creds)
  await saveCreds()
  await steps('export:written')
  await complete()
  await rm(mark)
  await steps('export:named')
  return { written, missing, lostMessageKeys }
}

/** Copies the credentials into the object that Baileys created, because it saves only this object. */
function replaceAll(target: AuthenticationCreds, source: AuthenticationCreds): void {
  for (const name of Object.keys(target)) delete (target as unknown as Record<string, unknown>)[name]
  Object.assign(target, source)
}
