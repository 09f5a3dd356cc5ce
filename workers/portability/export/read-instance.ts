/** Reads the credentials and keys of an instance from the store, and finds the names of the keys. */
import type { AuthenticationCreds } from '@whiskeysockets/baileys'
import type { StateStore } from '../../../src/storage/contract.ts'
import { keys as records } from '../../../src/storage/record-keys.ts'
import { createSealer, type Sealer } from '../../../src/storage/sealer.ts'
import { credsFrom } from '../../shard/keys/signal/codec.ts'
import { type NamedKeys, nameKeys } from './names.ts'

export interface StoredDevice extends NamedKeys {
  creds: AuthenticationCreds
}

type Store = Pick<StateStore, 'get' | 'range'>

const JID = /\d+(?:-\d+)?@(?:s\.whatsapp\.net|lid|g\.us)/g

export async function readInstance(id: string, store: Store, ringKey: Uint8Array): Promise<StoredDevice | undefined> {
  const sealer = createSealer(ringKey)
  const sealed = await store.get(records.creds(id))
  if (sealed === undefined) return undefined
  const creds = credsFrom(sealer.open(records.creds(id), sealed))
  const { me, myAppStateKeyId } = creds
  const named = nameKeys(
    { byType: await storedKeys(id, store, sealer), blind: sealer.blindOnce },
    {
      ownJids: [me?.id, me?.lid].filter((jid) => jid !== undefined),
      jids: await addressesIn(id, store, sealer),
      stateKeyIds: myAppStateKeyId === undefined ? [] : [myAppStateKeyId],
    },
  )
  return { creds, ...named }
}

async function storedKeys(id: string, store: Store, sealer: Sealer): Promise<Map<string, Map<string, Uint8Array>>> {
  const prefix = records.signals(id)
  const byType = new Map<string, Map<string, Uint8Array>>()
  for await (const [key, sealed] of store.range(prefix)) {
    const [type = '', hash = ''] = key.slice(prefix.length).split(':')
    const found = byType.get(type) ?? new Map<string, Uint8Array>()
    byType.set(type, found.set(hash, sealer.open(key, sealed)))
  }
  return byType
}

async function addressesIn(id: string, store: Store, sealer: Sealer): Promise<Set<string>> {
  const found = new Set<string>()
  for (const prefix of [records.directory(id), records.keptGroups(id)])
    for await (const [key, sealed] of store.range(prefix))
      for (const [jid] of sealer.open(key, sealed).toString('latin1').matchAll(JID)) found.add(jid)
  return found
}
