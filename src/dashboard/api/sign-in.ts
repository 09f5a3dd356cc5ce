/**
 * Reads the session of this browser, and signs in and out. A sign-in exchanges the admin key or an API key for a
 * session; the page does not store the key.
 */
import type { SessionInfo, SignedIn, SignedOut } from '../../domain/dashboard.ts'
import { ask } from './client.ts'
import { keepProof, readProof } from './proof.ts'
import { hasEnded, session, signedOut } from './session.ts'

export async function loadSession(): Promise<void> {
  const proof = readProof()
  const found = await ask<SessionInfo | SignedOut>('GET', 'session')
  if (!found.signed_in) signedOut(proof)
  // The signal is set only if the session has changed, because each new value opens another live stream.
  else if (JSON.stringify(found) !== JSON.stringify(session.value)) session.value = found
}

export async function signIn(key: string): Promise<void> {
  const { proof, ...info } = await ask<SignedIn>('POST', 'session', { key })
  keepProof(proof)
  session.value = info
}

export async function signOut(): Promise<void> {
  await ask('DELETE', 'session')
  signedOut()
  hasEnded.value = false
}
