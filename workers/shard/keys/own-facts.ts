/**
 * Data of the linked device for which the library's credentials have no field: kept with them for as long as it is linked, in the field that the
 * library leaves to its users.
 */
import type { AuthenticationCreds } from '@whiskeysockets/baileys'

export interface OwnFacts {
  /** The salt of tokens for new chats (`wire/chat-token.ts`). */
  chatTokenSalt?: Uint8Array
  /** Logins that the network has accepted since the pairing. */
  logins?: number
}

export const ownFacts = ({ additionalData }: Pick<AuthenticationCreds, 'additionalData'>): OwnFacts => additionalData ?? {}

/** They are on disk with the next save of the credentials. Undefined takes one away. */
export function keepFacts(creds: AuthenticationCreds, facts: { [K in keyof OwnFacts]: OwnFacts[K] | undefined }): void {
  const { additionalData } = creds
  creds.additionalData = Object.fromEntries(
    Object.entries({ ...additionalData, ...facts }).filter(([, value]) => value !== undefined),
  )
}
