/**
 * Creates the one-time keys of this device. They are stored before anybody gets them. New keys are not read back from
 * the store, because the first upload has 812 of them.
 */
import type { AuthenticationCreds, AuthenticationState, KeyPair } from '@whiskeysockets/baileys'
import { newKeyPair } from './curve.ts'

export interface OneTimeKey {
  id: number
  pair: KeyPair
}

export interface NextOneTimeKeys {
  keys: OneTimeKey[]
  update: Pick<AuthenticationCreds, 'nextPreKeyId' | 'firstUnuploadedPreKeyId'>
}

/**
 * Returns keys that were created but not uploaded, then new ones. Do not call this again before the credentials contain
 * `update`.
 */
export async function nextOneTimeKeys(
  { creds, keys }: Pick<AuthenticationState, 'creds' | 'keys'>,
  count: number,
): Promise<NextOneTimeKeys> {
  const { nextPreKeyId: next, firstUnuploadedPreKeyId: first } = creds
  const end = first + count
  const earlier = await keys.get('pre-key', idsFrom(first, Math.min(next, end)).map(String))
  const fresh = Object.fromEntries(idsFrom(next, end).map((id) => [id, newKeyPair()]))
  await keys.set({ 'pre-key': fresh })
  return {
    keys: Object.entries({ ...earlier, ...fresh }).map(([id, pair]) => ({ id: Number(id), pair })),
    update: { nextPreKeyId: Math.max(next, end), firstUnuploadedPreKeyId: end },
  }
}

const idsFrom = (first: number, end: number) => Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index)
