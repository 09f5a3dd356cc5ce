/**
 * Rebuilds the directory of an account that was linked by a version of this service without a directory. The network sent the account's chats only
 * once, at the pairing, so a chat is added again when there is new activity in it. People, labels and flags are in app state, which is read in full
 * again, as history and without events.
 */
import { ALL_WA_PATCH_NAMES, type AuthenticationCreds } from '@whiskeysockets/baileys'
import type { Mutex } from 'async-mutex'
import { keys as records } from '../../../src/storage/record-keys.ts'
import type { Context } from '../context/instance-context.ts'
import type { AppState } from './app-state.ts'
import type { AppStateReader } from './app-state-reader.ts'

export interface RebuildDeps {
  /** Mutex that is held while app state is changed. */
  changing: Pick<Mutex, 'runExclusive'>
  reader: Pick<AppStateReader, 'readAnew'>
  creds: Pick<AuthenticationCreds, 'accountSyncCounter'>
  appState: Pick<AppState, 'settled'>
}

const PRESENT = Uint8Array.of(1)

/** Rebuilds the directory after the first login that needs it; later calls do nothing. If the work is interrupted, the next login repeats it. */
export async function rebuildDirectory(
  { id: instance, store }: Context<'id' | 'store'>,
  { changing, reader, creds, appState }: RebuildDeps,
): Promise<void> {
  const begun = records.directoryBegun(instance)
  if (await store.get(begun)) return
  // If the device has not read app state yet, nothing must be read here, because the device will read all of it anyway.
  if (creds.accountSyncCounter)
    await changing.runExclusive(async () => {
      await reader.readAnew(ALL_WA_PATCH_NAMES)
      await appState.settled()
    })
  await store.commit({ ops: [[begun, PRESENT]] })
}
