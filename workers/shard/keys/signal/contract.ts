import type { AuthenticationCreds } from '@whiskeysockets/baileys'
import type { KeyStore } from '../key-store.ts'
import type { AddressLocks } from './address/address-locks.ts'

export interface SignalRepositoryDeps {
  keys: KeyStore
  creds: () => AuthenticationCreds
  locks: AddressLocks
}
