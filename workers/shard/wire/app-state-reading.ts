/**
 * Parses the network's answers for app state in pieces, because they have as many entries as the address book has
 * people. The library decodes all of them in one turn of the event loop. Field numbers: WAProto.proto, `SyncdSnapshot`,
 * `SyncdPatch`, `SyncdMutations`.
 */

import type { WAPatchName } from '@whiskeysockets/baileys'
import { aesDecrypt, type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, hmacSign, proto } from '@whiskeysockets/baileys'
import protobuf from 'protobufjs/minimal.js'
import type { AppStateAction } from './app-state-actions.ts'
import { MAC } from './app-state-collection.ts'
import { type MutationKeys, patchMacOf, valueMac } from './app-state-patch.ts'
import { withSalt } from './chat-token.ts'

const { SET, REMOVE } = proto.SyncdMutation.SyncdOperation

/** Thrown if a MAC does not match, or if the bytes violate the protocol. */
export class DamagedAppState extends Error {
  constructor(what: string, options?: ErrorOptions) {
    super(`app state cannot be read: ${what}`, options)
    this.name = 'DamagedAppState'
  }
}

export interface CollectionAnswer {
  name: WAPatchName
  code: number | null
  version: number
  snapshot: Uint8Array | null
  patches: readonly Uint8Array[]
  hasMore: boolean
}

export const readQuery = (
  collections: readonly { name: WAPatchName; version: number; wantsSnapshot: boolean }[],
): BinaryNode => ({
  tag: 'iq',
  attrs: { to: 's.whatsapp.net', type: 'set', xmlns: 'w:sync:app:state' },
  content: [
    {
      tag: 'sync',
      attrs: {},
      content: collections.map(({ name, version, wantsSnapshot }) => ({
        tag: 'collection',
        attrs: { name, version: String(version), return_snapshot: String(wantsSnapshot) },
      })),
    },
  ],
})

const bytesOf = (node: BinaryNode | undefined): Uint8Array[] =>
  node?.content instanceof Uint8Array && node.content.length > 0 ? [node.content] : []

export function collectionAnswers(answer: BinaryNode): CollectionAnswer[] {
  return getBinaryNodeChildren(getBinaryNodeChild(answer, 'sync'), 'collection').map((collection) => {
    const { name = '', type, version, has_more_patches: more } = collection.attrs
    const patches = getBinaryNodeChildren(getBinaryNodeChild(collection, 'patches') ?? collection, 'patch')
    return {
      name: name as WAPatchName,
      code: type === 'error' ? Number(getBinaryNodeChild(collection, 'error')?.attrs.code) || 500 : null,
      version: Number(version) || 0,
      snapshot: bytesOf(getBinaryNodeChild(collection, 'snapshot'))[0] ?? null,
      patches: patches.flatMap(bytesOf),
      hasMore: more === 'true',
    }
  })
}

export interface SealedEntry {
  isRemoval: boolean
  keyId: Uint8Array
  indexMac: Uint8Array
  data: Uint8Array
  valueMac: Uint8Array
}

/** Yields each value of one field, and returns the message without this field. */
function* without(bytes: Uint8Array, field: number): Generator<Uint8Array, Uint8Array> {
  const reader = protobuf.Reader.create(bytes)
  const rest: Uint8Array[] = []
  while (reader.pos < reader.len) {
    const start = reader.pos
    const tag = reader.uint32()
    if (tag === ((field << 3) | 2)) yield reader.bytes()
    else {
      reader.skipType(tag & 7)
      rest.push(bytes.subarray(start, reader.pos))
    }
  }
  return Buffer.concat(rest)
}

function sealedEntry(record: proto.ISyncdRecord | null | undefined, operation: number | null | undefined): SealedEntry | null {
  const { blob: index } = record?.index ?? {}
  const { blob: value } = record?.value ?? {}
  const { id } = record?.keyId ?? {}
  if (index?.length !== MAC || !id?.length || !value || value.length <= MAC) return null
  return {
    isRemoval: operation === REMOVE,
    keyId: id,
    indexMac: index,
    data: value.subarray(0, -MAC),
    valueMac: value.subarray(-MAC),
  }
}

const mutation = (bytes: Uint8Array) => {
  const { operation, record } = proto.SyncdMutation.decode(bytes)
  return sealedEntry(record, operation)
}

/**
 * Yields the entries of a message, and null for an invalid entry. Returns the rest of the message at the end. Throws
 * `DamagedAppState`.
 */
export type Entries<Rest> = Generator<SealedEntry | null, Rest>

function* entries<Rest>(
  bytes: Uint8Array,
  field: number,
  entry: (bytes: Uint8Array) => SealedEntry | null,
  rest: (bytes: Uint8Array) => Rest,
): Entries<Rest> {
  try {
    const parts = without(bytes, field)
    for (let next = parts.next(); ; next = parts.next()) {
      if (next.done) return rest(next.value)
      yield entry(next.value)
    }
  } catch (cause) {
    throw new DamagedAppState('an encrypted message is malformed', { cause })
  }
}

export const snapshotEntries = (bytes: Uint8Array): Entries<proto.ISyncdSnapshot> =>
  entries(
    bytes,
    2,
    (record) => sealedEntry(proto.SyncdRecord.decode(record), SET),
    (rest) => proto.SyncdSnapshot.decode(rest),
  )
/**
 * Yields the entries of a patch. If the returned message refers to a file (`externalMutations`), more entries are in
 * that file.
 */
export const patchEntries = (bytes: Uint8Array): Entries<proto.ISyncdPatch> =>
  entries(bytes, 2, mutation, (rest) => proto.SyncdPatch.decode(rest))
export const externalEntries = (bytes: Uint8Array): Entries<undefined> => entries(bytes, 1, mutation, () => undefined)

/**
 * Returns null if the entry is encrypted with another key, or contains no action. Throws `DamagedAppState` if it is
 * stored under a wrong index.
 */
export function decryptEntry(
  { isRemoval, keyId, indexMac, data, valueMac: mac }: SealedEntry,
  keys: MutationKeys,
): AppStateAction | null {
  const opened = opens(() => {
    if (Buffer.compare(valueMac(keys.valueMacKey, isRemoval ? REMOVE : SET, keyId, data), mac) !== 0) return null
    const plain = aesDecrypt(data, keys.valueEncryptionKey)
    const { index, value } = proto.SyncActionData.decode(plain)
    return { index: index ?? new Uint8Array(0), value: value && withSalt(value, plain) }
  })
  if (!opened) return null
  if (Buffer.compare(hmacSign(opened.index, keys.indexKey), indexMac) !== 0)
    throw new DamagedAppState('an entry does not match the MAC of its index')
  const index: unknown = opens(() => JSON.parse(Buffer.from(opened.index).toString()))
  if (!Array.isArray(index) || !index.every((part) => typeof part === 'string')) return null
  return { index, value: isRemoval ? null : (opened.value ?? {}) }
}

function opens<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}

/** Throws `DamagedAppState` if the MAC of the patch does not match these entries. */
export function verifyPatch(
  name: WAPatchName,
  { snapshotMac, patchMac }: proto.ISyncdPatch,
  version: number,
  macs: readonly Uint8Array[],
  keys: MutationKeys,
): void {
  const wanted = patchMacOf(keys, name, version, snapshotMac ?? new Uint8Array(0), macs)
  if (Buffer.compare(wanted, patchMac ?? new Uint8Array(0)) !== 0) throw new DamagedAppState('a patch has a wrong MAC')
}
