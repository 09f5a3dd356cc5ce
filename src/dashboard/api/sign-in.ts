/** Signing in and out. The admin key becomes a session and is kept nowhere. */
import type { SessionInfo, SignedOut } from '../../domain/dashboard.ts'
import { ask } from './client.ts'
import { session } from './session.ts'

export async function loadSession(): Promise<void> {
  const found = await ask<SessionInfo | SignedOut>('GET', 'session')
  session.value = found.signed_in ? found : null
}

export async function signIn(adminKey: string): Promise<void> {
  session.value = await ask<SessionInfo>('POST', 'session', { admin_key: adminKey })
}

export async function signOut(): Promise<void> {
  await ask('DELETE', 'session')
  session.value = null
}
