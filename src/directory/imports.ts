/**
 * Devices that wait for their import: a command or the API writes them to the store, and the service creates instances
 * from them. A device has one record with the credentials, and further records (slices) with the keys. The commit that
 * creates the instance removes the record with the credentials.
 */
import * as v from 'valibot'
import type { ArchiveHead } from '../domain/archive.ts'
import { type DeviceBundle, type DeviceKey, IMPORT_SOURCES, type ImportSource } from '../domain/device-bundle.ts'
import { Failure, type FailureCode } from '../domain/failures.ts'
import type { Op, StateStore } from '../storage/contract.ts'
import { keys } from '../storage/record-keys.ts'
import { removeThese } from '../storage/remove-all.ts'
import { repository } from '../storage/repository.ts'
import type { Sealer } from '../storage/sealer.ts'

export interface ImportedDevice {
  id: string
  workspace: string
  name: string
  token: string
  from?: ImportSource | undefined
  identity: string
  /** Credentials in base64. The credentials of an archived instance are encrypted with the instance's key. */
  creds: string
  slices: number
  /**
   * Time at which the archive was made, in epoch ms. Each slice has it, too, because two services can stage two archives
   * of one instance at the same time, and overwrite each other's slices.
   */
  made?: number | undefined
  /** The instance, if it comes from an archive. The slices then contain records instead of keys. */
  archive?: ArchivedInstance | undefined
}

export interface ArchivedInstance {
  config: string
  ringKey: string
}

const ImportSchema: v.GenericSchema<unknown, ImportedDevice> = v.object({
  id: v.string(),
  workspace: v.string(),
  name: v.string(),
  token: v.string(),
  from: v.optional(v.picklist(IMPORT_SOURCES)),
  identity: v.string(),
  creds: v.string(),
  slices: v.number(),
  made: v.optional(v.number()),
  archive: v.optional(v.object({ config: v.string(), ringKey: v.string() })),
})
const SliceSchema = v.object({
  keys: v.array(v.tuple([v.string(), v.string(), v.string()])),
  made: v.optional(v.number()),
})
const RefusalSchema = v.object({ reason: v.string(), code: v.string() })

const KEYS_OF_SLICE = 200
const INTERRUPTED = 'A start of the service interrupted the import; import again.'
const STAGED_TWICE = 'Two archives of this instance were imported at the same time; import one of them again.'

const devices = (sealed: Sealer) => repository({ name: 'imported device', schema: ImportSchema, version: 1, sealed })
const slices = (sealed: Sealer) => repository({ name: 'keys of an imported device', schema: SliceSchema, version: 1, sealed })
const refusals = repository({ name: 'refused import', schema: RefusalSchema, version: 1 })

export function importOps(
  sealer: Sealer,
  about: Pick<ImportedDevice, 'id' | 'workspace' | 'name' | 'token' | 'from'>,
  bundle: DeviceBundle,
): Op[] {
  const ops: Op[] = []
  for (let from = 0; from < bundle.keys.length; from += KEYS_OF_SLICE) {
    const some = bundle.keys.slice(from, from + KEYS_OF_SLICE)
    const encoded = some.map(([type, id, value]) => [type, id, base64(value)] as [string, string, string])
    ops.push(slices(sealer).encode(keys.importKeys(about.id, ops.length), { keys: encoded }))
  }
  const { identity, creds } = bundle
  const device: ImportedDevice = { ...about, identity, creds: base64(creds), slices: ops.length }
  return [...ops, devices(sealer).encode(keys.import(about.id), device)]
}

const SLICE_BYTES = 100_000
const RECORD = 'record'

/**
 * Stages the records of an archived instance, in one commit for each slice. The service sees nothing until the returned
 * `ops` are committed.
 */
export function stageArchive(
  store: Pick<StateStore, 'commit' | 'range'>,
  sealer: Sealer,
  archive: Pick<ArchiveHead, 'id' | 'made'>,
) {
  const { id, made } = archive
  let held: [string, string, string][] = []
  let size = 0
  let count = 0
  async function flush() {
    if (held.length === 0) return
    await store.commit({ ops: [slices(sealer).encode(keys.importKeys(id, count), { keys: held, made })] })
    count += 1
    held = []
    size = 0
  }
  return {
    async add(name: string, value: Uint8Array): Promise<void> {
      held.push([RECORD, name, base64(value)])
      size += value.length
      if (size >= SLICE_BYTES || held.length >= KEYS_OF_SLICE) await flush()
    },
    /**
     * Writes the last slice, and removes further slices that an interrupted import has left. Resolves with the operation
     * that writes the record with which the service finds the instance.
     */
    async ops(about: Omit<ImportedDevice, 'id' | 'creds' | 'slices'>, creds: Uint8Array): Promise<Op[]> {
      await flush()
      const left: Op[] = []
      const further = count > 0 ? { after: keys.importKeys(id, count - 1) } : {}
      for await (const [key] of store.range(keys.importSlices(id), further)) left.push([key, null])
      await removeThese(store, left)
      return [devices(sealer).encode(keys.import(id), { ...about, id, creds: base64(creds), slices: count, made })]
    },
  }
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

export async function waitingImports(store: Pick<StateStore, 'range'>, sealer: Sealer): Promise<ImportedDevice[]> {
  const found: ImportedDevice[] = []
  for await (const { value } of devices(sealer).list(store, keys.imports)) found.push(value)
  return found
}

/**
 * Yields the keys or records of a device in slices. Throws if not all of its slices are there, or if some are those of
 * another staging.
 */
export async function* keySlices(
  store: Pick<StateStore, 'range'>,
  sealer: Sealer,
  device: ImportedDevice,
): AsyncIterable<DeviceKey[]> {
  let count = 0
  for await (const { value } of slices(sealer).list(store, keys.importSlices(device.id))) {
    if (value.made !== device.made) throw new Failure('not_allowed', { message: STAGED_TWICE })
    count += 1
    yield value.keys.map(([type, keyId, bytes]) => [type, keyId, Buffer.from(bytes, 'base64')] as const)
  }
  // If a service starts while a command stages slices, the service may remove them.
  if (count !== device.slices) throw new Failure('not_allowed', { message: INTERRUPTED })
}

/** Returns the operation that removes the record of the device, but not its slices. */
export const importTaken = ({ id }: ImportedDevice): Op => [keys.import(id), null]

/** Removes the slices of a device. Must run after the record of the device is removed. */
export const removeSlices = (store: StateStore, device: ImportedDevice): Promise<void> =>
  removeThese(
    store,
    Array.from({ length: device.slices }, (_, slice): Op => [keys.importKeys(device.id, slice), null]),
  )

export const importRefused = (device: ImportedDevice, { message, code }: Failure): Op[] => [
  importTaken(device),
  refusals.encode(keys.importRefusal(device.id), { reason: message, code }),
]

/** Returns why the service refused the device, or undefined if no refusal is in the store. */
export async function refusalOf(store: Pick<StateStore, 'get'>, id: string): Promise<Failure | undefined> {
  const refusal = await refusals.get(store, keys.importRefusal(id))
  return refusal && new Failure(refusal.code as FailureCode, { message: refusal.reason })
}

export async function removeImportLeftovers(store: StateStore): Promise<void> {
  const waiting = new Set<string>()
  for await (const [key] of store.range(keys.imports)) waiting.add(key.slice(keys.imports.length))
  const ops: Op[] = []
  for await (const [key] of store.range(keys.importRefusals)) ops.push([key, null])
  for await (const [key] of store.range(keys.allImportSlices))
    if (!waiting.has(key.slice(keys.allImportSlices.length).split(':')[0]!)) ops.push([key, null])
  await removeThese(store, ops)
}
