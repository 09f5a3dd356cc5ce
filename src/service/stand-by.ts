/**
 * Waits, as a standby (`SVC_STANDBY`), until no other service uses the store. It checks the store and the converter
 * first, and its code during the wait, because a fault would otherwise be noticed only at the takeover.
 */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '../config.ts'
import { SECOND, steadyClock } from '../domain/clock.ts'
import type { Programs } from '../engine/programs.ts'
import type { Logger } from '../log.ts'
import type { Tally } from '../metrics/tally.ts'
import type { PeerLink } from '../peer/peer-link.ts'
import type { Listening } from '../serve.ts'
import type { Starting } from '../starting.ts'
import { LONGEST_GAP } from '../storage/drivers/postgres/owner/node-watch.ts'
import { markOf } from '../storage/drivers/postgres/owner/standbys.ts'
import { checkSecretKey } from '../storage/key-ring.ts'
import { refuseMarked } from '../storage/moving/marks.ts'
import { openStore } from '../storage/open-store.ts'
import { keys } from '../storage/record-keys.ts'
import { loadSecretKey } from '../storage/secret-key.ts'
import type { Backend, OwnNode, Turn } from '../storage/store-backend.ts'
import { refuseConverter } from './converter.ts'
import { otherFolder } from './shared-folders.ts'
import { createStandbyMetrics } from './standby-metrics.ts'
import type { WarmParts } from './warm-up.ts'
import { watchAddress } from './watch-address.ts'

export interface StandbyDeps {
  log: Logger
  backend: Backend
  node: OwnNode
  starting: Starting
  server: Pick<Listening, 'explain' | 'forwardWith' | 'metricsWith'>
  tally: Tally
  searching: Promise<Programs | null>
  warm?: Pick<WarmParts, 'loaded'> | undefined
  /** Undefined if this service passes no requests on. */
  link?:
    | Pick<PeerLink, 'setActive' | 'setUnreachable' | 'endForwarding' | 'readiness' | 'closeConnections' | 'finish'>
    | undefined
  whileStandby?: WhileStandby | undefined
}

/**
 * Called when this process begins to wait. `leave` ends the wait. Returns a function that `standBy` calls when the wait
 * has ended.
 */
export type WhileStandby = (leave: () => void) => () => void

/** Thrown when the standby was told to stop. Nothing has failed then. */
export class StandbyStopped extends Error {}

/**
 * Number of checks in a row that must find a different folder before the standby ends. One check is not enough, because
 * an owner that has just started has not marked its folders yet.
 */
const LOOKS = 12

/**
 * Milliseconds for which a stopping standby that was ready still passes requests on, until its load balancer has
 * noticed that it is no longer ready. This takes at most `NOTICED_SHARE` of the time for the stop.
 */
const NOTICED_AFTER = 6 * SECOND
const NOTICED_SHARE = 0.6
/**
 * Milliseconds that requests under way get to finish when a takeover fails. It is short, because the process ends, and
 * can be started again, only after this time.
 */
const LAST_ANSWERS = SECOND

/**
 * Resolves with the right to be the next owner of the store; undefined if this process does not wait. Rejects with
 * `StandbyStopped` if the function `leave` of `WhileStandby` ended the wait.
 */
export async function standBy(config: Config, deps: StandbyDeps): Promise<Turn | undefined> {
  const { backend, searching, server, tally, warm, whileStandby } = deps
  // Only a store in PostgreSQL has `waitForTurn`, because services on other machines can use no other store.
  if (!config.isStandby || backend.waitForTurn === undefined) return undefined
  refuseConverter(await searching, config)
  await checkStore(config)
  server.metricsWith(createStandbyMetrics(config, tally))
  const ending = new AbortController()
  let isReady = warm === undefined
  warm?.loaded.then(
    () => {
      isReady = true
    },
    (error: unknown) => ending.abort(error),
  )
  let leaving: Promise<void> | undefined
  const onEnd = whileStandby?.(() => {
    leaving ??= finishForwarding(config, deps)
    ending.abort(new StandbyStopped())
  })
  try {
    return await waitForTurn(config, deps, { waitForTurn: backend.waitForTurn, ending, isReady: () => isReady })
  } catch (error) {
    leaving ??= ending.signal.aborted ? finishForwarding(config, deps) : refuseForwarding(deps, LAST_ANSWERS)
    await leaving
    throw error
  } finally {
    onEnd?.()
  }
}

async function finishForwarding({ shutdownMs }: Config, { server, starting, link }: StandbyDeps): Promise<void> {
  // No load balancer sends requests to a standby that is not ready.
  const isReady = starting.waiting().reason === 'standby' && (link?.readiness()?.isReady ?? false)
  const noticedMs = isReady ? Math.min(NOTICED_AFTER, shutdownMs * NOTICED_SHARE) : 0
  // The active service may ask whether this standby can take over, which from now on it cannot.
  server.explain(() => ({ ...starting.waiting(), sentence: 'The service is stopping.', reason: 'stopping' }))
  link?.closeConnections()
  await pause(noticedMs)
  await refuseForwarding({ server, link }, shutdownMs - noticedMs)
}

/** Refuses new requests, and gives the requests that are under way `ms` to finish. */
async function refuseForwarding({ server, link }: Pick<StandbyDeps, 'server' | 'link'>, ms: number): Promise<void> {
  server.forwardWith(undefined)
  await link?.finish(ms)
}

async function waitForTurn(
  config: Config,
  { log, node, starting, link }: StandbyDeps,
  {
    waitForTurn,
    ending,
    isReady,
  }: { waitForTurn: NonNullable<Backend['waitForTurn']>; ending: AbortController; isReady(): boolean },
): Promise<Turn> {
  let shown: string | undefined
  let seenAt = Number.NEGATIVE_INFINITY
  /**
   * Returns why this process does not serve yet: it waits as a standby, or it does not reach the database. An active
   * service that does not reach the database asks for this, so the answer must be true at the moment of the request.
   */
  const reason = () => (steadyClock.now() - seenAt <= LONGEST_GAP ? 'standby' : 'database')
  /**
   * Mark of the active service. The answer of `/health/ready` contains it, so that another active service does not
   * count this standby as its own.
   */
  let active: string | undefined
  function show(what: string, write: () => void) {
    if (shown === what) return
    shown = what
    starting.at(what, { isSaidElsewhere: true, reason, active: () => active })
    write()
  }
  let others = 0
  let isChecking = false
  async function checkFolders(owner: string, name: string) {
    if (isChecking) return
    isChecking = true
    const sentence = await otherFolder(config, owner, name).finally(() => {
      isChecking = false
    })
    others = sentence === undefined ? 0 : others + 1
    if (others >= LOOKS) ending.abort(new Error(sentence))
  }
  const noteAddress = watchAddress(log, link)
  const turn = await waitForTurn({
    threads: threadsOf(config),
    node,
    signal: ending.signal,
    isReady,
    onWaiting({ id, name = 'another machine', linkAddress }) {
      seenAt = steadyClock.now()
      // The active service is stopping: it has removed its row, and will release its lock in a moment.
      if (id === undefined && active !== undefined) return
      if (id !== undefined) active = markOf(id)
      if (id !== undefined) noteAddress(id, linkAddress)
      show(`the service on ${name}, whose standby it is`, () =>
        log.info({ active: name }, 'another service uses the store; this service is its standby'),
      )
      if (id !== undefined) void checkFolders(id, name)
    },
    onUnlisted: (cause) =>
      log.warn(
        { err: cause },
        'the database refuses the entry of this standby; the standby is missing in the list of services, but it can take over',
      ),
    // A standby that takes over reaches the database. If it reported the opposite, an active service that was only
    // paused would keep its sessions.
    onTaking() {
      seenAt = Number.POSITIVE_INFINITY
      link?.setActive(undefined)
    },
    // The error is only logged and not shown, because it may contain an address.
    onFailed(cause) {
      seenAt = Number.NEGATIVE_INFINITY
      show('the database, which its standby cannot ask', () =>
        log.warn({ err: cause }, 'the standby cannot ask the database who uses the store; it tries again'),
      )
    },
    onDead: (name) => log.warn({ former: name }, 'the service that used the store no longer runs; its standby takes over'),
  })
  link?.endForwarding()
  starting.at('the store')
  return turn
}

/** Throws if this service could not use the store: it was moved, or has another secret key. */
async function checkStore({ storeUrl, dataDir, ...config }: Config): Promise<void> {
  const store = await openStore(storeUrl, { isReader: true, keysDir: config.keysDir ?? undefined })
  try {
    await refuseMarked(store)
    const secretKey = config.secretKey ?? undefined
    const key = await loadSecretKey({ secretKey, file: join(dataDir, 'secret-key'), store, isGivenOnly: true })
    // A store without this record has no data yet, and the first service that starts on it creates its keys.
    if ((await store.get(keys.keyRing)) !== undefined) await checkSecretKey(store, key)
  } finally {
    await store.close()
  }
}

/**
 * Number of threads that write to the store: the shard threads, the main thread, and the thread that writes the data of
 * imports.
 */
export const threadsOf = ({ shards }: Pick<Config, 'shards'>): number => shards + 2
