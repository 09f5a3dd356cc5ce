/**
 * Data of the linked device for which the library's credentials have no field. It is stored with these credentials as long as the device is linked,
 * in a field that the library reserves for its users.
 */
import type { AuthenticationCreds } from '@whiskeysockets/baileys'
import type { StoredProps } from '../wire/server-props.ts'

export interface OwnFacts {
  /** Salt of tokens for new chats (`wire/chat-token.ts`). */
  chatTokenSalt?: Uint8Array
  /** Number of logins that the network has accepted since the pairing. */
  logins?: number
  /** Properties of the network as it last sent them. */
  serverProps?: StoredProps
}

export const ownFacts = ({ additionalData }: Pick<AuthenticationCreds, 'additionalData'>): OwnFacts => additionalData ?? {}

/** Changes these facts. They are on disk after the next save of the credentials. A value of undefined removes the fact. */
export function keepFacts(creds: AuthenticationCreds, facts: { [K in keyof OwnFacts]: OwnFacts[K] | undefined }): void {
  const { additionalData } = creds
  creds.additionalData = Object.fromEntries(
    Object.entries({ ...additionalData, ...facts }).filter(([, value]) => value !== undefined),
  )
}
