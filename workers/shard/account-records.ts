/**
 * Holds the stored data of an instance about its account: chats, people, groups. The parts are created together and
 * removed together with the credentials, because the next linked account must not see them.
 */

import { createCorrespondents } from './chats/correspondents.ts'
import { createDisappearing } from './chats/disappearing.ts'
import { createGroupRoles } from './chats/group-roles.ts'
import { createSavedContacts } from './chats/saved-contacts.ts'
import type { Identity } from './connection/identity.ts'
import type { Context } from './context/instance-context.ts'
import type { InstanceStore } from './context/instance-store.ts'
import { createAccountDirectory } from './directory/account-directory.ts'
import { createGroupDirectory } from './directory/group-directory.ts'
import { createGroupStore } from './directory/group-store.ts'

export interface AccountRecordsDeps {
  /** Identity of the session; null if there is no session. */
  identity(): Identity | null
  /** Called when a person writes to the account for the first time. */
  onNewCorrespondent(): void
}

export function createAccountRecords(
  context: Context<'id' | 'sealer' | 'clock' | 'log'> & { store: InstanceStore },
  { identity, onNewCorrespondent }: AccountRecordsDeps,
) {
  const roles = createGroupRoles(context)
  const contacts = createSavedContacts(context)
  const directory = createAccountDirectory(context, { own: () => identity()?.own() ?? [] })
  context.store.carries(directory.rides)
  const groupDirectory = createGroupDirectory(context)
  const groupStore = createGroupStore(context)
  const disappearing = createDisappearing(context)
  const correspondents = createCorrespondents(context, {
    async otherName(jid) {
      return (await (jid.endsWith('@lid') ? identity()?.pnOf(jid) : identity()?.lidOf(jid))) ?? null
    },
    onNew: onNewCorrespondent,
  })

  return {
    roles,
    contacts,
    directory,
    groupDirectory,
    groupStore,
    disappearing,
    correspondents,

    /** Removes the records together with the credentials. */
    async forget() {
      const rest = [contacts, roles, disappearing, directory, groupDirectory, groupStore, correspondents]
      await Promise.all(rest.map((each) => each.forget()))
    },
    async stop() {
      await directory
        .flush()
        .catch((cause) => context.log.error({ err: cause }, 'the list of chats and contacts could not be written to disk'))
    },
  }
}
