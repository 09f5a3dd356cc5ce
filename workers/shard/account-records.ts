/**
 * Holds the stored data of an instance about its account: chats, people, groups. `forget` removes the data together
 * with the credentials, because the next account must not see them.
 */

import { createCorrespondents } from './chats/correspondents.ts'
import { createDisappearing } from './chats/disappearing.ts'
import { createSavedContacts } from './chats/saved-contacts.ts'
import type { Identity } from './connection/identity.ts'
import type { Context } from './context/instance-context.ts'
import type { InstanceStore } from './context/instance-store.ts'
import { createAccountDirectory, UNWRITTEN } from './directory/account-directory.ts'
import { createGroupBook } from './groups/group-book.ts'

export interface AccountRecordsDeps {
  identity(): Identity | null
  onNewCorrespondent(): void
}

export async function otherName(identity: Pick<Identity, 'pnOf' | 'lidOf'> | null, jid: string): Promise<string | null> {
  return (await (jid.endsWith('@lid') ? identity?.pnOf(jid) : identity?.lidOf(jid))) ?? null
}

export function createAccountRecords(
  context: Context<'id' | 'sealer' | 'clock' | 'steady' | 'log'> & { store: InstanceStore },
  { identity, onNewCorrespondent }: AccountRecordsDeps,
) {
  const contacts = createSavedContacts(context)
  const directory = createAccountDirectory(context, { own: () => identity()?.own() ?? [] })
  context.store.carries(directory.rides)
  const groups = createGroupBook(context, { directory })
  const disappearing = createDisappearing(context)
  const correspondents = createCorrespondents(context, {
    otherName: (jid) => otherName(identity(), jid),
    onNew: onNewCorrespondent,
  })

  return {
    contacts,
    directory,
    groups,
    disappearing,
    correspondents,

    async forget() {
      const all = [contacts, directory, groups, disappearing, correspondents]
      await Promise.all(all.map((each) => each.forget()))
    },
    async stop() {
      await directory.flush().catch((cause) => context.log.error({ err: cause }, UNWRITTEN))
    },
  }
}
