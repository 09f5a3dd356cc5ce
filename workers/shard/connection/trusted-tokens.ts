/**
 * Holds the tokens that contacts gave to this account. A token shows the network that the two have met. Tokens are
 * stored under the LID. For a contact without a token the account creates a substitute, which is used for messages only
 * (`wire/chat-token.ts`).
 */
import { type BinaryNode, isLidUser, isPnUser, type SignalKeyStore, type WASocket } from '@whiskeysockets/baileys'
import { buildTcTokenFromJid, isTcTokenExpired } from '@whiskeysockets/baileys/lib/Utils/tc-token-utils.js'
import { ownFacts } from '../keys/own-facts.ts'
import { chatToken } from '../wire/chat-token.ts'
import { bare } from '../wire/jid.ts'
import type { Identity } from './identity.ts'

export interface TrustedTokens {
  /** Returns the token as a node of a stanza to the contact. Empty if there is none, or none that is still valid. */
  node(jid: string): Promise<BinaryNode[]>
  /**
   * Returns a substitute for a token in a message to a person without a valid one. Empty if there is a token, for a
   * person without a LID, and while the phone has not sent a salt.
   */
  standIn(jid: string): Promise<BinaryNode[]>
  /** Returns the valid tokens by the jid to query: a LID if it is known. */
  all(jids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>
}

export interface TrustedTokenDeps {
  authState: WASocket['authState']
  identity: Pick<Identity, 'lidOf' | 'isMe'>
  /** Queries the LID of a person by number. Null if there is none, or no answer. */
  fetchLid(pn: string): Promise<string | null>
}

export function createTrustedTokens({ authState, identity, fetchLid }: TrustedTokenDeps): TrustedTokens {
  const { lidOf, isMe } = identity
  const keys: Pick<SignalKeyStore, 'get'> = authState.keys
  const node = async (jid: string) => (await buildTcTokenFromJid({ authState, jid, getLIDForPN: lidOf })) ?? []
  return {
    node,
    async standIn(jid) {
      const { chatTokenSalt: salt } = ownFacts(authState.creds)
      const person = bare(jid)
      if (!salt || isMe(person) || (await node(person)).length > 0) return []
      // For a new person the library would learn the LID from the device list only after the message has left.
      const lid = isLidUser(person) ? person : isPnUser(person) ? ((await lidOf(person)) ?? (await fetchLid(person))) : null
      return lid === null ? [] : [chatToken(salt, bare(lid))]
    },
    async all(jids) {
      const known = await keys.get('tctoken', [...new Set(jids)])
      return new Map(
        Object.entries(known).flatMap(([jid, { token, timestamp }]) =>
          token && token.length > 0 && !isTcTokenExpired(timestamp) ? [[jid, token] as const] : [],
        ),
      )
    },
  }
}
