import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { sealMedia } from '../people/media.ts'
import type { OpenedAction } from '../watch/trace.ts'
import { hkdf } from '../wire/keys.ts'
import { node, randomId, SERVER_JID, seconds } from '../wire/node.ts'
import { collectionOf } from './app-state.ts'
import type { Collection } from './app-state-model.ts'
import { setActionSalt, valueBytes } from './chat-token-salt.ts'
import { enqueue } from './delivery.ts'
import type { Companion, Network, Person } from './model.ts'

/**
 * The part of an account's app state that its phone handles: it has the key, reads the patches of linked devices, and
 * writes its own patches.
 */

const { SyncdOperation } = proto.SyncdMutation
/** Number of bytes of a MAC, to which an HMAC-SHA512 is truncated. */
const MAC = 32
const IV = 16

export function appStateKey(person: Person): { keyId: Buffer; keyData: Buffer } {
  const state = person.appState
  state.keyId ??= randomBytes(6)
  state.keyData ??= randomBytes(32)
  return { keyId: state.keyId, keyData: state.keyData }
}

function mutationKeys(keyData: Buffer) {
  const keys = hkdf(keyData, 160, Buffer.alloc(0), 'WhatsApp Mutation Keys')
  const part = (index: number) => keys.subarray(32 * index, 32 * (index + 1))
  return { index: part(0), cipher: part(1), valueMac: part(2), snapshotMac: part(3), patchMac: part(4) }
}

const sign = (key: Buffer, ...parts: Uint8Array[]) => createHmac('sha256', key).update(Buffer.concat(parts)).digest()

function valueMac(key: Buffer, operation: number, keyId: Buffer, data: Buffer): Buffer {
  const kind = Buffer.concat([Buffer.from([operation === SyncdOperation.REMOVE ? 2 : 1]), keyId])
  const length = Buffer.alloc(8)
  length[7] = kind.length
  return createHmac('sha512', key)
    .update(Buffer.concat([kind, data, length]))
    .digest()
    .subarray(0, MAC)
}

function bigEndian64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt32BE(value, 4)
  return bytes
}

/**
 * Adds a MAC to the hash, or subtracts it. The hash is a sum over 64 little-endian words of 16 bits, so the order of
 * the values does not matter.
 */
function mixHash(hash: Buffer, mac: Buffer, sign: 1 | -1): Buffer {
  const words = hkdf(mac, 128, Buffer.alloc(0), 'WhatsApp Patch Integrity')
  const mixed = Buffer.from(hash)
  for (let at = 0; at < 128; at += 2) mixed.writeUInt16LE((mixed.readUInt16LE(at) + sign * words.readUInt16LE(at)) & 0xffff, at)
  return mixed
}

function mixValue(collection: Collection, record: proto.ISyncdRecord, isRemoval: boolean) {
  const name = Buffer.from(record.index?.blob ?? []).toString('base64')
  const mac = Buffer.from(record.value?.blob ?? []).subarray(-MAC)
  const before = collection.valueMacs.get(name)
  if (before) collection.hash = mixHash(collection.hash, before, -1)
  collection.records ??= new Map()
  if (isRemoval) {
    collection.valueMacs.delete(name)
    collection.records.delete(name)
  } else {
    collection.valueMacs.set(name, mac)
    collection.records.set(name, Buffer.from(proto.SyncdRecord.encode(proto.SyncdRecord.fromObject(record)).finish()))
    collection.hash = mixHash(collection.hash, mac, 1)
  }
}

function refuse(network: Network, person: Person, problem: string) {
  network.note(`${problem} (${person.number})`)
  person.appState.problems = [...(person.appState.problems ?? []), problem]
}

export function learnPatch(network: Network, person: Person, name: string, patch: proto.ISyncdPatch) {
  const collection = collectionOf(person, name)
  const { keyId, keyData } = appStateKey(person)
  const keys = mutationKeys(keyData)
  for (const { operation, record } of patch.mutations ?? []) {
    const index = Buffer.from(record?.index?.blob ?? [])
    if (operation === SyncdOperation.REMOVE && !collection.valueMacs.has(index.toString('base64')))
      refuse(network, person, `an entry of ${name} is removed that is not there`)
    const blob = Buffer.from(record?.value?.blob ?? [])
    const [data, mac] = [blob.subarray(0, -MAC), blob.subarray(-MAC)]
    const isRemoval = operation === SyncdOperation.REMOVE
    mixValue(collection, record ?? {}, isRemoval)
    if (!valueMac(keys.valueMac, operation ?? 0, keyId, data).equals(mac)) {
      refuse(network, person, `a value in ${name} has a wrong MAC`)
      continue
    }
    const decipher = createDecipheriv('aes-256-cbc', keys.cipher, data.subarray(0, IV))
    const action = proto.SyncActionData.decode(Buffer.concat([decipher.update(data.subarray(IV)), decipher.final()]))
    network.trace.opened(() => opened('client', name, action))
    const plainIndex = Buffer.from(action.index ?? [])
    if (!sign(keys.index, plainIndex).equals(index)) refuse(network, person, `an index in ${name} has a wrong MAC`)
    learnAction(person, plainIndex.toString(), isRemoval ? undefined : action.value)
  }
  const snapshotMac = sign(keys.snapshotMac, collection.hash, bigEndian64(collection.version + 1), Buffer.from(name))
  if (!snapshotMac.equals(Buffer.from(patch.snapshotMac ?? []))) {
    refuse(network, person, `the patch of ${name} does not lead to the hash it claims`)
  }
  const macs = (patch.mutations ?? []).map(({ record }) => Buffer.from(record?.value?.blob ?? []).subarray(-MAC))
  const patchMac = sign(keys.patchMac, snapshotMac, ...macs, bigEndian64(collection.version + 1), Buffer.from(name))
  if (!patchMac.equals(Buffer.from(patch.patchMac ?? []))) refuse(network, person, `the patch of ${name} has a wrong MAC`)
}

function opened(from: 'client' | 'server', collection: string, { index, value, version }: proto.ISyncActionData): OpenedAction {
  const fields = value ? proto.SyncActionValue.fromObject(value).toJSON() : {}
  return {
    from,
    index: JSON.parse(Buffer.from(index ?? []).toString()) as string[],
    version: version ?? 0,
    collection,
    valueFields: [...Object.keys(fields), ...(value && 'nctSaltSyncAction' in value ? ['nctSaltSyncAction'] : [])],
  }
}

function learnAction(person: Person, index: string, value: proto.ISyncActionValue | null | undefined) {
  if (!value) return void person.appState.actions.delete(index)
  person.appState.actions.set(index, proto.SyncActionValue.fromObject(value).toJSON())
  if (value.pushNameSetting?.name) person.name = value.pushNameSetting.name
}

export interface PhoneAction {
  index: string[]
  version: number
  value: proto.ISyncActionValue | null
}

/** Sets or removes a setting, as the phone itself does. */
export function writeAction(
  network: Network,
  person: Person,
  name: string,
  index: string[],
  version: number,
  value: proto.ISyncActionValue | null,
  author?: Companion,
) {
  appendPatch(network, person, name, patchOf(network, person, name, [{ index, version, value }]), author)
}

function patchOf(network: Network, person: Person, name: string, actions: readonly PhoneAction[]): proto.ISyncdPatch {
  const collection = collectionOf(person, name)
  const { keyId, keyData } = appStateKey(person)
  const keys = mutationKeys(keyData)
  const mutations = actions.map(({ index, version, value }) => {
    const indexBytes = Buffer.from(JSON.stringify(index))
    const action = proto.SyncActionData.fromObject({ index: indexBytes, padding: new Uint8Array(0), version })
    const plain = Buffer.concat([proto.SyncActionData.encode(action).finish(), valueBytes(value ?? {})])
    const iv = randomBytes(IV)
    const cipher = createCipheriv('aes-256-cbc', keys.cipher, iv)
    const data = Buffer.concat([iv, cipher.update(plain), cipher.final()])
    const operation = value === null ? SyncdOperation.REMOVE : SyncdOperation.SET
    const mac = valueMac(keys.valueMac, operation, keyId, data)
    const indexMac = sign(keys.index, indexBytes)
    const record = { index: { blob: indexMac }, value: { blob: Buffer.concat([data, mac]) }, keyId: { id: keyId } }
    mixValue(collection, record, value === null)
    network.trace.opened(() => opened('server', name, { index: indexBytes, value, version }))
    learnAction(person, indexBytes.toString(), value)
    setActionSalt(person, index, value)
    return { operation, record }
  })
  const next = bigEndian64(collection.version + 1)
  const type = Buffer.from(name)
  const snapshotMac = sign(keys.snapshotMac, collection.hash, next, type)
  const macs = mutations.map(({ record }) => record.value.blob.subarray(-MAC))
  return {
    snapshotMac,
    patchMac: sign(keys.patchMac, snapshotMac, ...macs, next, type),
    keyId: { id: keyId },
    mutations,
  }
}

/** Writes many actions, as a phone does after an import. The patch refers to a file on the media host. */
export async function writeActions(network: Network, person: Person, name: string, actions: readonly PhoneAction[]) {
  const patch = patchOf(network, person, name, actions)
  if (!network.upload) return appendPatch(network, person, name, patch)
  const { mutations, ...rest } = patch
  const file = proto.SyncdMutations.encode(proto.SyncdMutations.fromObject({ mutations })).finish()
  const externalMutations = await placeBlob(network.upload, file)
  appendPatch(network, person, name, { ...rest, externalMutations })
}

async function placeBlob(upload: NonNullable<Network['upload']>, bytes: Uint8Array): Promise<proto.IExternalBlobReference> {
  const { blob, fileLength, ...sealed } = sealMedia(bytes, 'md-app-state')
  const { directPath } = await upload(blob, 'md-app-state')
  return { ...sealed, directPath, fileSizeBytes: fileLength }
}

export async function snapshotOf(network: Network, person: Person, name: string): Promise<proto.IExternalBlobReference | null> {
  const collection = collectionOf(person, name)
  const { records = new Map<string, Buffer>(), valueMacs } = collection
  const most = network.settings.snapshots_above ?? -1
  if (!network.upload || collection.version === 0 || valueMacs.size <= most || records.size !== valueMacs.size) return null
  const { keyId, keyData } = appStateKey(person)
  const version = bigEndian64(collection.version)
  const snapshot = proto.SyncdSnapshot.fromObject({
    version: { version: collection.version },
    records: [...records.values()].map((record) => proto.SyncdRecord.decode(record)),
    mac: sign(mutationKeys(keyData).snapshotMac, collection.hash, version, Buffer.from(name)),
    keyId: { id: keyId },
  })
  return placeBlob(network.upload, proto.SyncdSnapshot.encode(snapshot).finish())
}

const PUSH_NAME = ['setting_pushName']

/**
 * Writes the account's name to app state if it has changed, because linked devices send no presence without a name.
 * `newcomer` is not notified, because a new device queries the name itself.
 */
export function publishPushName(network: Network, person: Person, newcomer?: Companion) {
  const known = person.appState.actions.get(JSON.stringify(PUSH_NAME)) as { pushNameSetting?: { name?: string } } | undefined
  if (known?.pushNameSetting?.name === person.name) return
  writeAction(
    network,
    person,
    'critical_block',
    PUSH_NAME,
    1,
    { timestamp: Date.now(), pushNameSetting: { name: person.name } },
    newcomer,
  )
}

/** Adds a patch, and notifies the account's devices except the one that wrote it. */
export function appendPatch(network: Network, person: Person, name: string, patch: proto.ISyncdPatch, author?: Companion) {
  const collection = collectionOf(person, name)
  collection.version += 1
  const numbered = proto.SyncdPatch.fromObject({ ...patch, version: { version: collection.version } })
  collection.patches.push(Buffer.from(proto.SyncdPatch.encode(numbered).finish()))
  network.changed()
  const change = node('collection', { name, version: collection.version })
  for (const companion of person.companions.values()) {
    if (companion === author) continue
    enqueue(
      network,
      companion,
      node('notification', { from: SERVER_JID, type: 'server_sync', id: randomId(), t: seconds() }, [change]),
    )
  }
}
