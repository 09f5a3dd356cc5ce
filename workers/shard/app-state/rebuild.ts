/**
 * Rebuilds the directory of an account that was linked by a version without one. Its chats were sent once, at the pairing, and return with their next
 * activity; people, labels and flags are in app state, which is read whole once more, as history, without events.
 */
import { ALL_WA_PATCH_NAMES, type AuthenticationCreds, type WASocket } from '@whiskeysockets/baileys'
import type { StateStore } from '../../../src/storage/contract.ts'
import { keys as records } from '../../../src/storage/record-keys.ts'
import type { AppState } from './app-state.ts'
import type { AppStateReader } from './reading.ts'

export interface RebuildDeps {
  instance: string
  store: Pick<StateStore, 'commit' | 'get'>
  sock: Pick<WASocket, 'appStatePatchMutex'>
  reader: Pick<AppStateReader, 'readAnew'>
  creds: Pick<AuthenticationCreds, 'accountSyncCounter'>
  appState: Pick<AppState, 'settled'>
}

const PRESENT = Uint8Array.of(1)

/** After every login; does something once. One that is cut short is done again at the next. */
export async function rebuildDirectory({ instance, store, sock, reader, creds, appState }: RebuildDeps): Promise<void> {
  const begun = records.directoryBegun(instance)
  if (await store.get(begun)) return
  // A device that has not read anything yet reads all of it by itself.
  if (creds.accountSyncCounter)
    await sock.appStatePatchMutex.mutex(async () => {
      await reader.readAnew(ALL_WA_PATCH_NAMES)
      await appState.settled()
    })
  await store.commit({ ops: [[begun, PRESENT]] })
}
