/** Dependencies that all parts of the Signal repository share. */
import type { AuthenticationCreds } from '@whiskeysockets/baileys'
import type { KeyStore } from '../key-store.ts'
import type { AddressLocks } from './address/address-locks.ts'

export interface SignalRepositoryDeps {
  keys: KeyStore
  /** Returns the current credentials. Called at every operation, so that a new signed pre-key is used immediately. */
  creds: () => AuthenticationCreds
  /** Locks of the instance, shared by all its sockets. */
  locks: AddressLocks
}
