/**
 * Connect links. All are kept in memory, and each change is also stored. A link ends when its instance is connected, by
 * its page or in another way; a failed pairing does not end it. An ended link is kept for a while, so that it can be
 * renewed.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { type Clock, MINUTE } from '../domain/clock.ts'
import type { ConnectLink, ConnectLinks } from '../domain/connect-link.ts'
import { Failure } from '../domain/failures.ts'
import type { InstanceId } from '../domain/ids.ts'
import type { RuntimeState } from '../domain/instance.ts'
import type { Log } from '../domain/log.ts'
import type { Engine } from '../engine/engine.ts'
import { createKeyedMutex } from '../lib/keyed-mutex.ts'
import { sha256 } from '../lib/sha256.ts'
import type { StateStore } from '../storage/contract.ts'
import type { MainRecords } from '../storage/main-records/main-records.ts'
import { keys } from '../storage/record-keys.ts'
import type { Sealer } from '../storage/sealer.ts'
import { createBegunPairings } from './begun-pairings.ts'
import { createLinkEnds } from './link-ends.ts'
import { isOldAt, replacedAt, statusAt } from './link-life.ts'
import type { StoredLink } from './records.ts'
import { createStoredLinks } from './stored-links.ts'

/** Interval in ms between two checks for expired links. A pairing may last longer than its link by this time. */
const SWEEP_EVERY = MINUTE
/**
 * Milliseconds for which the page of a link may still ask whether the instance is connected, after the connection has
 * ended the link.
 */
const JUST_USED = 2 * MINUTE
const SECRET_BYTES = 32

export interface ConnectLinksDeps {
  store: Pick<StateStore, 'get'>
  main: Pick<MainRecords, 'load' | 'change'>
  sealer: Sealer
  engine: Pick<Engine, 'onEvent' | 'call'>
  directory: { state(instance: InstanceId): Pick<RuntimeState, 'status'>; onDeleted(listener: (instance: string) => void): void }
  clock: Clock
  log: Log
}

const FIRST = { page: 1, page_size: 1, phone: undefined }
const waitingSentence = (total: number) =>
  `Messages wait in the queue of this instance (${total}), and would be sent from the number that is paired next; remove them first.`

const hashOf = (secret: string) => sha256(secret, 'base64url')
const shown = ({ hash: _, ...link }: StoredLink): ConnectLink => link

export function createConnectLinks({ store, main, sealer, engine, directory, clock, log }: ConnectLinksDeps): ConnectLinks {
  const begun = createBegunPairings(engine, log)
  const links = createStoredLinks({ main, sealer, log, onRemoved: (id) => void begun.end(id) })
  const mutex = createKeyedMutex()

  const statusOf = (link: ConnectLink) => statusAt(clock.now(), link)
  const isOld = (link: StoredLink) => isOldAt(clock.now(), link)

  /**
   * Throws if the instance cannot be paired. The shard thread is asked, because the state in the main thread may be
   * old. The queue must be empty, because its messages would be sent from the account that is linked next.
   */
  async function checkPairable(instance: InstanceId) {
    const { total } = await engine.call(instance, { kind: 'control', operation: 'queue.list', input: FIRST, ifUnpaired: true })
    if (total > 0) throw new Failure('not_allowed', { message: waitingSentence(total) })
    // The account may have been linked after the shard thread answered.
    if (isConnected(instance)) throw new Failure('instance_already_connected')
  }
  const isConnected = (instance: InstanceId) => directory.state(instance).status === 'connected'
  const { later, endOpenLater, sweep } = createLinkEnds({ links, begun, mutex, isConnected, clock, log })

  let timer: NodeJS.Timeout | undefined

  // The event is handled even if no link is open, because a link may be created at this moment.
  engine.onEvent((event) => {
    if (event.type === 'state' && event.state.status === 'connected') endOpenLater(event.instance)
  })
  directory.onDeleted((instance) => {
    begun.deleted(instance)
    later(instance, 'the connect links of a deleted instance could not be removed', async () => {
      if (links.ofInstance(instance).length > 0) await links.change(() => ({ removed: links.ofInstance(instance) }))
    })
  })

  return {
    async load() {
      await links.load(async (link) => !isOld(link) && (await store.get(keys.config(link.instance))) !== undefined)
      for (const { instance } of links.all()) if (isConnected(instance)) endOpenLater(instance)
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
        await links.change(() => ({
          written: [{ ...link, hash: hashOf(secret) }],
          removed: replacedAt(clock.now(), links.ofInstance(instance)),
        }))
        return { link, secret }
      }),

    list: (workspace) =>
      links
        .all()
        .filter((link) => link.workspace === workspace && !isOld(link))
        .reverse()
        .map(shown),

    renew: async (workspace, id, lifeMs) =>
      mutex.run(links.find(workspace, id).instance, async () => {
        await checkPairable(links.find(workspace, id).instance)
        // The link may have been revoked while this change waited for earlier changes.
        const renewed = () => ({ ...links.find(workspace, id), expiresAt: clock.now() + lifeMs, pairedAt: null })
        await links.change(() => ({ written: [renewed()] }))
        return shown(links.find(workspace, id))
      }),

    async revoke(workspace, id) {
      await mutex.run(links.find(workspace, id).instance, () => links.change(() => ({ removed: [links.find(workspace, id)] })))
      await begun.end(id)
    },

    statusOf,
    wasJustUsed: ({ pairedAt }) => pairedAt !== null && clock.now() - pairedAt < JUST_USED,
    begin: begun.begin,

    find(secret) {
      const link = links.withHash(hashOf(secret))
      return link && shown(link)
    },

    async stop() {
      clearInterval(timer)
      await mutex.idle()
    },
  }
}
