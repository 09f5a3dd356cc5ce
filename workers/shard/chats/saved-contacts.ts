/**
 * The people saved under a name on the phone, with that name: the audience of a status is computed from them, and chats are told by it.
 * The phone tells them once, through its app state, so they are kept, sealed; nothing else of a contact is.
 */
import type { Contact } from '@whiskeysockets/baileys'
import * as v from 'valibot'
import type { Op, StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/keys.ts'
import { removeAll } from '../../../src/storage/remove-all.ts'
import { repository } from '../../../src/storage/repository.ts'
import type { Sealer } from '../../../src/storage/seal.ts'
import { cut } from '../wire/bounds.ts'
import { bare } from '../wire/jid.ts'

/** The contract's bound of `chat_name`. */
const MAX_NAME = 256

/** Null for those that were kept before names were. */
const SavedContact = v.object({ jid: v.string(), lid: v.nullable(v.string()), name: v.nullable(v.string()) })
export type SavedContact = v.InferOutput<typeof SavedContact>

export interface SavedContacts {
  /** From app state: those without a name are not saved any more. Of two changes to one person the later one counts. */
  ops(contacts: readonly Contact[]): Op[]
  /** `onUnreadable`: is told of a record that cannot be used, which is left out then; without it such a record fails the reading. */
  all(onUnreadable?: (error: unknown) => void): Promise<SavedContact[]>
  /** When the account is unlinked, behind its credentials: the next one has people of its own. */
  clear(): Promise<void>
}

export function createSavedContacts(instance: string, store: StateStore, sealer: Sealer): SavedContacts {
  const records = repository({
    name: 'saved contact',
    schema: SavedContact,
    version: 2,
    upgrades: { 1: (old) => ({ ...old, name: null }) },
    sealed: sealer,
  })
  const keyOf = (jid: string) => keys.savedContact(instance, sealer.blind(jid.split('@')[0] ?? jid))
  const opOf = ({ id, name, phoneNumber, lid }: Contact): Op => {
    const jid = bare(phoneNumber ?? id)
    return name
      ? records.encode(keyOf(jid), { jid, lid: lid ? bare(lid) : jid.endsWith('@lid') ? jid : null, name: cut(name, MAX_NAME) })
      : records.remove(keyOf(jid))
  }

  return {
    ops: (contacts) => contacts.map(opOf),
    async all(onUnreadable) {
      const found: SavedContact[] = []
      const options = onUnreadable ? { onUnreadable } : {}
      for await (const { value } of records.list(store, keys.savedContacts(instance), options)) found.push(value)
      return found
    },
    clear: () => removeAll(store, keys.savedContacts(instance)),
  }
}
