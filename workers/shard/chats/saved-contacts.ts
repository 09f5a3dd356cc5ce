/**
 * Stores the people who are saved on the phone, with their names, for status audiences and names of chats. They are
 * normally sent only once.
 * They are written in slices, because one commit of 20,000 people would block the thread for 100 ms.
 */
import type { Contact } from '@whiskeysockets/baileys'
import * as v from 'valibot'
import type { Op } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { removeAll } from '../../../src/storage/remove-all.ts'
import { repository } from '../../../src/storage/repository.ts'
import type { Context } from '../context/instance-context.ts'
import { cut } from '../wire/bounds.ts'
import { bare } from '../wire/jid.ts'

/** Maximum number of contacts per commit and per turn of the event loop. A full slice takes about 2 ms. */
const SLICE = 200
const MAX_NAME = 256

const SavedContact = v.object({ jid: v.string(), lid: v.nullable(v.string()), name: v.nullable(v.string()) })
export type SavedContact = v.InferOutput<typeof SavedContact>

export interface SavedContacts {
  /**
   * Writes the contacts in slices, and calls `written` after each slice. Contacts without a name are removed. Rejects
   * if a slice could not be written. Two calls must not overlap.
   */
  write(contacts: readonly Contact[], written: (slice: readonly Contact[]) => void): Promise<void>
  /**
   * If a record cannot be read, `onUnreadable` is called with the error, and the record is skipped. Without
   * `onUnreadable`, the call rejects.
   */
  all(onUnreadable?: (error: unknown) => void): Promise<SavedContact[]>
  /** Called after the credentials of an unlinked account are removed. */
  forget(): Promise<void>
}

export function createSavedContacts({ id: instance, store, sealer }: Context<'id' | 'store' | 'sealer'>): SavedContacts {
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
        // The commit of a slice resolves in a new turn of the event loop, so no other pause is needed.
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
