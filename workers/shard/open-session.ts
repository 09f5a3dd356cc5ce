import { type AuthenticationCreds, isLidUser } from '@whiskeysockets/baileys'
import { Mutex } from 'async-mutex'
import type { Logger } from 'pino'
import { SECOND } from '../../src/domain/clock.ts'
import { type FetchDeps, readFetched } from '../../src/media/fetched.ts'
import { createFileHost } from '../../src/media/file-host.ts'
import { type AppState, holdAppState } from './app-state/app-state.ts'
import { createAppStateChanges } from './app-state/app-state-changes.ts'
import { createAppStateReader } from './app-state/app-state-reader.ts'
import { rebuildDirectory } from './app-state/rebuild.ts'
import { createNumberLookUp } from './chats/number-look-up.ts'
import type { SavedContacts } from './chats/saved-contacts.ts'
import { type SocketSession, sessionOf } from './chats/session.ts'
import { openConnection } from './connection/connection.ts'
import type { Connection } from './connection/contract.ts'
import { actionFailure } from './connection/failures.ts'
import { keepingPairs, type LidPair } from './connection/identity.ts'
import type { Opening } from './connection/link.ts'
import { createMediaHosts } from './connection/media-hosts.ts'
import type { PasskeyPairing } from './connection/pairing/passkey-pairing.ts'
import { QUERY_DEADLINE } from './connection/within.ts'
import type { Context } from './context/instance-context.ts'
import type { AccountDirectory } from './directory/account-directory.ts'
import { createNewsletterRoles } from './directory/newsletter-roles.ts'
import type { GroupBook } from './groups/group-book.ts'
import type { AuthState } from './keys/auth-state.ts'
import { createKeyHolders } from './keys/key-holders.ts'
import type { KeyStore } from './keys/key-store.ts'
import { keepFacts } from './keys/own-facts.ts'
import type { AddressLocks } from './keys/signal/address/address-locks.ts'
import { createSignalRepository } from './keys/signal/signal-repository.ts'
import type { MessageLedger } from './messages/message-ledger.ts'
import { endReason } from './network/end-reason.ts'
import type { MessageStatuses } from './receipts/message-statuses.ts'
import { historyDirectory } from './receive/effects/directory.ts'
import { takeHistory } from './receive/effects/history.ts'
import { historyPairs } from './receive/effects/lid-pairs.ts'
import { storePeerKeys } from './receive/effects/peer-keys.ts'
import { historySalt, historyTokens } from './receive/effects/privacy-tokens.ts'
import type { Receiving } from './receive/receiving.ts'
import type { ShardDeps } from './shard-deps.ts'
import { stanzaParts } from './stanzas/stanza-parts.ts'
import { stanzaTable } from './stanzas/stanza-table.ts'

export interface SessionDeps {
  shard: Pick<ShardDeps, 'clock' | 'network' | 'media' | 'mexIds' | 'stalledAfterMs' | 'countUnknown' | 'isHeld'>
  auth: AuthState
  keys: KeyStore
  locks: AddressLocks
  statuses: MessageStatuses
  messages: Pick<MessageLedger, 'isOwn' | 'sent'>
  receiving: Receiving
  passkeys: PasskeyPairing
  contacts: Pick<SavedContacts, 'all'>
  directory: AccountDirectory
  groups: GroupBook
  onHistory(): void
  onEnd(): void
}

/** The library also writes to this logger, so it is a complete logger of pino. */
type SessionContext = Context<'id' | 'store' | 'clock' | 'steady' | 'tally' | 'steps' | 'working'> & { log: Logger }

/**
 * Delays in ms between attempts to download a file of app state. Other changes of app state wait during these delays.
 */
const FILE_RETRIES = [2 * SECOND, 10 * SECOND]

export function openSession(context: SessionContext, deps: SessionDeps, opening: Opening): SocketSession {
  const { id: instance, clock, steady, log, tally, steps } = context
  const { shard, keys, locks, messages, statuses, receiving, directory } = deps
  const { creds, route } = opening
  const inbox = receiving.session()
  const appState = heldAppState(context, deps, creds)
  const auth = keepingPairs(appState.state, directory.join)
  const holders = createKeyHolders(keys, auth.keys)
  const { connection, own, serve } = openConnection({
    instance,
    ...opening,
    auth,
    makeSignalRepository: createSignalRepository({ keys, locks, creds: () => creds }),
    holders,
    learnTime: shard.clock.learned,
    save: appState.save,
    settled: appState.settled,
    confirmOwner: context.store.confirm,
    isHeld: shard.isHeld,
    isWorthAnother: receiving.isWorthAnother,
    onEnd() {
      inbox.fence()
      deps.onEnd()
    },
    onFrame: context.working,
    network: shard.network,
    mexIds: shard.mexIds,
    stalledAfterMs: shard.stalledAfterMs,
    passkeys: deps.passkeys,
    tally,
    countUnknown: shard.countUnknown,
    clock,
    steady,
    log,
  })
  const { sock, ended } = connection
  const learnPairs = (pairs: LidPair[]) =>
    connection
      .learnPairs(pairs)
      .catch((error) => log.warn({ err: error }, 'the phone numbers of group members could not be saved'))
  const files = { host: createFileHost({ of: () => route.files }), tempDir: shard.media.tempDir, ended, log }
  const { reader, changes, changing } = openAppState(context, deps, { creds, appState, connection, files })
  const session = sessionOf(connection, {
    ask: connection.asking({ deadline: { eachMs: QUERY_DEADLINE }, toFailure: actionFailure }),
    groups: deps.groups.open({ sock, isMe: connection.identity.isMe, learnPairs, ended }),
    change: changes.change,
    numbers: createNumberLookUp(steady),
    newsletterRoles: createNewsletterRoles(),
    mediaHosts: createMediaHosts(steady),
  })
  appState.attach(sock, (error) => {
    // The session cannot continue with credentials that are not on disk: the next start would lose the pairing.
    log.error({ err: error }, 'credentials and app state could not be saved')
    sock
      .end(endReason('credentials could not be saved', 500), 'abrupt')
      .catch((error: unknown) =>
        log.info({ err: error }, 'the socket could not be closed after the credentials could not be saved'),
      )
  })
  inbox.attach({
    me: () => creds.me,
    repository: sock.signalRepository,
    storePeerKeys: storePeerKeys({ sock, keys: auth.keys }),
    takeHistory: takeHistory({ ...files, readers: historyReaders(deps, { creds, appState, connection }) }),
    settled: appState.settled,
    cut: own.cut,
  })
  receiving.attach(session)

  function replayPeers() {
    inbox.replays().then(
      (nodes) => nodes.forEach(own.take),
      (error) => log.error({ err: error }, "pending messages from the account's own phone could not be processed"),
    )
  }

  sock.ev.on('connection.update', ({ connection: state }) => {
    if (state !== 'open') return
    // Some networks announce no backlog, so the stored peer messages are processed here, after the login.
    replayPeers()
    directory.warm().catch((error) => log.warn({ err: error }, 'the list of chats and contacts could not be loaded'))
    reader.loggedIn()
    receiving.loggedIn(session)
    rebuildDirectory(context, { changing, reader, creds, appState })
      .then(changes.recover)
      .catch((error) => log.info({ err: error }, 'app state could not be refreshed'))
    session.groups.catchUp()
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
    replayPeers,
    statuses,
    messages,
    holders,
    clock,
    steady,
    log,
    tally,
    steps,
  })
  serve(stanzaTable(parts))
  return session
}

const heldAppState = ({ steps }: SessionContext, { auth, keys, directory, receiving }: SessionDeps, creds: AuthenticationCreds) =>
  holdAppState({
    auth,
    keys,
    creds,
    async write(changes) {
      // The directory is written before the version of this app state. After a kill between the two writes, the
      // changes are read again, with the same result.
      if (changes.actions.length > 0) await directory.ready().then(() => directory.apply(changes.actions))
      return receiving.appState(changes)
    },
    steps,
  })

interface Held {
  creds: AuthenticationCreds
  appState: AppState
  connection: Connection
}

function openAppState(
  context: SessionContext,
  { directory, contacts }: SessionDeps,
  { creds, appState, connection, files }: Held & { files: Omit<FetchDeps, 'retries'> },
) {
  const { sock, learnPairs } = connection
  const { log } = context
  const keyOf = async (id: string) => (await sock.authState.keys.get('app-state-sync-key', [id]))[id]?.keyData ?? undefined
  const reader = createAppStateReader({
    sock,
    creds,
    appState,
    keyOf,
    readFile: readFetched({ ...files, retries: FILE_RETRIES }),
    learnPairs,
    async savedPeople() {
      await directory.ready()
      const kept = await contacts.all((error) => log.error({ err: error }, 'a stored contact could not be decoded'))
      return [...kept.map(({ jid, lid }) => ({ pn: isLidUser(jid) ? null : jid, lid })), ...directory.saved()]
    },
    log,
  })
  const changing = new Mutex()
  const changes = createAppStateChanges(context, { sock, changing, creds, keyOf, reader, appState })
  return { reader, changes, changing }
}

function historyReaders(
  { receiving, directory, onHistory }: SessionDeps,
  { creds, appState, connection: { sock, identity, tokens } }: Held,
) {
  return [
    historyPairs(sock, appState.state.keys),
    historyTokens(tokens, identity),
    historySalt(async (chatTokenSalt) => {
      keepFacts(creds, { chatTokenSalt })
      appState.save()
      await appState.settled()
    }),
    ...receiving.history,
    historyDirectory(directory, onHistory),
  ]
}
