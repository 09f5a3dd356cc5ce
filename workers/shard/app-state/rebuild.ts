/**
 * Rebuilds the directory of an account that was linked before this service had directories. People, labels and flags
 * are read from app state, without events.
 */
import { ALL_WA_PATCH_NAMES, type AuthenticationCreds } from '@whiskeysockets/baileys'
import type { Mutex } from 'async-mutex'
import { keys as records } from '../../../src/storage/record-keys.ts'
import type { Context } from '../context/instance-context.ts'
import type { AppState } from './app-state.ts'
import type { AppStateReader } from './app-state-reader.ts'

export interface RebuildDeps {
  changing: Pick<Mutex, 'runExclusive'>
  reader: Pick<AppStateReader, 'readAnew'>
  creds: Pick<AuthenticationCreds, 'accountSyncCounter'>
  appState: Pick<AppState, 'settled'>
}

const PRESENT = Uint8Array.of(1)

export async function rebuildDirectory(
  { id: instance, store }: Context<'id' | 'store'>,
  { changing, reader, creds, appState }: RebuildDeps,
): Promise<void> {
  const begun = records.directoryBegun(instance)
  if (await store.get(begun)) return
  if (creds.accountSyncCounter)
    await changing.runExclusive(async () => {
      await reader.readAnew(ALL_WA_PATCH_NAMES)
      await appState.settled()
    })
  await store.commit({ ops: [[begun, PRESENT]] })
}
