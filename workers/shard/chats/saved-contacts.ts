/**
 * People saved under a name on the phone, with that name: the audience of a status is computed from them, and chats are named by them. The phone
 * sends them once, through its app state, so they are kept, sealed; nothing else of a contact is.
 *
 * An address book is written in slices, ahead of the version of app state that brought it: one commit of 20,000 people held the thread for 100 ms.
 * After a kill the same changes are read again, and writing them twice changes nothing.
 */
import type { Contact } from '@whiskeysockets/baileys'
import * as v from 'valibot'
import type { Op, StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { removeAll } from '../../../src/storage/remove-all.ts'
import { repository } from '../../../src/storage/repository.ts'
import type { Sealer } from '../../../src/storage/seal.ts'
import { cut } from '../wire/bounds.ts'
import { bare } from '../wire/jid.ts'

/** Contacts of one commit, and of one turn: some 2 ms. */
const SLICE = 200
/** The contract's bound of `chat_name`. */
const MAX_NAME = 256

/** Null for those that were kept before names were. */
const SavedContact = v.object({ jid: v.string(), lid: v.nullable(v.string()), name: v.nullable(v.string()) })
export type SavedContact = v.InferOutput<typeof SavedContact>

export interface SavedContacts {
  /**
   * From app state, in slices: those without a name are not saved any more. Of two changes to one person the later one counts. `written` is called
   * with each slice when that is on disk. Rejects at the first that could not be written. The caller writes one list after the other, and `forget`
   * only behind them.
   */
  write(contacts: readonly Contact[], written: (slice: readonly Contact[]) => void): Promise<void>
  /** `onUnreadable`: called with the error of a record that cannot be read, which is then left out; without it the call rejects. */
  all(onUnreadable?: (error: unknown) => void): Promise<SavedContact[]>
  /** When the account is unlinked, behind its credentials: the next one has people of its own. */
  forget(): Promise<void>
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
    async write(contacts, written) {
      for (let from = 0; from < contacts.length; from += SLICE) {
        // A commit resolves in a turn of its own, so the next slice has one, too.
        const slice = contacts.slice(from, from + SLICE)
        await store.commit({ ops: slice.map(opOf) })
        written(slice)
      }
    },
    async all(onUnreadable) {
      const found: SavedContact[] = []
      const options = onUnreadable ? { onUnreadable } : {}
      for await (const { value } of records.list(store, keys.savedContacts(instance), options)) found.push(value)
      return found
    },
    forget: () => removeAll(store, keys.savedContacts(instance)),
  }
}
