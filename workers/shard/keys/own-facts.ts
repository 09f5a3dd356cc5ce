import type { AuthenticationCreds } from '@whiskeysockets/baileys'
import type { StoredProps } from '../wire/server-props.ts'

export interface OwnFacts {
  chatTokenSalt?: Uint8Array
  logins?: number
  serverProps?: StoredProps
}

export const ownFacts = ({ additionalData }: Pick<AuthenticationCreds, 'additionalData'>): OwnFacts => additionalData ?? {}

/** The change is on disk after the next save of the credentials. A value of undefined removes the fact. */
export function keepFacts(creds: AuthenticationCreds, facts: { [K in keyof OwnFacts]: OwnFacts[K] | undefined }): void {
  const { additionalData } = creds
  creds.additionalData = Object.fromEntries(
    Object.entries({ ...additionalData, ...facts }).filter(([, value]) => value !== undefined),
  )
}
