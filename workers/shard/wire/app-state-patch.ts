/**
 * Builds patches of app state: any number of actions, encrypted and signed with a key that the account's devices share.
 * The library writes only one action at a time.
 */
import {
  aesEncrypt,
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  hmacSign,
  proto,
  type WAPatchName,
} from '@whiskeysockets/baileys'
import { expandAppStateKeys } from 'whatsapp-rust-bridge'
import type { AppStateChange } from './app-state-actions.ts'
import { type CollectionState, changeCollection, entryName, MAC } from './app-state-collection.ts'

const { SET, REMOVE } = proto.SyncdMutation.SyncdOperation

export interface PatchKey {
  id: Uint8Array
  data: Uint8Array
}

export interface MutationKeys {
  indexKey: Uint8Array
  valueEncryptionKey: Uint8Array
  valueMacKey: Uint8Array
  snapshotMacKey: Uint8Array
  patchMacKey: Uint8Array
}

export function mutationKeys(data: Uint8Array): MutationKeys {
  const { indexKey, valueEncryptionKey, valueMacKey, snapshotMacKey, patchMacKey } = expandAppStateKeys(data)
  return { indexKey, valueEncryptionKey, valueMacKey, snapshotMacKey, patchMacKey }
}

type Change = Pick<AppStateChange, 'index' | 'version' | 'value'>

function bigEndian64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}

export function valueMac(key: Uint8Array, operation: number, keyId: Uint8Array, data: Uint8Array): Buffer {
  const kind = Buffer.concat([Buffer.of(operation === SET ? 1 : 2), keyId])
  return hmacSign(Buffer.concat([kind, data, bigEndian64(kind.length)]), key, 'sha512').subarray(0, MAC)
}

const endOf = (collection: WAPatchName, version: number) => Buffer.concat([bigEndian64(version), Buffer.from(collection)])

export const snapshotMacOf = (keys: MutationKeys, collection: WAPatchName, version: number, hash: Uint8Array): Buffer =>
  hmacSign(Buffer.concat([hash, endOf(collection, version)]), keys.snapshotMacKey)

export const patchMacOf = (
  keys: MutationKeys,
  collection: WAPatchName,
  version: number,
  snapshotMac: Uint8Array,
  values: readonly Uint8Array[],
): Buffer => hmacSign(Buffer.concat([snapshotMac, ...values, endOf(collection, version)]), keys.patchMacKey)

export function appStatePatch(
  collection: WAPatchName,
  changes: readonly Change[],
  key: PatchKey,
  state: CollectionState,
): { patch: Uint8Array; state: CollectionState } | null {
  const keys = mutationKeys(key.data)
  const changing = changeCollection(state)
  const values: Buffer[] = []
  const mutations: proto.ISyncdMutation[] = []
  for (const { index, version, value } of changes) {
    const plainIndex = Buffer.from(JSON.stringify(index))
    const indexMac = hmacSign(plainIndex, keys.indexKey)
    const operation = value === null ? REMOVE : SET
    if (operation === REMOVE && !state.entries.has(entryName(indexMac))) continue
    const action = proto.SyncActionData.fromObject({ index: plainIndex, value: value ?? {}, padding: new Uint8Array(0), version })
    const data = aesEncrypt(proto.SyncActionData.encode(action).finish(), keys.valueEncryptionKey)
    const mac = valueMac(keys.valueMacKey, operation, key.id, data)
    if (operation === SET) changing.set(indexMac, mac)
    else changing.remove(indexMac)
    values.push(mac)
    const record = { index: { blob: indexMac }, value: { blob: Buffer.concat([data, mac]) }, keyId: { id: key.id } }
    mutations.push({ operation, record })
  }
  if (mutations.length === 0) return null
  const next = changing.done(state.version + 1)
  const snapshotMac = snapshotMacOf(keys, collection, next.version, next.hash)
  const patchMac = patchMacOf(keys, collection, next.version, snapshotMac, values)
  const patch = proto.SyncdPatch.fromObject({ patchMac, snapshotMac, keyId: { id: key.id }, mutations })
  return { patch: proto.SyncdPatch.encode(patch).finish(), state: next }
}

export const patchQuery = (collection: WAPatchName, version: number, patch: Uint8Array): BinaryNode => ({
  tag: 'iq',
  attrs: { to: 's.whatsapp.net', type: 'set', xmlns: 'w:sync:app:state' },
  content: [
    {
      tag: 'sync',
      attrs: {},
      content: [
        {
          tag: 'collection',
          attrs: { name: collection, version: String(version), return_snapshot: 'false' },
          content: [{ tag: 'patch', attrs: {}, content: patch }],
        },
      ],
    },
  ],
})

/** Null if the patch was accepted. The code of a refusal can be inside an answer that is marked as successful. */
export function patchRefusal(answer: BinaryNode, collection: WAPatchName): number | null {
  const found = getBinaryNodeChildren(getBinaryNodeChild(answer, 'sync'), 'collection').find(
    ({ attrs }) => attrs.name === collection,
  )
  if (found?.attrs.type !== 'error') return null
  return Number(getBinaryNodeChild(found, 'error')?.attrs.code) || 500
}
