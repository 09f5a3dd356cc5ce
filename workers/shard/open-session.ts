/** Assembles one session of an instance: the connection, its part of the inbox, app state, and the table of its stanzas. */
import { isLidUser } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { type Clock, SECOND } from '../../src/domain/clock.ts'
import { readFetched } from '../../src/media/fetched.ts'
import { createFileHost } from '../../src/media/file-host.ts'
import type { StateStore } from '../../src/storage/contract.ts'
import { holdAppState } from './app-state/app-state.ts'
import { type AppStateChanges, createAppStateChanges } from './app-state/app-state-changes.ts'
import { type AppStateReader, createAppStateReader } from './app-state/app-state-reader.ts'
import { rebuildDirectory } from './app-state/rebuild.ts'
import { endReason, endSocket } from './baileys/end.ts'
import { leaveOutNobody } from './baileys/left-out.ts'
import type { Authorship } from './chats/authorship.ts'
import { createGroupCache, type GroupCache } from './chats/group-cache.ts'
import { createNumberLookUp } from './chats/number-look-up.ts'
import type { SavedContacts } from './chats/saved-contacts.ts'
import type { SocketSession } from './chats/session.ts'
import { openConnection } from './connection/connection.ts'
import type { OwnParts } from './connection/contract.ts'
import { actionFailure } from './connection/failures.ts'
import { keepingPairs } from './connection/identity.ts'
import type { Opening } from './connection/link.ts'
import { createMediaHosts } from './connection/media-hosts.ts'
import type { PasskeyPairing } from './connection/pairing/passkey-pairing.ts'
import { QUERY_DEADLINE } from './connection/within.ts'
import type { AccountDirectory } from './directory/account-directory.ts'
import type { GroupDirectory } from './directory/group-directory.ts'
import type { GroupStore } from './directory/group-store.ts'
import { takeMembers } from './directory/members.ts'
import { createNewsletterRoles } from './directory/newsletter-roles.ts'
import { createParticipating } from './directory/participating.ts'
import type { AuthState } from './keys/auth-state.ts'
import { createKeyHolders } from './keys/key-holders.ts'
import type { KeyStore } from './keys/key-store.ts'
import { keepFacts } from './keys/own-facts.ts'
import type { AddressLocks } from './keys/signal/address-locks.ts'
import { createSignalRepository } from './keys/signal/signal-repository.ts'
import type { MessageStatuses } from './receipts/message-statuses.ts'
import { historyDirectory } from './receive/effects/directory.ts'
import { takeHistory } from './receive/effects/history.ts'
import { historyPairs } from './receive/effects/lid-pairs.ts'
import { historySalt, historyTokens } from './receive/effects/privacy-tokens.ts'
import type { Receiving } from './receive/receiving.ts'
import type { Sent } from './retry/sent.ts'
import { groupForRelay } from './send/group-devices.ts'
import type { ShardDeps } from './shard-deps.ts'
import { stanzaParts } from './stanza-parts.ts'
import { stanzaTable } from './stanza-table.ts'
import { namesOf } from './wire/groups.ts'

export interface SessionDeps {
  shard: Pick<ShardDeps, 'clock' | 'network' | 'media' | 'mexIds' | 'stalledAfterMs' | 'tally' | 'countUnknown' | 'steps'>
  auth: AuthState
  keys: KeyStore
  locks: AddressLocks
  instance: string
  store: StateStore
  sent: Sent
  statuses: MessageStatuses
  authorship: Pick<Authorship, 'isOwn'>
  receiving: Receiving
  passkeys: PasskeyPairing
  contacts: Pick<SavedContacts, 'all'>
  directory: AccountDirectory
  groupDirectory: GroupDirectory
  groupStore: GroupStore
  clock: Clock
  /** Clock for waits; it does not step. */
  steady: Clock
  log: Logger
  /** The session can no longer be used. */
  onEnd(): void
}

/** Delays in ms between attempts to read a file of app state; other changes wait for it. */
const FILE_RETRIES = [2 * SECOND, 10 * SECOND]

export function openSession(deps: SessionDeps, { creds, route, version, restriction, events }: Opening): SocketSession {
  const { shard, instance, store, auth, keys, locks, sent, statuses, authorship } = deps
  const { receiving, directory, groupDirectory, groupStore, clock, steady, log } = deps
  const inbox = receiving.session()
  const appState = holdAppState({
    auth,
    keys,
    creds,
    async write(changes) {
      // Written before its version; reading it again gives the same result.
      if (changes.actions.length > 0) await directory.ready().then(() => directory.apply(changes.actions))
      return receiving.appState(changes)
    },
    steps: shard.steps,
    onFailure(error) {
      // Continuing with credentials that are not on disk would lose the pairing at the next start.
      log.error({ err: error }, 'credentials and app state could not be saved')
      endSocket(session.sock, endReason('credentials could not be saved', 500), 'abrupt').catch((error: unknown) =>
        log.info({ err: error }, 'Baileys did not handle one of its own errors'),
      )
    },
  })
  const holders = createKeyHolders(keys)
  let groups!: GroupCache
  let session!: SocketSession
  let reader!: AppStateReader
  let changes!: AppStateChanges

  /** Runs after passive mode has ended and, if the network announces its backlog, before that. */
  function replayPeers(take: OwnParts['take']) {
    inbox.replays().then(
      (nodes) => nodes.forEach(take),
      (error) => log.error({ err: error }, "pending messages from the account's own phone could not be processed"),
    )
  }

  openConnection({
    instance,
    creds,
    auth: keepingPairs(appState.state, directory.join),
    makeSignalRepository: leaveOutNobody(createSignalRepository({ keys, locks, creds: () => creds, inbox: inbox.signal })),
    getMessage: async ({ id }) => (id ? sent.get(id) : undefined),
    groupMetadata: (jid) => groupForRelay(session, holders, jid),
    learnTime: shard.clock.learned,
    save: appState.save,
    settled: appState.settled,
    table(connection, own) {
      const { sock } = connection
      const learn: Parameters<typeof createGroupCache>[2] = (pairs) =>
        connection
          .learnPairs(pairs)
          .catch((error) => log.warn({ err: error }, 'the phone numbers of group members could not be saved'))
      groups = createGroupCache(sock, steady, learn, groupStore)
      // Accessors of the connection must not be copied, because a copy would keep the values of this moment.
      const files = {
        host: createFileHost({ of: () => route.files }),
        tempDir: shard.media.tempDir,
        ended: connection.ended,
        log,
      }
      const keyOf = async (id: string) => (await sock.authState.keys.get('app-state-sync-key', [id]))[id]?.keyData ?? undefined
      reader = createAppStateReader({
        sock,
        creds,
        appState,
        keyOf,
        readFile: readFetched({ ...files, retries: FILE_RETRIES }),
        learnPairs: connection.learnPairs,
        async savedPeople() {
          await directory.ready()
          const kept = await deps.contacts.all((error) => log.error({ err: error }, 'a stored contact could not be decoded'))
          return [...kept.map(({ jid, lid }) => ({ pn: isLidUser(jid) ? null : jid, lid })), ...directory.saved()]
        },
        log,
      })
      changes = createAppStateChanges({ instance, store, sock, creds, keyOf, reader, appState, log, steps: shard.steps })
      groups.onLearnt((group) => groupDirectory.learn(group))
      const ask = connection.asking({ deadline: { eachMs: QUERY_DEADLINE }, toFailure: actionFailure })
      const members = takeMembers({ directory, learnPairs: learn, ended: connection.ended })
      const reading = { sock, directory: groupDirectory, stored: groupStore, members, ended: connection.ended, clock, log }
      session = Object.create(connection, {
        ask: { value: ask },
        groups: { value: groups },
        participating: { value: createParticipating(reading) },
        change: { value: changes.change },
        numbers: { value: createNumberLookUp(steady) },
        newsletterRoles: { value: createNewsletterRoles() },
        mediaHosts: { value: createMediaHosts(steady) },
      }) as SocketSession
      appState.attach(sock)
      inbox.attach({
        me: () => creds.me,
        repository: sock.signalRepository,
        applyPeer: (message) => sock.upsertMessage(message, 'append'),
        takeHistory: takeHistory({
          ...files,
          readers: [
            historyPairs(sock, appState.state.keys),
            historyTokens({ keys: sock.authState.keys, lidOf: connection.identity.lidOf }),
            historySalt(async (chatTokenSalt) => {
              keepFacts(creds, { chatTokenSalt })
              appState.save()
              await appState.settled()
            }),
            ...receiving.history,
            historyDirectory(directory),
          ],
        }),
        settled: appState.settled,
        cut: own.cut,
      })
      receiving.attach(session)
      groups.onLearnt(({ id, subject, ephemeralDuration, isCommunityAnnounce, participants }) => {
        const facts = { name: subject, ephemeralSeconds: ephemeralDuration ?? 0, isAnnouncement: isCommunityAnnounce === true }
        directory
          .ready()
          .then(() => {
            directory.group(id, facts)
            return directory.met(participants.map(namesOf))
          })
          .catch((error) => log.warn({ err: error }, 'a group could not be saved'))
      })
      // Some networks announce no backlog; then this runs after the login.
      sock.ev.on('connection.update', ({ connection: state }) => {
        if (state !== 'open') return
        replayPeers(own.take)
        directory.warm().catch((error) => log.warn({ err: error }, 'the list of chats and contacts could not be loaded'))
        reader.loggedIn()
        receiving.loggedIn(session)
        rebuildDirectory({ instance, store, sock, reader, creds, appState })
          .then(changes.recover)
          .catch((error) => log.info({ err: error }, 'app state could not be refreshed'))
        session.participating.catchUp()
      })
      const parts = stanzaParts({
        session,
        own,
        creds,
        appState,
        reader,
        inbox,
        directory,
        receiving,
        replayPeers: () => replayPeers(own.take),
        statuses,
        authorship,
        sent,
        groupDirectory,
        groupStore,
        clock,
        steady,
        log,
        tally: shard.tally,
        steps: shard.steps,
      })
      return stanzaTable(parts)
    },
    isWorthAnother: receiving.isWorthAnother,
    onEnd() {
      inbox.fence()
      deps.onEnd()
    },
    network: shard.network,
    route,
    version,
    mexIds: shard.mexIds,
    restriction,
    stalledAfterMs: shard.stalledAfterMs,
    passkeys: deps.passkeys,
    tally: shard.tally,
    countUnknown: shard.countUnknown,
    clock,
    steady,
    log,
    events,
  })
  return session
}
