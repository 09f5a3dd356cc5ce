/**
 * Upgrades a store of 0.1.0 to the key ring, once. In 0.1.0 the secret key sealed every record directly, and names were hashes without a key. The
 * upgrade creates every key, seals every record with its own key, and replaces the mark of the old form last. After a kill before that the store
 * still has the old form; the records that are already converted are left unchanged.
 */
import { hkdfSync, randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { SECRET_KEY_BYTES } from '../domain/secret-key.ts'
import type { Steps } from '../domain/steps.ts'
import { resealBlob } from './blobs.ts'
import type { Op } from './contract.ts'
import type { KeyFiles } from './key-files.ts'
import type { OpenStore } from './open.ts'
import { keys } from './record-keys.ts'
import { createSealer, namesKeyOf, type Sealer } from './seal.ts'

export interface UpgradeOptions {
  store: Pick<OpenStore, 'dir' | 'get' | 'commit' | 'range'>
  secretKey: Uint8Array
  files: KeyFiles
  blobsDir: string
  main: string
  links: string
  mark: Uint8Array
  steps: Steps
}

const BATCH = 500

/** Key prefixes of 0.1.0 with a plain hash as the last part, and the prefixes of the new keys. The kind of a mark precedes its hash. */
const HASHED: readonly (readonly [from: string, to: string])[] = [
  ['idempotency:', 'acknowledged:'],
  ['receipt:', 'receipt-level:'],
  ['mark:', 'seen:'],
  ['secret:', 'message-secret:'],
]

export async function upgradeToKeyRing({
  store,
  secretKey,
  files,
  blobsDir,
  main,
  links,
  mark,
  steps,
}: UpgradeOptions): Promise<void> {
  const old = createSealer(secretKey)
  // Blind names stay unchanged, because the names that they represent are stored nowhere else.
  const ringKey = () => Buffer.concat([randomBytes(SECRET_KEY_BYTES), namesKeyOf(secretKey)])
  const mainSealer = createSealer(await files.make(main, ringKey()))
  // Links of the last 24 hours remain valid.
  const linksKey = Buffer.from(hkdfSync('sha256', secretKey, Buffer.alloc(0), 'links to received media', 32))
  await files.make(links, Buffer.concat([linksKey, randomBytes(32)]))

  await reseal(store, keys.workspaces, old, mainSealer)
  await reseal(store, keys.configs, old, mainSealer)
  for (const instance of await instancesOf(store)) {
    const sealer = createSealer(await files.make(instance, ringKey()))
    steps('upgrade:key')
    await reseal(store, keys.instance(instance), old, sealer)
    steps('upgrade:records')
    await resealBlobs(blobsDir, instance, old, sealer)
  }
  steps('upgrade:before-mark')
  const ops: Op[] = [
    [keys.keyCheck, null],
    [keys.keyRing, mainSealer.seal(keys.keyRing, mark)],
  ]
  await store.commit({ ops })
}

/** Instances with a configuration; the start removes the records of others anyway. */
async function instancesOf(store: UpgradeOptions['store']): Promise<string[]> {
  const found: string[] = []
  for await (const [key] of store.range(keys.configs)) found.push(key.slice(keys.configs.length))
  return found
}

async function reseal(store: UpgradeOptions['store'], prefix: string, old: Sealer, sealer: Sealer): Promise<void> {
  let ops: Op[] = []
  for await (const [key, value] of store.range(prefix)) {
    ops.push(...changeOf(prefix, key, value, old, sealer))
    if (ops.length < BATCH) continue
    await store.commit({ ops })
    ops = []
    await nextTurn()
  }
  if (ops.length > 0) await store.commit({ ops })
}

function changeOf(prefix: string, key: string, value: Uint8Array, old: Sealer, sealer: Sealer): Op[] {
  const to = movedTo(prefix, key, sealer)
  const found = opened(key, value, old)
  const next = found ? Buffer.concat([found.head, sealer.seal(to, found.plain)]) : value
  if (to !== key)
    return [
      [key, null],
      [to, next],
    ]
  return found ? [[key, next]] : []
}

/** New key of a row whose old key has a plain hash: the hash becomes a blind name. */
function movedTo(prefix: string, key: string, sealer: Sealer): string {
  const rest = key.slice(prefix.length)
  const row = HASHED.find(([from]) => rest.startsWith(from))
  if (!row) return key
  const [from, to] = row
  const parts = rest.slice(from.length).split(':')
  const hash = parts.pop()!
  const kind = from === 'mark:' ? hash.slice(0, 1) : ''
  return prefix + to + [...parts, kind + sealer.blindOnce(hash.slice(kind.length))].join(':')
}

/**
 * Opens a record with the old key. Sent messages have their time in 8 bytes before the sealed part. Null if the record is not sealed or already
 * converted.
 */
function opened(key: string, value: Uint8Array, old: Sealer): { head: Uint8Array; plain: Uint8Array } | null {
  for (const headBytes of [0, 8]) {
    try {
      return { head: value.subarray(0, headBytes), plain: old.open(key, value.subarray(headBytes)) }
    } catch {
      // The record has another form, or is sealed with the new key; it stays unchanged.
    }
  }
  return null
}

async function resealBlobs(dir: string, instance: string, old: Sealer, sealer: Sealer): Promise<void> {
  const names = await readdir(join(dir, instance)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  for (const name of names) if (!name.endsWith('.tmp')) await resealBlob(dir, keys.blob(instance, name), old, sealer)
}
