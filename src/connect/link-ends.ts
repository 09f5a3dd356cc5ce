/** Ends the links of instances that are connected, and removes links that ended long ago. */
import type { Clock } from '../domain/clock.ts'
import type { InstanceId } from '../domain/ids.ts'
import type { Log } from '../domain/log.ts'
import type { KeyedMutex } from '../lib/keyed-mutex.ts'
import type { BegunPairings } from './begun-pairings.ts'
import { isOldAt, statusAt } from './link-life.ts'
import type { StoredLink } from './records.ts'
import type { StoredLinks } from './stored-links.ts'

export interface LinkEndsDeps {
  links: StoredLinks
  begun: BegunPairings
  /** Runs changes of the links of one instance one after the other. */
  mutex: KeyedMutex
  isConnected(instance: InstanceId): boolean
  clock: Clock
  log: Log
}

export function createLinkEnds({ links, begun, mutex, isConnected, clock, log }: LinkEndsDeps) {
  const isOpen = (link: StoredLink) => statusAt(clock.now(), link) === 'open'
  const isOld = (link: StoredLink) => isOldAt(clock.now(), link)

  function later(instance: string, sentence: string, work: () => Promise<void>) {
    mutex.run(instance, work).catch((err: unknown) => log.error({ err, instance_id: instance }, sentence))
  }

  async function endOpen(instance: string) {
    // Most instances have no link. For these no change is made, because it would wait for earlier changes.
    if (!links.ofInstance(instance).some(isOpen)) return
    let ended: StoredLink[] = []
    await links.change(() => {
      ended = links.ofInstance(instance).filter(isOpen)
      return { written: ended.map((link) => ({ ...link, pairedAt: clock.now() })) }
    })
    for (const { id } of ended) {
      begun.succeeded(id)
      log.info({ link_id: id, instance_id: instance }, 'a connect link ended because its instance is connected')
    }
  }
  const endOpenLater = (instance: string) =>
    later(instance, 'the end of a connect link could not be written', () => endOpen(instance))

  async function sweep() {
    await begun.endAll((id) => {
      const link = links.get(id)
      return link === undefined || !isOpen(link)
    })
    // The instances of these links are connected, but the end of the links could not be written before, so it is
    // written now. Otherwise the links would be open again after a logout.
    for (const { instance } of links.all().filter((link) => isOpen(link) && isConnected(link.instance)))
      await mutex.run(instance, () => endOpen(instance))
    for (const { instance } of links.all().filter(isOld))
      await mutex.run(instance, () => links.change(() => ({ removed: links.ofInstance(instance).filter(isOld) })))
  }

  return { later, endOpenLater, sweep }
}
