import { useState } from 'preact/hooks'
import { LOG_STATUSES, type LogStatus } from '../../../domain/webhook-log.ts'
import { useAction, useEvery, useLoad } from '../../app/load.ts'
import { outcomeText } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Choice, Field, Line } from '../../parts/field.tsx'
import { Problem } from '../../parts/notice.tsx'
import { Sentence } from '../../parts/sentence.tsx'
import { At, isoOf, localOf } from '../../parts/time.tsx'
import { count, t } from '../../texts/t.ts'
import { type Filter, loadLog, replay } from './log.ts'

const LOOK_EVERY_MS = 1_000
const DAY_MS = 86_400_000
/**
 * Only the bodies of pending and failed events are still stored, so without a choice of the outcome both are sent
 * again.
 */
const UNDELIVERED: readonly LogStatus[] = ['pending', 'failed']

/** Events that were scheduled again, and what became of them. */
interface Watched {
  range: Range
  queued: number
  waiting: number
  delivered: number
  /** Number of events in the range that were delivered before. */
  deliveredBefore: number
  /** Time of the first event that one request did not take; null if it took all. */
  nextFrom: string | null
}

type Range = Filter & { from: string; to: string }

/** The events before `nextFrom`. */
const takenOf = (range: Range, nextFrom: string | null): Range =>
  nextFrom === null ? range : { ...range, to: new Date(Date.parse(nextFrom) - 1).toISOString() }

const totalOf = async (range: Range, status: LogStatus, signal?: AbortSignal) =>
  (await loadLog({ ...range, status }, 1, { pageSize: 1, ...(signal && { signal }) })).total

/** Waiting events are counted first, so an event that is delivered between the two counts is never counted as failed. */
async function look(watched: Watched): Promise<Watched> {
  const { range, queued, deliveredBefore } = watched
  const waiting = Math.min(watched.waiting, await totalOf(range, 'pending'))
  const delivered = Math.max(0, (await totalOf(range, 'delivered')) - deliveredBefore)
  return { ...watched, waiting, delivered: Math.min(queued - waiting, delivered) }
}

function resultText({ queued, waiting, delivered }: Watched): string {
  if (queued === 0) return t('No event was sent, because no event in this range still has its body.')
  const counts = { total: count(queued, 'event', 'events'), delivered, failed: queued - waiting - delivered }
  if (waiting === 0) return t('Done: {total}. Delivered: {delivered}. Failed for good: {failed}.', counts)
  const so = t('Sent again: {total}. Delivered: {delivered}. Failed for good: {failed}. Waiting for the next try: {waiting}.', {
    ...counts,
    waiting,
  })
  return `${so} ${t('An event that is refused again is retried on its schedule. You may close this window; the replay continues.')}`
}

const Through = (watched: Watched) => {
  const { queued, waiting, nextFrom } = watched
  const done = Math.max(0, queued - waiting)
  return (
    <div class="stack" role="status">
      <progress max={Math.max(1, queued)} value={queued === 0 ? 1 : done} aria-label={t('Delivered or failed')} />
      <p>{resultText(watched)}</p>
      {nextFrom ? (
        <p>
          <Sentence text="The range has more events, from {time} on." elements={{ time: <At at={nextFrom} /> }} />
        </p>
      ) : null}
    </div>
  )
}

interface ReplayProps {
  filter: Filter
  onClose(): void
  onDone(): unknown
}

export function ReplayDialog({ filter, onClose, onDone }: ReplayProps) {
  const [from, setFrom] = useState(localOf(filter.from ?? Date.now() - DAY_MS))
  const [to, setTo] = useState(localOf(filter.to ?? Date.now() + 60_000))
  const [status, setStatus] = useState<string>(filter.status ?? '')
  const [watched, setWatched] = useState<Watched>()
  const range = { ...filter, q: undefined, status: status || undefined, from: isoOf(from), to: isoOf(to) }
  const found = useLoad(
    async (signal) => {
      const counts = (status ? [status as LogStatus] : UNDELIVERED).map((each) => totalOf(range, each, signal))
      return (await Promise.all(counts)).reduce((sum, total) => sum + total, 0)
    },
    [JSON.stringify(range)],
  )
  const total = found.problem ? undefined : found.data
  const { run, isBusy, problem } = useAction(async () => {
    const wanted = { ...range, from: watched?.nextFrom ?? range.from }
    const deliveredBefore = await totalOf(wanted, 'delivered')
    const { queued, next_from: nextFrom } = await replay(wanted)
    const taken = takenOf(wanted, nextFrom)
    // The range ends earlier than expected if one request did not take all of its events.
    const after = nextFrom === null ? 0 : await totalOf({ ...wanted, from: nextFrom }, 'delivered')
    setWatched({
      range: taken,
      queued,
      waiting: queued,
      delivered: 0,
      deliveredBefore: deliveredBefore - after,
      nextFrom,
    })
    onDone()
    return undefined
  })
  useEvery(LOOK_EVERY_MS, async () => {
    if (!watched || watched.waiting === 0) return
    const next = await look(watched)
    setWatched((now) => (now?.range === next.range ? next : now))
    if (next.waiting === 0) onDone()
  })
  const isMore = watched === undefined || watched.nextFrom !== null
  return (
    <Dialog
      title={t('Resend a range')}
      onClose={onClose}
      closes={watched ? t('Close') : t('Cancel')}
      onSubmit={() => isMore && run()}
      actions={
        isMore ? (
          <Button look="primary" isBusy={isBusy} isDisabled={!watched && total === 0}>
            {watched ? t('Resend the next') : t('Resend')}
          </Button>
        ) : null
      }
    >
      {watched ? (
        <>
          <Through {...watched} />
          <Problem of={problem} />
        </>
      ) : (
        <>
          <p class="soft">
            {t(
              'The events in the range whose bodies are still stored are scheduled again, in order; the oldest 10,000 at a time.',
            )}{' '}
            {filter.instance_id || filter.type
              ? t('Only events of the instance and type that the list shows now are included.')
              : t('Events of all instances are included.')}
          </p>
          <Line
            label={t('From')}
            type="datetime-local"
            value={from}
            required
            wrong={problem?.issues.get('from')}
            onChange={setFrom}
          />
          <Line label={t('To')} type="datetime-local" value={to} required wrong={problem?.issues.get('to')} onChange={setTo} />
          <Field label={t('Outcome')}>
            {(tied) => (
              <Choice
                tied={tied}
                value={status}
                none={t('Not delivered')}
                options={LOG_STATUSES.map((each) => [each, outcomeText(each)] as const)}
                onChange={setStatus}
              />
            )}
          </Field>
          {total === undefined ? null : (
            <p role="status">
              {t('In this range: {events}. Those whose bodies are still stored are sent again.', {
                events: count(total, 'event', 'events'),
              })}
            </p>
          )}
          <Problem of={problem} fields={['from', 'to']} />
        </>
      )}
    </Dialog>
  )
}
