/**
 * Receives messages without loss: one commit stores the changed keys, the finished event and the fact that the message
 * was seen. Only then is the stanza confirmed, so after a kill it is delivered again or its event is stored.
 */
import type { ReceivedEvent } from '../../../../src/features/webhook-payloads.ts'
import type { ChainedStore } from '../../../../src/storage/commit-chain.ts'
import type { Op } from '../../../../src/storage/contract.ts'
import type { Sealer } from '../../../../src/storage/sealer.ts'
import type { Mark } from '../../messages/seen-marks.ts'
import { createInboxSession, type InboxSession, type InboxSessionDeps } from './inbox-session.ts'
import { createJournal } from './journal.ts'
import { createTries, type Once } from './tries.ts'

export interface InboxDeps extends Omit<InboxSessionDeps, 'journal' | 'tries' | 'rotateMarks' | 'chain' | 'before'> {
  instance: string
  store: ChainedStore
  sealer: Sealer
}

/** The inbox of an instance outlives its sockets. Each socket gets a session, which is closed when the socket ends. */
export interface InstanceInbox {
  load(): Promise<void>
  forget(): Promise<void>
  session(): InboxSession
  /** Rejects if the commit failed; the network then delivers the stanza again. */
  once: Once
}

export function createInbox(deps: InboxDeps): InstanceInbox {
  const { instance, store, sealer, clock, outbox, log, marks } = deps
  const journal = createJournal({ instance, store, sealer, clock, log })
  const tries = createTries()

  const rotateMarks = () =>
    marks.rotate().catch((error) => log.warn({ err: error }, 'old records of processed messages could not be removed'))

  /** The running commit of events for each mark, because the network can send a stanza twice in a row. */
  const appending = new Map<Mark, Promise<void>>()

  async function appendOnce(all: readonly Mark[], make: () => Promise<readonly ReceivedEvent[]>, more: readonly Op[]) {
    const appended = all.some(marks.has) ? [] : (await make()).map((event) => outbox.append(event))
    const hasEvents = appended.length > 0
    if (!hasEvents && more.length === 0) return
    await store.commit({ ops: [...(hasEvents ? marks.ops(all) : []), ...more, ...appended.flatMap(({ ops }) => ops)] })
    if (!hasEvents) return
    marks.applied(all)
    for (const { eventId } of appended) outbox.committed(eventId)
    await rotateMarks()
  }

  let chain = store.chain()
  const settled = () => chain.settled().catch(() => {})

  return {
    session() {
      // The old chain is closed, so that its running commits do not mix with those of the next socket.
      chain.close()
      const before = settled()
      chain = store.chain()
      return createInboxSession({ ...deps, journal, tries, rotateMarks, chain, before })
    },
    async once(mark, make, more = [], others = []) {
      const all = [mark, ...others]
      const before = appending.get(mark)
      const running = before ? before.then(() => appendOnce(all, make, more)) : appendOnce(all, make, more)
      appending.set(mark, running)
      try {
        await running
      } finally {
        if (appending.get(mark) === running) appending.delete(mark)
      }
    },
    load: journal.load,
    async forget() {
      await settled()
      await journal.forget()
      await marks.forget()
    },
  }
}
