/**
 * Tokens of trusted contacts: with the one a contact gave us the network takes first messages from us, and we give ours to whom we write to.
 * Kept by the library, under the LID.
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
import { bare } from '../../wire/jid.ts'

export interface PrivacyTokenDeps {
  sock: Pick<WASocket, 'authState' | 'issuePrivacyTokens' | 'serverProps'>
  identity: Pick<Identity, 'lidOf' | 'pnOf'>
  clock: Clock
  log: Pick<Logger, 'info'>
}

export interface PrivacyTokens {
  /** `<notification type=privacy_token>`. On disk when it resolves. */
  came(notice: BinaryNode): Promise<void>
  /** Ours to a person who has one already, beside everything else. */
  giveAgain(jid: string): void
  /** A message was refused with 463, which a token can be missing for: ours is given, and theirs asked for, once at a time for a chat. */
  refused(ack: BinaryNode): void
}

/** `error` of an ack: the account is restricted, or the chat has no token. */
const RESTRICTED = '463'
const DEADLINE = 20 * SECOND

export function createPrivacyTokens({ sock, identity, clock, log }: PrivacyTokenDeps): PrivacyTokens {
  const { keys } = sock.authState
  const underWay = new Set<string>()
  // What is not known is not asked for: the token lies under the name we have.
  const lidOf = (jid: string) => identity.lidOf(jid)
  const pnOf = (jid: string) => identity.pnOf(jid)

  async function store(result: BinaryNode, fallbackJid: string) {
    const stored: string[] = []
    await storeTcTokensFromIqResult({ result, fallbackJid, keys, getLIDForPN: lidOf, onNewJidStored: (jid) => stored.push(jid) })
    // By the index the library finds those that have expired.
    if (stored.length > 0) await keys.set({ tctoken: await buildMergedTcTokenIndexWrite(keys, stored) })
  }

  async function give(jid: string, seconds: number) {
    const to = await resolveIssuanceJid(jid, sock.serverProps.lidTrustedTokenIssueToLid, lidOf, pnOf)
    const result = await withDeadline(DEADLINE, () => sock.issuePrivacyTokens([to], seconds))
    await store(result as BinaryNode, await resolveTcTokenJid(jid, lidOf))
  }

  function beside(jid: string, work: () => Promise<void>) {
    if (underWay.has(jid)) return
    underWay.add(jid)
    work()
      .catch((error) => log.info({ err: error }, 'a token of a trusted contact could not be given'))
      .finally(() => underWay.delete(jid))
  }

  return {
    async came(notice) {
      const { from = '', sender_lid: lid = '' } = notice.attrs
      await store(notice, isLidUser(bare(lid)) ? bare(lid) : await resolveTcTokenJid(bare(from), lidOf))
    },
    giveAgain(jid) {
      beside(bare(jid), async () => {
        const at = await resolveTcTokenJid(bare(jid), lidOf)
        const { senderTimestamp } = (await keys.get('tctoken', [at]))[at] ?? {}
        if (senderTimestamp !== undefined && !isTcTokenExpired(senderTimestamp)) await give(bare(jid), senderTimestamp)
      })
    },
    refused({ attrs: { error, from } }) {
      if (error === RESTRICTED && from) beside(from, () => give(from, Math.floor(clock.now() / SECOND)))
    },
  }
}
