/**
 * Opens one collection in an answer of the network: fetches and verifies its files, decrypts its entries in slices, and
 * verifies its MACs.
 */
import { proto, type WAPatchName } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { SealedFile } from '../../../src/domain/file-download.ts'
import { createTurns } from '../../../src/lib/turns.ts'
import type { ReadFile } from '../../../src/media/fetched.ts'
import type { AppStateAction } from '../wire/app-state-actions.ts'
import { type CollectionChange, type CollectionState, changeCollection, newCollection } from '../wire/app-state-collection.ts'
import { type MutationKeys, mutationKeys, snapshotMacOf } from '../wire/app-state-patch.ts'
import {
  type CollectionAnswer,
  DamagedAppState,
  decryptEntry,
  type Entries,
  externalEntries,
  patchEntries,
  type SealedEntry,
  snapshotEntries,
  verifyPatch,
} from '../wire/app-state-reading.ts'

export interface CollectionOpenerDeps {
  keyOf(id: string): Promise<Uint8Array | undefined>
  readFile: ReadFile
  log: Pick<Logger, 'info' | 'warn'>
}

export interface Opened {
  change: CollectionChange
  version: number
  /** The actions by their index. If an entry was changed twice, only the last change counts. */
  actions: Map<string, AppStateAction>
  isLenient: boolean
  /** Whether the collection was read in full and nothing was skipped, so that a missing entry does not exist. */
  isAll: boolean
}

export interface CollectionOpener {
  /**
   * Returns null if the answer has no changes to the known collection `before`. Rejects with `MissingKey`, with
   * `DamagedAppState`, or with the error of a download. With `isLenient`, unreadable entries and wrong MACs do not
   * cause a rejection.
   */
  open(answer: CollectionAnswer, before: CollectionState | undefined, isLenient: boolean): Promise<Opened | null>
}

/** Thrown if the phone has not shared the key with which the app state is encrypted. */
export class MissingKey extends Error {}

const MAX_FILE = 128 * 2 ** 20

type HowOpened = Pick<Opened, 'isLenient' | 'isAll'>

export function createCollectionOpener({ keyOf, readFile, log }: CollectionOpenerDeps): CollectionOpener {
  const known = new Map<string, MutationKeys>()

  async function keysOf(id: Uint8Array): Promise<MutationKeys> {
    const name = Buffer.from(id).toString('base64')
    const found = known.get(name)
    if (found) return found
    const data = await keyOf(name)
    if (!data?.length) throw new MissingKey(`app state is encrypted with key ${name}, which the phone has not sent yet`)
    const keys = mutationKeys(data)
    known.set(name, keys)
    return keys
  }

  async function openOne(opened: Opened, entry: SealedEntry) {
    const { change, actions } = opened
    const keys = await keysOf(entry.keyId)
    const action = orLeftOut(opened, () => decryptEntry(entry, keys))
    if (!action) return
    if (entry.isRemoval) change.remove(entry.indexMac)
    else change.set(entry.indexMac, entry.valueMac)
    actions.set(JSON.stringify(action.index), action)
  }

  function orLeftOut<T>(opened: Opened, read: () => T): T | null {
    try {
      return read()
    } catch (error) {
      if (!opened.isLenient) throw error
      opened.isAll = false
      log.info({ err: error }, 'an unreadable app state entry was skipped')
      return null
    }
  }

  async function openSnapshot(name: WAPatchName, reference: Uint8Array, before: CollectionState, how: HowOpened) {
    const bytes = await fileBytes(readFile, decodeReference(reference))
    const standing = changeCollection(before)
    const opened: Opened = { change: changeCollection(newCollection()), version: 0, actions: new Map(), ...how }
    const { version, mac, keyId } = await each(snapshotEntries(bytes), async (entry) => {
      const isNews = standing.set(entry.indexMac, entry.valueMac)
      if (isNews) return openOne(opened, entry)
      opened.change.set(entry.indexMac, entry.valueMac)
    })
    opened.version = Number(version?.version ?? 0)
    const keys = await keysOf(keyId?.id ?? new Uint8Array(0))
    verifyHash(name, opened, keys, mac)
    return opened
  }

  /**
   * Verifies the MAC over the version and all entries of the collection. A lenient reading logs a difference and
   * goes on, because it may be permanent: the network stores the entries and the MAC.
   */
  function verifyHash(name: WAPatchName, opened: Opened, keys: MutationKeys, mac: Uint8Array | null | undefined) {
    const { version, change, isLenient } = opened
    if (isEqual(snapshotMacOf(keys, name, version, change.hash), mac)) return
    if (!isLenient) throw new DamagedAppState('the collection does not match its MAC')
    opened.isAll = false
    log.warn(
      { collection: name, version },
      'an app state collection does not match its MAC; it is used without its unreadable entries',
    )
  }

  async function openPatch(name: WAPatchName, patch: Uint8Array, opened: Opened, versionSaid: number) {
    const entries: SealedEntry[] = []
    const rest = await each(patchEntries(patch), (entry) => void entries.push(entry))
    if (rest.externalMutations)
      await each(externalEntries(await fileBytes(readFile, rest.externalMutations)), (entry) => void entries.push(entry))
    const version = rest.version ? Number(rest.version.version) : versionSaid
    // A patch that is not newer than `opened` is already part of it.
    if (version <= opened.version) return
    const keys = await keysOf(rest.keyId?.id ?? new Uint8Array(0))
    const macs = entries.map(({ valueMac }) => valueMac)
    const isVerified = orLeftOut(opened, () => {
      verifyPatch(name, rest, version, macs, keys)
      return true
    })
    opened.version = version
    if (!isVerified) return
    const turn = createTurns()
    for (const entry of entries) {
      await openOne(opened, entry)
      await turn()
    }
    verifyHash(name, opened, keys, rest.snapshotMac)
  }

  async function open(answer: CollectionAnswer, before: CollectionState | undefined, isLenient: boolean): Promise<Opened | null> {
    const { name, snapshot, patches } = answer
    if (!snapshot && patches.length === 0 && before) return null
    const from = before ?? newCollection()
    const how = { isLenient, isAll: !before && (snapshot !== null || patches.length > 0) }
    const opened: Opened = snapshot
      ? await openSnapshot(name, snapshot, from, how)
      : { change: changeCollection(from), version: from.version, actions: new Map(), ...how }
    for (const patch of patches) await openPatch(name, patch, opened, answer.version + 1)
    return opened
  }

  return { open }
}

async function each<Rest>(entries: Entries<Rest>, work: (entry: SealedEntry) => Promise<void> | void): Promise<Rest> {
  const turn = createTurns()
  for (let next = entries.next(); ; next = entries.next()) {
    if (next.done) return next.value
    if (next.value) await work(next.value)
    await turn()
  }
}

async function fileBytes(readFile: ReadFile, reference: proto.IExternalBlobReference): Promise<Uint8Array> {
  const { mediaKey, directPath, fileSha256, fileEncSha256 } = reference
  if (!mediaKey?.length || !directPath) throw new DamagedAppState('the reference to an external file is incomplete')
  const file: SealedFile = {
    kind: 'app-state',
    mediaKey,
    fileSha256: fileSha256?.length ? fileSha256 : null,
    fileEncSha256: fileEncSha256?.length ? fileEncSha256 : null,
    fileLength: null,
  }
  return readFile(file, directPath, async (bytes) => {
    const parts: Uint8Array[] = []
    let size = 0
    for await (const part of bytes) {
      size += part.length
      if (size > MAX_FILE) throw new DamagedAppState('an external file is too large')
      parts.push(part)
    }
    return Buffer.concat(parts)
  })
}

function decodeReference(bytes: Uint8Array): proto.IExternalBlobReference {
  try {
    return proto.ExternalBlobReference.decode(bytes)
  } catch (cause) {
    throw new DamagedAppState('the reference to an external file is incomplete', { cause })
  }
}

const isEqual = (one: Uint8Array, other: Uint8Array | null | undefined) => Buffer.compare(one, other ?? new Uint8Array(0)) === 0
