/**
 * The tokens that contacts gave to this account: beside its token the network believes that the two have met. They lie under the LID. For who
 * gave none the account makes one itself, for messages alone (`wire/chat-token.ts`).
 */
import { type BinaryNode, isLidUser, isPnUser, type SignalKeyStore, type WASocket } from '@whiskeysockets/baileys'
import { buildTcTokenFromJid, isTcTokenExpired } from '@whiskeysockets/baileys/lib/Utils/tc-token-utils.js'
import { ownFacts } from '../keys/own-facts.ts'
import { chatToken } from '../wire/chat-token.ts'
import { bare } from '../wire/jid.ts'
import type { Identity } from './identity.ts'

export interface TrustedTokens {
  /** As a node of a stanza to the contact. Empty where there is none, or none that is valid any more. */
  node(jid: string): Promise<BinaryNode[]>
  /**
   * The substitute for a token in a message to a person without a valid one. Empty where there is a token, for a person without a LID, and while the
   * phone has sent no salt.
   */
  standIn(jid: string): Promise<BinaryNode[]>
  /** The valid tokens, by the jid to query: a LID where it is known. */
  all(jids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>
}

export interface TrustedTokenDeps {
  authState: WASocket['authState']
  identity: Pick<Identity, 'lidOf' | 'isMe'>
  /** The LID of a person by number, asked of the network. Null: none, or no answer. */
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
      // For a new person the library would learn the LID from the device list, only after the message has left.
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
