/**
 * Tokens of trusted contacts. A token that a contact gave to this account shows the network that the two know each other, and the account gives its
 * own token to the people it writes to. Tokens are stored under the LID. For a contact without a token the account creates a substitute, which is
 * used for messages only (`wire/chat-token.ts`).
 */
import {
  type AuthenticationState,
  type BinaryNode,
  isLidUser,
  isPnUser,
  type SignalDataSet,
  type SignalDataTypeMap,
  type SignalKeyStoreWithTransaction,
} from '@whiskeysockets/baileys'
import {
  buildMergedTcTokenIndexWrite,
  isTcTokenExpired,
  resolveIssuanceJid,
  resolveTcTokenJid,
  shouldSendNewTcToken,
  storeTcTokensFromIqResult,
  TC_TOKEN_INDEX_KEY,
} from '@whiskeysockets/baileys/lib/Utils/tc-token-utils.js'
import type { Logger } from 'pino'
import { type Clock, DAY, SECOND } from '../../../../src/domain/clock.ts'
import { createKeyedMutex } from '../../../../src/lib/keyed-mutex.ts'
import { ownFacts } from '../../keys/own-facts.ts'
import { chatToken, giveTokenQuery } from '../../wire/chat-token.ts'
import { bare } from '../../wire/jid.ts'
import { contactTokenNode } from '../../wire/message-nodes.ts'
import type { ServerProps } from '../../wire/server-props.ts'
import type { Identity } from '../identity.ts'
import { removeExpiredTokens } from './expired-tokens.ts'

export type Token = SignalDataTypeMap['tctoken']
type Tokens = NonNullable<SignalDataSet['tctoken']>

export interface TrustedTokens {
  /** Returns the contact's token as a node of a stanza to the contact. Empty if there is no valid token. */
  node(jid: string): Promise<BinaryNode[]>
  /**
   * Returns the token as a node of a query for the contact's picture. Empty for our own picture, because the network would not answer a query with a
   * token.
   */
  forPicture(jid: string): Promise<BinaryNode[]>
  /** Returns the contact's token as a node of a message to the contact, and whether our token must be sent to the contact. */
  inMessage(jid: string): Promise<{ nodes: BinaryNode[]; isDue: boolean }>
  /**
   * Returns a substitute for the token, for a message to a person who gave no valid token. Empty if there is a token, for a person without a LID, and
   * while the phone has not sent a salt.
   */
  standIn(jid: string): Promise<BinaryNode[]>
  /** Returns the valid tokens by the jid to use in a query, which is the LID if it is known. */
  all(jids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>
  /** Stores the tokens of a stanza that this contact sent or caused. On disk when it resolves. */
  store(stanza: BinaryNode, contact: string): Promise<void>
  /**
   * Stores tokens that are newer than the stored ones. Resolves with their names when the tokens are on disk. Pass these names to `list`, which adds
   * them to the index.
   */
  storeNewer(tokens: ReadonlyMap<string, Token>): Promise<string[]>
  /** Adds these names to the index. Expired tokens are found through it. */
  list(names: string[]): Promise<void>
  /** Sends our token to the contact in the background. Only one send per contact runs at a time. */
  giveSoon(jid: string): void
  /** Sends our token again to a contact who has it, after the contact's keys have changed. */
  giveAgain(jid: string): void
  /** Removes expired tokens in the background, at most once a day. */
  removeExpired(): void
}

export interface TrustedTokenDeps {
  auth: AuthenticationState
  serverProps: Readonly<ServerProps>
  identity: Pick<Identity, 'lidOf' | 'pnOf' | 'isMe'>
  query(node: BinaryNode): Promise<BinaryNode>
  /** LID of a person by number, queried from the network. Null if there is none, or no answer. */
  fetchLid(pn: string): Promise<string | null>
  clock: Clock
  log: Pick<Logger, 'info'>
}

export function createTrustedTokens(deps: TrustedTokenDeps): TrustedTokens {
  const { auth, serverProps, identity, query, fetchLid, clock, log } = deps
  const { isMe } = identity
  // If the pair is unknown, the network is not queried: the token is stored under the known jid.
  const lidOf = (jid: string) => identity.lidOf(jid)
  const pnOf = (jid: string) => identity.pnOf(jid)
  const nameOf = (jid: string) => resolveTcTokenJid(bare(jid), lidOf)
  const mutex = createKeyedMutex()
  const { runAll } = mutex
  const underWay = new Set<string>()
  /** Time of the last removal of expired tokens. */
  let removedAt = Number.NEGATIVE_INFINITY

  const direct: SignalKeyStoreWithTransaction = {
    ...auth.keys,
    isInTransaction: () => false,
    transaction: (work) => work(),
  }
  /** Key store that completes written tokens with the stored fields, because each writer knows only a part of the record. */
  const keys: SignalKeyStoreWithTransaction = {
    ...direct,
    async set({ tctoken = {} }) {
      const names = Object.keys(tctoken)
      await runAll(names, async () => {
        const stored = await auth.keys.get('tctoken', names)
        const merged = Object.entries(tctoken).map(([name, token]) => [name, token && withStored(token, stored[name])])
        await auth.keys.set({ tctoken: Object.fromEntries(merged) as Tokens })
      })
    },
  }

  const stored = async (name: string): Promise<Token | undefined> => (await keys.get('tctoken', [name]))[name]
  const valid = (entry: Token | undefined) => (entry?.token.length && !isTcTokenExpired(entry.timestamp) ? entry : undefined)

  async function node(jid: string): Promise<BinaryNode[]> {
    const { token, timestamp } = valid(await stored(await nameOf(jid))) ?? {}
    // The stored time may be a number, from an import.
    return token && timestamp !== undefined ? [contactTokenNode(token, String(timestamp))] : []
  }

  /** Adds the names to the index, through which expired tokens are found. */
  const list = (names: string[]) =>
    runAll([TC_TOKEN_INDEX_KEY], async () => auth.keys.set({ tctoken: await buildMergedTcTokenIndexWrite(keys, names) }))

  async function store(stanza: BinaryNode, contact: string) {
    const names: string[] = []
    const onNewJidStored = (name: string) => names.push(name)
    await storeTcTokensFromIqResult({ result: stanza, fallbackJid: contact, keys, getLIDForPN: lidOf, onNewJidStored })
    if (names.length > 0) await list(names)
  }

  async function storeNewer(tokens: ReadonlyMap<string, Token>): Promise<string[]> {
    const names = [...tokens.keys()]
    return runAll(names, async () => {
      const known = await auth.keys.get('tctoken', names)
      const newer = [...tokens].filter(([name, { timestamp }]) => Number(timestamp) > Number(known[name]?.timestamp ?? 0))
      const merged = newer.map(([name, token]) => [name, { ...known[name], ...token }])
      if (newer.length > 0) await auth.keys.set({ tctoken: Object.fromEntries(merged) as Tokens })
      return newer.map(([name]) => name)
    })
  }

  async function give(jid: string, seconds: number) {
    const name = await nameOf(jid)
    const to = await resolveIssuanceJid(jid, serverProps.lidTrustedTokenIssueToLid, lidOf, pnOf)
    await store(await query(giveTokenQuery(bare(to), seconds)), name)
    await keys.set({ tctoken: { [name]: { token: Buffer.alloc(0), senderTimestamp: seconds } } })
    await list([name])
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
      const known = await keys.get('tctoken', [...new Set(jids)])
      return new Map(
        Object.entries(known).flatMap(([jid, entry]) => {
          const token = valid(entry)?.token
          return token ? [[jid, token] as const] : []
        }),
      )
    },
    store,
    storeNewer,
    list,
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
      removeExpiredTokens({ keys: direct, mutex }).catch((error) =>
        log.info({ err: error }, 'expired trusted-contact tokens could not be removed'),
      )
    },
  }
}

/**
 * Returns the written token, completed with stored fields that the writer did not have: a token that is still valid, and the time at which our token
 * was sent.
 */
function withStored(token: Token, stored: Token | undefined): Token {
  if (!stored) return token
  const given = stored.senderTimestamp === undefined ? {} : { senderTimestamp: stored.senderTimestamp }
  const isUnknown = token.token.length === 0 && stored.token.length > 0 && !isTcTokenExpired(stored.timestamp)
  const theirs = isUnknown ? { token: stored.token, timestamp: stored.timestamp } : {}
  return { ...given, ...token, ...theirs } as Token
}
