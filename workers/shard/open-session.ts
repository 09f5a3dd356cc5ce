/** One session of an instance, put together: the connection, its part of the inbox, app state, and the table of its stanzas. */
import type { Logger } from 'pino'
import type { Clock } from '../../src/domain/clock.ts'
import { holdAppState } from './app-state/app-state.ts'
import { watchFirstSync } from './app-state/first-sync.ts'
import { endReason, endSocket } from './baileys/end.ts'
import { leaveOutNobody } from './baileys/left-out.ts'
import type { Authorship } from './chats/authorship.ts'
import { createGroups, type Groups } from './chats/groups.ts'
import type { Session } from './chats/session.ts'
import { learnPairs } from './connection/identity.ts'
import type { Opening } from './connection/link.ts'
import { type OwnParts, openConnection } from './connection/session.ts'
import type { AuthState } from './keys/credentials.ts'
import type { KeyStore } from './keys/key-store.ts'
import type { AddressLocks } from './keys/signal/locks.ts'
import { createSignalRepository } from './keys/signal/repository.ts'
import type { MessageStatuses } from './receipts/message-status.ts'
import type { Receiving } from './receive/receiving.ts'
import type { Sent } from './retry/sent.ts'
import type { ShardDeps } from './shard-deps.ts'
import { stanzaParts } from './stanza-parts.ts'
import { stanzaTable } from './stanza-table.ts'

export interface SessionDeps {
  shard: Pick<ShardDeps, 'network' | 'deafAfterMs' | 'tally' | 'killAt'>
  auth: AuthState
  keys: KeyStore
  locks: AddressLocks
  sent: Sent
  statuses: MessageStatuses
  authorship: Pick<Authorship, 'isOwn'>
  receiving: Receiving
  clock: Clock
  /** For what waits: it does not step. */
  steady: Clock
  log: Logger
}

export function openSession(deps: SessionDeps, { creds, outside, version, restriction, events }: Opening): Session {
  const { shard, auth, keys, locks, sent, statuses, authorship, receiving, clock, steady, log } = deps
  const inbox = receiving.session()
  const appState = holdAppState({
    auth,
    creds,
    write: receiving.appState,
    killAt: shard.killAt,
    onFailure(error) {
      // Going on with credentials that are not on disk would lose the pairing at the next start.
      log.error({ err: error }, 'credentials and app state could not be saved')
      endSocket(session.sock, endReason('credentials could not be saved', 500), 'abrupt').catch((error: unknown) =>
        log.info({ err: error }, 'the library left an error unhandled'),
      )
    },
  })
  const firstSync = watchFirstSync(appState.state)
  let groups!: Groups
  let session!: Session

  /** After passive mode is left and, where the network announces it, before its own queue. */
  function replayPeers(take: OwnParts['take']) {
    inbox.replays().then(
      (nodes) => nodes.forEach(take),
      (error) => log.error({ err: error }, 'peer messages could not be taken again'),
    )
  }

  openConnection({
    creds,
    auth: firstSync.state,
    makeSignalRepository: leaveOutNobody(createSignalRepository({ keys, locks, creds: () => creds, inbox: inbox.signal })),
    getMessage: async ({ id }) => (id ? sent.get(id) : undefined),
    groupMetadata: async (jid) => groups.known(jid),
    save: appState.save,
    settled: appState.settled,
    table(connection, own) {
      const { sock } = connection
      groups = createGroups(sock, steady, (pairs) =>
        learnPairs(sock, firstSync.state.keys, pairs).catch((error) =>
          log.warn({ err: error }, 'numbers of group members could not be kept'),
        ),
      )
      // Accessors of the connection stay what they are: a copy would be of this moment.
      session = Object.create(connection, { groups: { value: groups } }) as Session
      appState.attach(sock, firstSync.isFirst)
      firstSync.attach(sock, log)
      inbox.attach({
        me: () => creds.me,
        repository: sock.signalRepository,
        applyPeer: (message) => sock.upsertMessage(message, 'append'),
        settled: appState.settled,
        cut: own.cut,
      })
      receiving.attach(session)
      // Some networks announce nothing: then when we are logged in.
      sock.ev.on('connection.update', ({ connection: state }) => {
        if (state === 'open') replayPeers(own.take)
      })
      const parts = stanzaParts({
        session,
        own,
        creds,
        appState,
        versionOf: async (name) => (await firstSync.state.keys.get('app-state-sync-version', [name]))[name]?.version,
        firstSync,
        inbox,
        receiving,
        replayPeers: () => replayPeers(own.take),
        statuses,
        authorship,
        sent,
        clock,
        steady,
        log,
        killAt: shard.killAt,
      })
      return stanzaTable(parts)
    },
    isWorthAnother: receiving.isWorthAnother,
    onEnd: inbox.fence,
    network: shard.network,
    outside,
    version,
    restriction,
    deafAfterMs: shard.deafAfterMs,
    tally: shard.tally,
    clock,
    steady,
    log,
    events,
  })
  return session
}
