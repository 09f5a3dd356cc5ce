/**
 * Tokens of trusted contacts that are learnt after a send. The library gives a contact its token once a week: after the stanza it asks the
 * network, waits, and notes when it did (`senderTimestamp`, Socket/messages-send.js). That goes on inside the context of the transaction
 * the stanza left in, which has been committed by then: what is noted there is never written. So every text brought one more query, one
 * more token from the contact's side, and what belongs to both.
 *
 * Tokens are therefore read and written beside every transaction. None needs one: each is written whole.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { SignalDataSet, SignalDataTypeMap, WASocket } from '@whiskeysockets/baileys'

/** Right after the socket was made, and in no transaction. */
export function keepLateTokens({ authState: { keys } }: Pick<WASocket, 'authState'>): void {
  const outside = AsyncLocalStorage.snapshot()
  const { get, set } = keys

  keys.get = <T extends keyof SignalDataTypeMap>(type: T, ids: string[]) =>
    type === 'tctoken' ? outside(() => get(type, ids)) : get(type, ids)

  keys.set = async ({ tctoken, ...others }: SignalDataSet) => {
    if (tctoken) await outside(() => set({ tctoken }))
    if (Object.keys(others).length > 0) await set(others)
  }
}
