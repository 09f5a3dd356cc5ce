/** Handles stanzas that change the tokens of trusted contacts, and reads the tokens in the phone's history. */
import { type BinaryNode, isLidUser } from '@whiskeysockets/baileys'
import { resolveTcTokenJid } from '@whiskeysockets/baileys/lib/Utils/tc-token-utils.js'
import type { Identity } from '../../connection/identity.ts'
import type { Token } from '../../connection/tokens/token-store.ts'
import type { TrustedTokens } from '../../connection/tokens/trusted-tokens.ts'
import { ackIn } from '../../wire/ack.ts'
import { tokenGiverIn } from '../../wire/chat-token.ts'
import { bare } from '../../wire/jid.ts'
import type { HistoryReader } from './history.ts'

export interface PrivacyTokens {
  came(notice: BinaryNode): Promise<void>
  /**
   * Called for each ack of a message. If the ack has error 463, a token may be missing, so the account's token is sent
   * to the contact.
   */
  refused(ack: BinaryNode): void
}

/** Error code in an ack: the account is restricted, or no token exists for the chat. */
const RESTRICTED = '463'

export const createPrivacyTokens = (tokens: Pick<TrustedTokens, 'store' | 'giveSoon'>): PrivacyTokens => ({
  async came(notice) {
    const { from, lid } = tokenGiverIn(notice)
    await tokens.store(notice, isLidUser(bare(lid)) ? bare(lid) : bare(from))
  },
  refused(ack) {
    const { error, from } = ackIn(ack)
    if (error === RESTRICTED && from) tokens.giveSoon(from)
  },
})

export function historyTokens(
  tokens: Pick<TrustedTokens, 'storeNewer' | 'list'>,
  { lidOf }: Pick<Identity, 'lidOf'>,
): HistoryReader {
  /** Jids whose tokens are stored and not in the index yet. The index is written once, at the end of a notice. */
  let unlisted: string[] = []

  return {
    async take(slice) {
      const found = new Map<string, Token>()
      for (const piece of slice) {
        const { id, tcToken, tcTokenTimestamp, tcTokenSenderTimestamp } = piece.kind === 'chat' ? piece.chat : {}
        if (!id || !tcToken?.length || !Number(tcTokenTimestamp)) continue
        const sender = tcTokenSenderTimestamp == null ? {} : { senderTimestamp: Number(tcTokenSenderTimestamp) }
        const at = await resolveTcTokenJid(bare(id), lidOf)
        found.set(at, { token: Buffer.from(tcToken), timestamp: String(tcTokenTimestamp), ...sender })
      }
      if (found.size > 0) unlisted.push(...(await tokens.storeNewer(found)))
    },
    async end() {
      if (unlisted.length === 0) return
      await tokens.list(unlisted)
      unlisted = []
    },
  }
}

/** Reads the salt of chat tokens in the phone's history. `keep` resolves when the salt is on disk. */
export const historySalt = (keep: (salt: Uint8Array) => Promise<void>): HistoryReader => ({
  async take(slice) {
    for (const piece of slice) if (piece.kind === 'chatTokenSalt') await keep(piece.salt)
  },
})
