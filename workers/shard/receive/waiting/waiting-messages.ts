/**
 * Keeps records of received messages that cannot be decrypted yet. If the sender does not send a message again in time,
 * it is reported as `waiting_message`, or as `unsupported` if `add` got a type (`protoType`). Nothing is reported if
 * apps would show nothing for the message. The record is written before the network gets an answer, so that a crash
 * loses no report.
 */
import type { BinaryNode, WAMessageKey } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { type Clock, DAY, SECOND } from '../../../../src/domain/clock.ts'
import { createKeyedMutex } from '../../../../src/lib/keyed-mutex.ts'
import type { Op, StateStore } from '../../../../src/storage/contract.ts'
import { createRetention } from '../../../../src/storage/retention.ts'
import type { Sealer } from '../../../../src/storage/sealer.ts'
import { type Mark, messageMarks } from '../../messages/seen-marks.ts'
import type { Outbox } from '../../webhooks/outbox.ts'
import { isEvent, type Reported, type Unreported } from '../unreported.ts'
import { createPacedReports } from './paced-reports.ts'
import { createWaitingEntries, type WaitingEntries, type WaitingEntry } from './waiting-entries.ts'
import { type WaitingMessage, waitingMessage } from './waiting-message.ts'
import { waitingRecords } from './waiting-records.ts'

/** Time in ms in which the sender can send the message again before it is reported. */
const RETRY_TIME = 10 * SECOND
const MAX_AGE = DAY
/**
 * Number of records above which an old one is removed for each new one. A message that arrives after its record was
 * removed is handled like a new one.
 */
const MAX_RECORDS = 2_000

interface Entry extends WaitingEntry {
  isArriving?: boolean
}

export interface WaitingDeps {
  instance: string
  store: StateStore
  sealer: Sealer
  clock: Clock
  log: Logger
  outbox: Pick<Outbox, 'append' | 'committed'>
  event(message: WaitingMessage): Promise<Reported | 'later'>
  unreported(reason: Unreported): void
  alongside?: (message: Pick<WaitingMessage, 'key' | 'timestamp'>) => Promise<readonly Op[]>
  maxRecords?: number
}

export interface Unreadable {
  /** Type that the event `unsupported` names; without it the message is reported as `waiting_message`. */
  protoType: string
  isFinal: boolean
}

export interface WaitingMessages {
  load(): Promise<void>
  add(key: WAMessageKey, node: BinaryNode, how?: Unreadable): Promise<void>
  has(key: WAMessageKey): boolean
  known: WaitingEntries<WaitingEntry>['known']
  /**
   * Returns the operations that remove the record of a message, for the commit of the message itself, which is readable
   * now. Call `applied` after the commit.
   */
  arrived(key: WAMessageKey): { ops: Op[]; applied(): void }
  /** Removes all records. Messages that were not reported are reported first. */
  forget(): Promise<void>
  stop(): Promise<void>
}

const isOld = ({ isTold, at }: WaitingMessage, now: number) => isTold && now - at > MAX_AGE

export function createWaitingMessages(deps: WaitingDeps): WaitingMessages {
  const { instance, store, sealer, clock, log, outbox, event, unreported, alongside, maxRecords = MAX_RECORDS } = deps
  const records = waitingRecords({ instance, store, sealer, log })
  const entries = createWaitingEntries<Entry>()
  /** Runs the work on records in sequence, so that the record of a message is written before its event. */
  const jobs = createKeyedMutex()
  const next = (job: () => Promise<void>) => jobs.run(instance, job)
  let isStopped = false

  const complain = (error: unknown) =>
    log.error({ err: error }, 'a message that could not be decrypted could not be kept for a later attempt')
  const enqueue = (job: () => Promise<void>) => void next(job).catch(complain)

  const reports = createPacedReports<Mark>((mark) => {
    if (entries.get(mark)?.record.isTold === false) enqueue(() => appendEvent(mark))
  })
  const retention = createRetention(log)
  retention.covers(() => next(dropOld), 'old waiting messages could not be removed')

  function letGo(mark: Mark) {
    reports.drop(mark)
    entries.remove(mark)
  }

  /**
   * Reports a message that did not arrive in time. `isLast` means that nothing more can arrive, so the event cannot be
   * created later.
   */
  async function appendEvent(mark: Mark, isLast = false) {
    const found = entries.get(mark)
    if (!found || found.record.isTold || isStopped) return
    const made = found.record.isHidden ? 'hidden' : await event(found.record)
    // The readable message arrived while this event was being created, so this event is dropped.
    if (entries.get(mark) !== found) return
    if (made === 'later') return reports.in(mark, RETRY_TIME)
    if (found.isArriving && !isLast) {
      // If the commit of the readable message fails, the message is delivered again, so the entry is kept.
      found.isArriving = false
      return reports.in(mark, RETRY_TIME)
    }
    const record = { ...found.record, isTold: true }
    // The entry is set before the commit. If the readable message arrives during the commit, it finds the entry, and
    // its event is written after this one.
    entries.set(mark, { record })
    const appended = isEvent(made) ? outbox.append(made) : null
    try {
      await store.commit({ ops: [records.put(mark, record), ...(appended?.ops ?? [])] })
    } catch (error) {
      if (entries.has(mark)) entries.set(mark, found)
      reports.in(mark, RETRY_TIME)
      throw error
    }
    if (appended) outbox.committed(appended.eventId)
    if (!isEvent(made)) unreported(made)
  }

  const drop = (marks: readonly Mark[]) => records.removeAll(marks, letGo)
  const dropOld = () => drop(entries.all().flatMap(([mark, { record }]) => (isOld(record, clock.now()) ? [mark] : [])))

  /** Evicts one record if there are too many. If it was not reported yet, it is reported first. */
  async function makeRoom() {
    const mark = entries.oldest()
    if (mark === undefined || entries.size() <= maxRecords) return
    await appendEvent(mark)
    if (entries.get(mark)?.record.isTold) await drop([mark])
  }

  return {
    async load() {
      for await (const [mark, record] of records.all()) {
        entries.set(mark, { record })
        // The whole delay begins again at a start, because the sender can only now send the message again.
        if (!record.isTold) reports.in(mark, RETRY_TIME)
      }
      retention.start()
      await retention.idle()
    },
    has: (key) => entries.find(key) !== undefined,
    async add(key, node, how) {
      const [mark] = messageMarks(key)
      if (!mark || !key.id || !key.remoteJid) return unreported('malformed')
      if (entries.find(key)) return unreported('again')
      const record = waitingMessage({ ...key, id: key.id, remoteJid: key.remoteJid }, node, how?.protoType, clock.now())
      entries.set(mark, { record })
      // Nobody sends a view-once message or a final one again, so there is nothing to wait for.
      reports.in(mark, record.viewOnce || how?.isFinal ? 0 : RETRY_TIME)
      try {
        await next(async () => {
          await store.commit({ ops: [records.put(mark, record), ...((await alongside?.(record)) ?? [])] })
        })
      } catch (error) {
        letGo(mark)
        throw error
      }
      if (entries.size() > maxRecords) enqueue(makeRoom)
    },
    known: entries.known,
    arrived(key) {
      const mark = entries.find(key)
      if (!mark) return { ops: [], applied() {} }
      entries.get(mark)!.isArriving = true
      return {
        ops: [records.remove(mark)],
        applied: () => letGo(mark),
      }
    },
    forget: () =>
      next(async () => {
        // An event that cannot be created now is skipped, so that it does not block the others.
        for (const mark of entries.marks()) await appendEvent(mark, true).catch(complain)
        await records.clear()
        for (const mark of entries.marks()) letGo(mark)
      }),
    async stop() {
      isStopped = true
      reports.stop()
      await Promise.all([jobs.idle(), retention.stop()])
    },
  }
}
