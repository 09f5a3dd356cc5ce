import type { WAMessage } from '@whiskeysockets/baileys'
import type { Clock } from '../../../../src/domain/clock.ts'
import type { AccountDirectory } from '../../directory/account-directory.ts'
import { bare, chatKind } from '../../wire/jid.ts'
import type { Identity } from '../../wire/person.ts'
import type { HistoryReader } from './history.ts'

/**
 * Returns a reader that adds the phone's history to the directory. Until `end`, slices may be only in memory: an
 * interrupted history is read again.
 */
export const historyDirectory = (
  directory: Pick<AccountDirectory, 'ready' | 'learn' | 'flush'>,
  onLearned: () => void,
): HistoryReader => ({
  async take(slice) {
    await directory.ready()
    directory.learn(slice)
  },
  end() {
    onLearned()
    return directory.flush()
  },
})

export interface RecordDeps {
  directory: Pick<AccountDirectory, 'ready' | 'record'>
  identity(): Pick<Identity, 'lidOf' | 'pnOf'> | null
  /** Whether a new message unarchives its chat. This is a setting of the account. */
  unarchives(): boolean
  clock: Pick<Clock, 'now'>
  heard(chat: string): void
}

/** Returns a function that records a message in the directory. The commit of the message then includes the change. */
export function recordInDirectory({ directory, identity, unarchives, clock, heard }: RecordDeps) {
  return async (message: WAMessage, fromApi = false): Promise<void> => {
    await directory.ready()
    const { remoteJid, remoteJidAlt } = message.key
    const isNamedOnce = remoteJid && !remoteJidAlt && chatKind(remoteJid) === 'user'
    const other = isNamedOnce ? await otherName(bare(remoteJid)) : null
    const named = other === null ? message : { ...message, key: { ...message.key, remoteJidAlt: other } }
    directory.record(named, { fromApi, unarchives: unarchives(), now: clock.now() })
    if (remoteJid && !fromApi) heard(bare(remoteJid))
  }

  async function otherName(jid: string): Promise<string | null> {
    const pairs = identity()
    if (!pairs) return null
    return jid.endsWith('@lid') ? pairs.pnOf(jid) : pairs.lidOf(jid)
  }
}
