/**
 * Connect links, which are all kept in memory; each change is also written to the store, and changes of one instance run one after the other. A link
 * ends when its instance is connected, by the page of the link or in another way. A pairing that fails does not end the link. An ended link is kept
 * for a while, so that it can be renewed.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { type Clock, DAY, MINUTE } from '../domain/clock.ts'
import { type ConnectLink, type ConnectLinks, MAX_LINKS } from '../domain/connect-link.ts'
import { Failure } from '../domain/failures.ts'
import type { InstanceId, WorkspaceId } from '../domain/ids.ts'
import type { RuntimeState } from '../domain/instance.ts'
import type { Log } from '../domain/log.ts'
import type { Engine } from '../engine/engine.ts'
import { createKeyedMutex } from '../lib/keyed-mutex.ts'
import { sha256 } from '../lib/sha256.ts'
import type { StateStore } from '../storage/contract.ts'
import { keys } from '../storage/record-keys.ts'
import type { Sealer } from '../storage/sealer.ts'
import { linkRecords, type StoredLink } from './records.ts'

/** Time for which a link is kept after its end. */
const KEPT = 7 * DAY
/** Interval of the sweeps, in ms: a pairing lasts at most this much longer than its link. */
const SWEEP_EVERY = MINUTE
/** Time for which the page that paired the instance can still ask whether it is connected. */
const JUST_USED = 2 * MINUTE
/** Number of random bytes of a secret: 256 bits cannot be guessed. */
const SECRET_BYTES = 32

export interface ConnectLinksDeps {
  store: Pick<StateStore, 'commit' | 'range' | 'get'>
  sealer: Sealer
  engine: Pick<Engine, 'onEvent' | 'call'>
  directory: { state(instance: InstanceId): Pick<RuntimeState, 'status'>; onDeleted(listener: (instance: string) => void): void }
  clock: Clock
  log: Log
}

/** Smallest page of the queue, because only the number of its messages is needed. */
const FIRST = { page: 1, page_size: 1, phone: undefined }
const waitingSentence = (total: number) =>
  `Messages wait in the queue of this instance (${total}), and would be sent from the number that is paired next; remove them first.`

const hashOf = (secret: string) => sha256(secret, 'base64url')
/** Returns the link without the hash of its secret, for other modules. */
const shown = ({ hash: _, ...link }: StoredLink): ConnectLink => link

export function createConnectLinks({ store, sealer, engine, directory, clock, log }: ConnectLinksDeps): ConnectLinks {
  const records = linkRecords(sealer)
  /** Links by id, in the order of creation. */
  const links = new Map<string, StoredLink>()
  const byHash = new Map<string, string>()
  /** Instances by the id of the link with which their pairing was begun. Only in memory, because every pairing ends with the process. */
  const begun = new Map<string, InstanceId>()
  const mutex = createKeyedMutex()

  const hold = (link: StoredLink) => {
    links.set(link.id, link)
    byHash.set(link.hash, link.id)
  }
  const forget = ({ id, hash }: StoredLink) => {
    links.delete(id)
    byHash.delete(hash)
  }
  const ofInstance = (instance: string) => [...links.values()].filter((link) => link.instance === instance)
  const endOf = ({ pairedAt, expiresAt }: StoredLink) => Math.min(pairedAt ?? expiresAt, expiresAt)
  const isOpen = (link: ConnectLink) => statusOf(link) === 'open'

  function statusOf({ pairedAt, expiresAt }: ConnectLink) {
    if (pairedAt !== null) return 'paired'
    return expiresAt > clock.now() ? 'open' : 'expired'
  }

  const isOld = (link: StoredLink) => endOf(link) + KEPT <= clock.now()

  async function change({ written = [], removed = [] }: { written?: readonly StoredLink[]; removed?: readonly StoredLink[] }) {
    if (written.length + removed.length === 0) return
    const removals = removed.map(({ id }) => records.remove(keys.connectLink(id)))
    await store.commit({ ops: [...written.map((link) => records.encode(keys.connectLink(link.id), link)), ...removals] })
    removed.forEach(forget)
    written.forEach(hold)
  }

  function find(workspace: WorkspaceId, id: string): StoredLink {
    const link = links.get(id)
    if (link?.workspace !== workspace) throw new Failure('not_found', { message: 'No connect link has this id.' })
    return link
  }

  /**
   * The shard is asked, because the main thread does not know the current state of an instance whose shard has not
   * started yet. The queue must be empty, because its messages were written for the account that was linked before, and
   * would be sent from the number that is paired next.
   */
  async function checkPairable(instance: InstanceId) {
    const { total } = await engine.call(instance, { kind: 'control', operation: 'queue.list', input: FIRST, ifUnpaired: true })
    if (total > 0) throw new Failure('not_allowed', { message: waitingSentence(total) })
    // The account may have been linked since the shard answered. Later changes wait until this one has ended.
    if (isConnected(instance)) throw new Failure('instance_already_connected')
  }
  const isConnected = (instance: InstanceId) => directory.state(instance).status === 'connected'

  /**
   * Returns the links of the instance to remove when a new link is created: those that ended long ago, and if there are still too many, the one that
   * ended first.
   */
  function forRoom(instance: InstanceId): StoredLink[] {
    const own = ofInstance(instance)
    const old = own.filter(isOld)
    if (own.length - old.length < MAX_LINKS) return old
    const [ended] = own.filter((link) => !isOpen(link) && !old.includes(link)).sort((one, other) => endOf(one) - endOf(other))
    if (ended === undefined)
      throw new Failure('not_allowed', { message: `The instance has ${MAX_LINKS} open connect links; revoke one first.` })
    return [...old, ended]
  }

  /** Runs work for which no caller waits; a failure is logged. */
  function later(instance: string, sentence: string, work: () => Promise<void>) {
    mutex.run(instance, work).catch((err: unknown) => log.error({ err, instance_id: instance }, sentence))
  }

  /** Ends the open links of an instance, because the instance is connected. */
  async function endOpen(instance: string) {
    const ended = ofInstance(instance).filter(isOpen)
    await change({ written: ended.map((link) => ({ ...link, pairedAt: clock.now() })) })
    for (const { id } of ended) {
      begun.delete(id)
      log.info({ link_id: id, instance_id: instance }, 'a connect link ended because its instance is connected')
    }
  }
  const endOpenLater = (instance: string) =>
    later(instance, 'the end of a connect link could not be written', () => endOpen(instance))

  /**
   * Ends the pairing that was begun with an ended link, so that its codes can no longer link an account. A pairing that has already succeeded is not
   * changed.
   */
  async function endPairing(id: string) {
    const instance = begun.get(id)
    if (instance === undefined) return
    begun.delete(id)
    try {
      await engine.call(instance, { kind: 'control', operation: 'instance.endPairing', input: {}, ifUnpaired: true })
    } catch (err) {
      if (err instanceof Failure && err.code === 'instance_already_connected') return
      // Keep the entry, so that the next sweep tries again.
      begun.set(id, instance)
      log.warn({ err, link_id: id, instance_id: instance }, 'the pairing of an ended connect link could not be ended')
    }
  }

  async function sweep() {
    const isOver = (id: string) => !links.has(id) || !isOpen(links.get(id)!)
    await Promise.all([...begun.keys()].filter(isOver).map(endPairing))
    // Ends links of connected instances whose end could not be written before. Such a link would otherwise be open again after a logout.
    for (const { instance } of [...links.values()].filter((link) => isOpen(link) && isConnected(link.instance)))
      await mutex.run(instance, () => endOpen(instance))
    for (const { instance } of [...links.values()].filter(isOld))
      await mutex.run(instance, () => change({ removed: ofInstance(instance).filter(isOld) }))
  }
  let timer: NodeJS.Timeout | undefined

  // This also runs if no link is open, because a link may be in creation, and its creation runs first.
  engine.onEvent((event) => {
    if (event.type === 'state' && event.state.status === 'connected') endOpenLater(event.instance)
  })
  directory.onDeleted((instance) => {
    for (const [id, of] of begun) if (of === instance) begun.delete(id)
    later(instance, 'the connect links of a deleted instance could not be removed', () =>
      change({ removed: ofInstance(instance) }),
    )
  })

  return {
    async load() {
      const found: StoredLink[] = []
      const onUnreadable = (err: unknown) => log.error({ err }, 'a stored connect link could not be read, so nobody can use it')
      for await (const { value } of records.list(store, keys.connectLinks, { onUnreadable })) found.push(value)
      const removed: StoredLink[] = []
      for (const link of found.sort((one, other) => one.createdAt - other.createdAt)) {
        if (isOld(link) || (await store.get(keys.config(link.instance))) === undefined) removed.push(link)
        else hold(link)
      }
      await change({ removed })
      for (const { instance } of links.values()) if (isConnected(instance)) endOpenLater(instance)
      timer = setInterval(() => {
        sweep().catch((err: unknown) => log.error({ err }, 'connect links that have ended could not be removed'))
      }, SWEEP_EVERY).unref()
    },
    sweep,

    create: (workspace, instance, { lifeMs, ...wish }) =>
      mutex.run(instance, async () => {
        await checkPairable(instance)
        const secret = randomBytes(SECRET_BYTES).toString('base64url')
        const now = clock.now()
        const link = { ...wish, id: randomUUID(), workspace, instance, createdAt: now, expiresAt: now + lifeMs, pairedAt: null }
        await change({ written: [{ ...link, hash: hashOf(secret) }], removed: forRoom(instance) })
        return { link, secret }
      }),

    list: (workspace) =>
      [...links.values()]
        .filter((link) => link.workspace === workspace && !isOld(link))
        .reverse()
        .map(shown),

    renew: async (workspace, id, lifeMs) =>
      mutex.run(find(workspace, id).instance, async () => {
        await checkPairable(find(workspace, id).instance)
        // The link may have been revoked, or removed with its instance, while this change waited for earlier changes.
        const renewed = { ...find(workspace, id), expiresAt: clock.now() + lifeMs, pairedAt: null }
        await change({ written: [renewed] })
        return shown(renewed)
      }),

    async revoke(workspace, id) {
      await mutex.run(find(workspace, id).instance, () => change({ removed: [find(workspace, id)] }))
      await endPairing(id)
    },

    statusOf,
    wasJustUsed: ({ pairedAt }) => pairedAt !== null && clock.now() - pairedAt < JUST_USED,
    begin: ({ id, instance }) => void begun.set(id, instance),

    find(secret) {
      const link = links.get(byHash.get(hashOf(secret)) ?? '')
      return link && shown(link)
    },

    async stop() {
      clearInterval(timer)
      await mutex.idle()
    },
  }
}
