/**
 * Exchanges tokens with trusted contacts: with a token from a contact, the network accepts first messages from us, and
 * we send ours to the people we write to. The library stores tokens under the LID.
 */
import { type BinaryNode, isLidUser, type WASocket } from '@whiskeysockets/baileys'
import {
  buildMergedTcTokenIndexWrite,
  isTcTokenExpired,
  resolveIssuanceJid,
  resolveTcTokenJid,
  storeTcTokensFromIqResult,
} from '@whiskeysockets/baileys/lib/Utils/tc-token-utils.js'
import type { Logger } from 'pino'
import { type Clock, SECOND } from '../../../../src/domain/clock.ts'
import { withDeadline } from '../../baileys/query.ts'
import type { Identity } from '../../connection/identity.ts'
import { QUERY_DEADLINE } from '../../connection/within.ts'
import { ackIn } from '../../wire/ack.ts'
import { tokenGiverIn } from '../../wire/chat-token.ts'
import { bare } from '../../wire/jid.ts'
import type { HistoryReader } from './history.ts'

export interface PrivacyTokenDeps {
  sock: Pick<WASocket, 'authState' | 'issuePrivacyTokens' | 'serverProps'>
  identity: Pick<Identity, 'lidOf' | 'pnOf'>
  clock: Clock
  log: Pick<Logger, 'info'>
}

export interface PrivacyTokens {
  /** Takes `<notification type=privacy_token>`. On disk when it resolves. */
  came(notice: BinaryNode): Promise<void>
  /** Sends our token to a person who already has one, in the background. */
  giveAgain(jid: string): void
  /** A message was refused with 463, which may mean a missing token: ours is sent and theirs requested, one at a time per chat. */
  refused(ack: BinaryNode): void
}

/** `error` of an ack that means that the account is restricted, or that the chat has no token. */
const RESTRICTED = '463'

export function createPrivacyTokens({ sock, identity, clock, log }: PrivacyTokenDeps): PrivacyTokens {
  const { keys } = sock.authState
  const underWay = new Set<string>()
  // An unknown pair is not queried: the token is stored under the known jid.
  const lidOf = (jid: string) => identity.lidOf(jid)
  const pnOf = (jid: string) => identity.pnOf(jid)

  async function store(result: BinaryNode, fallbackJid: string) {
    const stored: string[] = []
    await storeTcTokensFromIqResult({ result, fallbackJid, keys, getLIDForPN: lidOf, onNewJidStored: (jid) => stored.push(jid) })
    // The library finds expired tokens by the index.
    if (stored.length > 0) await keys.set({ tctoken: await buildMergedTcTokenIndexWrite(keys, stored) })
  }

  async function give(jid: string, seconds: number) {
    const to = await resolveIssuanceJid(jid, sock.serverProps.lidTrustedTokenIssueToLid, lidOf, pnOf)
    const result = await withDeadline(QUERY_DEADLINE, () => sock.issuePrivacyTokens([to], seconds))
    await store(result as BinaryNode, await resolveTcTokenJid(jid, lidOf))
  }

  function beside(jid: string, work: () => Promise<void>) {
    if (underWay.has(jid)) return
    underWay.add(jid)
    work()
      .catch((error) => log.info({ err: error }, 'the trusted-contact token could not be sent to a contact'))
      .finally(() => underWay.delete(jid))
  }

  return {
    async came(notice) {
      const { from, lid } = tokenGiverIn(notice)
      await store(notice, isLidUser(bare(lid)) ? bare(lid) : await resolveTcTokenJid(bare(from), lidOf))
    },
    giveAgain(jid) {
      beside(bare(jid), async () => {
        const at = await resolveTcTokenJid(bare(jid), lidOf)
        const { senderTimestamp } = (await keys.get('tctoken', [at]))[at] ?? {}
        if (senderTimestamp !== undefined && !isTcTokenExpired(senderTimestamp)) await give(bare(jid), senderTimestamp)
      })
    },
    refused(ack) {
      const { error, from } = ackIn(ack)
      if (error === RESTRICTED && from) beside(from, () => give(from, Math.floor(clock.now() / SECOND)))
    },
  }
}

/** Reads tokens that the phone already had. Only newer ones than the stored ones are used, under the LID if it is known. */
export function historyTokens({ keys, lidOf }: Pick<WASocket['authState'], 'keys'> & Pick<Identity, 'lidOf'>): HistoryReader {
  /** Jids whose tokens were stored since the index was written. The index contains all such jids, and is written once. */
  let unlisted: string[] = []

  return {
    async take(slice) {
      const tokens = new Map<string, { token: Buffer; timestamp: string; senderTimestamp?: number }>()
      for (const piece of slice) {
        const { id, tcToken, tcTokenTimestamp, tcTokenSenderTimestamp } = piece.kind === 'chat' ? piece.chat : {}
        if (!id || !tcToken?.length || !Number(tcTokenTimestamp)) continue
        const sender = tcTokenSenderTimestamp == null ? {} : { senderTimestamp: Number(tcTokenSenderTimestamp) }
        const at = await resolveTcTokenJid(bare(id), lidOf)
        tokens.set(at, { token: Buffer.from(tcToken), timestamp: String(tcTokenTimestamp), ...sender })
      }
      if (tokens.size === 0) return
      const known = await keys.get('tctoken', [...tokens.keys()])
      for (const [jid, { timestamp }] of tokens) if (Number(known[jid]?.timestamp ?? 0) >= Number(timestamp)) tokens.delete(jid)
      const fresh = Object.fromEntries([...tokens].map(([jid, token]) => [jid, { ...known[jid], ...token }]))
      await keys.set({ tctoken: fresh })
      unlisted.push(...tokens.keys())
    },
    async end() {
      if (unlisted.length === 0) return
      await keys.set({ tctoken: await buildMergedTcTokenIndexWrite(keys, unlisted) })
      unlisted = []
    },
  }
}

/** Reads the salt that the phone sends with its history. `keep`: the salt is on disk when it resolves. */
export const historySalt = (keep: (salt: Uint8Array) => Promise<void>): HistoryReader => ({
  async take(slice) {
    for (const piece of slice) if (piece.kind === 'chatTokenSalt') await keep(piece.salt)
  },
})
