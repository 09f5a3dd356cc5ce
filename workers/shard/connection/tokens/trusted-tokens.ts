/**
 * Tokens of trusted contacts. The token that a contact gave to this account shows the network that the two know each
 * other; the account gives its own token in return. For a contact without a token, messages can contain a substitute.
 */
import { type AuthenticationState, type BinaryNode, isLidUser, isPnUser } from '@whiskeysockets/baileys'
import {
  isTcTokenExpired,
  resolveIssuanceJid,
  resolveTcTokenJid,
  shouldSendNewTcToken,
} from '@whiskeysockets/baileys/lib/Utils/tc-token-utils.js'
import type { Logger } from 'pino'
import { type Clock, DAY, SECOND } from '../../../../src/domain/clock.ts'
import { ownFacts } from '../../keys/own-facts.ts'
import { chatToken, giveTokenQuery } from '../../wire/chat-token.ts'
import { bare } from '../../wire/jid.ts'
import { contactTokenNode } from '../../wire/message-nodes.ts'
import type { ServerProps } from '../../wire/server-props.ts'
import type { Identity } from '../identity.ts'
import { createTokenStore, type Token, type TokenStore } from './token-store.ts'

export interface TrustedTokens extends Pick<TokenStore, 'store' | 'storeNewer' | 'list'> {
  node(jid: string): Promise<BinaryNode[]>
  /**
   * Returns the token for a query of a person's picture. Empty if there is no token, or if the network does not use it
   * for pictures. Also empty for our own picture: the network does not answer that query if it has a token.
   */
  forPicture(jid: string): Promise<BinaryNode[]>
  /** Returns the contact's token for a message. `isDue` says whether our token must be sent to the contact. */
  inMessage(jid: string): Promise<{ nodes: BinaryNode[]; isDue: boolean }>
  /**
   * Returns the substitute for a missing token. Empty if there is a token, if the jid is our own, if its LID is not
   * found, or until the phone has sent a salt.
   */
  standIn(jid: string): Promise<BinaryNode[]>
  all(jids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>
  /** Sends our token to the contact in the background. Does nothing while a send to this jid is running. */
  giveSoon(jid: string): void
  /** Sends our token again after the contact's keys have changed. Does nothing if it was never sent or has expired. */
  giveAgain(jid: string): void
  /** Removes expired tokens in the background, at most once a day per session. */
  removeExpired(): void
}

export interface TrustedTokenDeps {
  auth: AuthenticationState
  serverProps: Readonly<ServerProps>
  identity: Pick<Identity, 'lidOf' | 'pnOf' | 'isMe'>
  query(node: BinaryNode): Promise<BinaryNode>
  /** Returns the LID of a person, queried from the network by number. Null if there is none, or no answer. */
  fetchLid(pn: string): Promise<string | null>
  clock: Clock
  log: Pick<Logger, 'info'>
}

export function createTrustedTokens(deps: TrustedTokenDeps): TrustedTokens {
  const { auth, serverProps, identity, query, fetchLid, clock, log } = deps
  const { isMe } = identity
  const lidOf = (jid: string) => identity.lidOf(jid)
  const pnOf = (jid: string) => identity.pnOf(jid)
  const nameOf = (jid: string) => resolveTcTokenJid(bare(jid), lidOf)
  const tokens = createTokenStore(auth, lidOf)
  const underWay = new Set<string>()
  let removedAt = Number.NEGATIVE_INFINITY

  const stored = async (name: string): Promise<Token | undefined> => (await tokens.of([name]))[name]
  const valid = (entry: Token | undefined) => (entry?.token.length && !isTcTokenExpired(entry.timestamp) ? entry : undefined)

  async function node(jid: string): Promise<BinaryNode[]> {
    const { token, timestamp } = valid(await stored(await nameOf(jid))) ?? {}
    // An imported token may have its time as a number, but an attribute must be a string.
    return token && timestamp !== undefined ? [contactTokenNode(token, String(timestamp))] : []
  }

  async function give(jid: string, seconds: number) {
    const name = await nameOf(jid)
    const to = await resolveIssuanceJid(jid, serverProps.lidTrustedTokenIssueToLid, lidOf, pnOf)
    await tokens.store(await query(giveTokenQuery(bare(to), seconds)), name)
    await tokens.write(name, { token: Buffer.alloc(0), senderTimestamp: seconds })
  }

  function beside(jid: string, work: () => Promise<void>) {
    if (underWay.has(jid)) return
    underWay.add(jid)
    work()
      .catch((error) => log.info({ err: error }, 'the trusted-contact token could not be sent to a contact'))
      .finally(() => underWay.delete(jid))
  }

  return {
    node,
    async forPicture(jid) {
      const person = bare(jid)
      const isContact = (isPnUser(person) || isLidUser(person)) && !isMe(person)
      return serverProps.profilePicPrivacyToken && isContact ? node(person) : []
    },
    async inMessage(jid) {
      const entry = await stored(await nameOf(jid))
      const token = serverProps.privacyTokenOn1to1 ? valid(entry)?.token : undefined
      return { nodes: token ? [contactTokenNode(token)] : [], isDue: shouldSendNewTcToken(entry?.senderTimestamp) }
    },
    async standIn(jid) {
      const { chatTokenSalt: salt } = ownFacts(auth.creds)
      const person = bare(jid)
      if (!salt || isMe(person) || (await node(person)).length > 0) return []
      const lid = isLidUser(person) ? person : isPnUser(person) ? ((await lidOf(person)) ?? (await fetchLid(person))) : null
      return lid === null ? [] : [chatToken(salt, bare(lid))]
    },
    async all(jids) {
      const known = await tokens.of([...new Set(jids)])
      return new Map(
        Object.entries(known).flatMap(([jid, entry]) => {
          const token = valid(entry)?.token
          return token ? [[jid, token] as const] : []
        }),
      )
    },
    store: tokens.store,
    storeNewer: tokens.storeNewer,
    list: tokens.list,
    giveSoon: (jid) => beside(bare(jid), () => give(bare(jid), Math.floor(clock.now() / SECOND))),
    giveAgain: (jid) =>
      beside(bare(jid), async () => {
        const { senderTimestamp } = (await stored(await nameOf(jid))) ?? {}
        if (senderTimestamp !== undefined && !isTcTokenExpired(senderTimestamp)) await give(bare(jid), senderTimestamp)
      }),
    removeExpired() {
      const now = clock.now()
      if (now - removedAt < DAY) return
      removedAt = now
      tokens.removeExpired().catch((error) => log.info({ err: error }, 'expired trusted-contact tokens could not be removed'))
    },
  }
}
