import { useRef, useState } from 'preact/hooks'
import {
  afterCount,
  afterReplay,
  type ReplayProgress,
  takenOf,
  takesAllPending,
  untilNow,
} from '../../../domain/replay-progress.ts'
import { LOG_STATUSES, type LogStatus } from '../../../domain/webhook-log.ts'
import type { Refused } from '../../api/refused.ts'
import { refused, useAction, useEvery, useLoad } from '../../app/load.ts'
import { setQuery } from '../../app/route.ts'
import { outcomeText } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Choice, Field, Line } from '../../parts/field.tsx'
import { Problem } from '../../parts/notice.tsx'
import { Sentence } from '../../parts/sentence.tsx'
import { At, isoOf, localOf } from '../../parts/time.tsx'
import { count, t } from '../../texts/t.ts'
import { type Filter, loadLog, replay } from './log.ts'

const COUNT_EVERY_MS = 2_000
const DAY_MS = 86_400_000
/**
 * Outcomes of events that can be sent again. Only the bodies of pending and failed events are still stored, so without
 * a choice of the outcome both are sent again.
 */
const UNDELIVERED: readonly LogStatus[] = ['pending', 'failed']

/**
 * Returns the outcome that is chosen at first. A list of pending or of failed events is often only a part of what was
 * missed, so then both are chosen.
 */
const presetOf = (listed: string | undefined): string =>
  listed === undefined || UNDELIVERED.some((each) => each === listed) ? '' : listed

interface Watched {
  /** The whole range. It ends at the time of the first request, or earlier. */
  asked: Range
  progress: ReplayProgress
}

type Range = Filter & { from: string; to: string }

const totalOf = async (range: Range, status: LogStatus, signal?: AbortSignal) =>
  (await loadLog({ ...range, status }, 1, { pageSize: 1, ...(signal && { signal }) })).total

/** Sends the events of the range again, or only the events that the former request left out. */
async function sendAgain(asked: Range, status: LogStatus | undefined, before?: ReplayProgress): Promise<Watched> {
  const wanted = { ...asked, from: before?.nextFrom ?? asked.from }
  const othersPending = takesAllPending(status) ? 0 : await totalOf(wanted, 'pending')
  const { queued, next_from: nextFrom } = await replay(wanted)
  return { asked, progress: afterReplay(before, { queued, nextFrom, othersPending }) }
}

/** Counts the pending events until there are none. A count can take long, so none is begun while another one runs. */
function useProgress(onDone: () => unknown) {
  const [watched, setWatched] = useState<Watched>()
  const [problem, setProblem] = useState<Refused>()
  const isCounting = useRef(false)
  useEvery(COUNT_EVERY_MS, async () => {
    if (!watched?.progress.waiting || isCounting.current) return
    isCounting.current = true
    try {
      const { asked, progress } = watched
      const pending = await totalOf(takenOf(asked, progress.nextFrom), 'pending')
      const next = { asked, progress: afterCount(progress, pending) }
      setWatched((now) => (now === watched ? next : now))
      setProblem(undefined)
      if (next.progress.waiting === 0) onDone()
    } catch (error) {
      setProblem(refused(error))
    } finally {
      isCounting.current = false
    }
  })
  return { watched, setWatched, problem }
}

function resultText({ queued, waiting }: ReplayProgress): string {
  if (queued === 0) return t('No event was sent, because no event in this range still has its body.')
  const total = count(queued, 'event', 'events')
  if (waiting === undefined)
    return t(
      'Scheduled again: {total}. Other events in this range are waiting too, so the progress of these cannot be counted.',
      { total },
    )
  if (waiting === 0) return t('Done: {total}. None of them is waiting any more.', { total })
  const so = t('Scheduled again: {total}. Still waiting: {waiting}.', { total, waiting })
  return `${so} ${t('An event that is refused again is retried on its schedule. You may close this window; the replay continues.')}`
}

const Through = (progress: ReplayProgress) => {
  const { queued, waiting, nextFrom } = progress
  return (
    <div class="stack" role="status">
      {waiting === undefined ? null : (
        <progress max={Math.max(1, queued)} value={queued === 0 ? 1 : queued - waiting} aria-label={t('Delivered or failed')} />
      )}
      <p class="three-lines">{resultText(progress)}</p>
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
  const [status, setStatus] = useState(presetOf(filter.status))
  const { watched, setWatched, problem: countProblem } = useProgress(onDone)
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
    const asked = watched?.asked ?? untilNow(range, Date.now())
    setWatched(await sendAgain(asked, (status || undefined) as LogStatus | undefined, watched?.progress))
    onDone()
    return undefined
  })
  const isMore = watched === undefined || watched.progress.nextFrom !== null
  // The list may have a filter that leaves out the events which are delivered now.
  const showOutcomes = () => {
    setQuery({ q: '', status: '', page: '', further: '', from, to })
    onClose()
  }
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
          <Through {...watched.progress} />
          {watched.progress.queued > 0 ? (
            <div>
              <Button look="link" onPress={showOutcomes}>
                {t('See which were delivered and which failed')}
              </Button>
            </div>
          ) : null}
          <Problem of={problem ?? countProblem} />
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
                none={t('Not delivered: waiting, retrying or failed')}
                options={LOG_STATUSES.map((each) => [each, outcomeText(each)] as const)}
                onChange={setStatus}
              />
            )}
          </Field>
          <p role="status" class="two-lines">
            {total === undefined
              ? null
              : t('In this range: {events}. Those whose bodies are still stored are sent again.', {
                  events: count(total, 'event', 'events'),
                })}
          </p>
          <Problem of={problem} fields={['from', 'to']} />
        </>
      )}
    </Dialog>
  )
}
