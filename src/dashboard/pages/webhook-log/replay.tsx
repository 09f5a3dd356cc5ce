/** Sends the events of a time range again: the service queues them, and the page shows the progress. */
import { useState } from 'preact/hooks'
import { LOG_STATUSES } from '../../../domain/webhook-log.ts'
import { useAction, useEvery } from '../../app/load.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Choice, Field, Line } from '../../parts/field.tsx'
import { Problem } from '../../parts/notice.tsx'
import { isoOf, localOf } from '../../parts/time.tsx'
import { count, readable } from '../../parts/words.tsx'
import { type Filter, loadLog, replay } from './log.ts'

const LOOK_EVERY_MS = 1_000
const DAY_MS = 86_400_000

interface Watched {
  queued: number
  waiting: number
}

const Through = ({ queued, waiting }: Watched) => {
  const done = Math.max(0, queued - waiting)
  return (
    <div class="stack" role="status">
      <progress max={Math.max(1, queued)} value={queued === 0 ? 1 : done} aria-label="Delivered or failed" />
      <p>
        {queued === 0
          ? 'No event was sent, because no event in this range still has its body.'
          : `${done.toLocaleString('en')} of ${count(queued, 'event')} delivered or failed. An event that is refused again is retried on its schedule. You may close this window; the replay continues.`}
      </p>
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
  const [status, setStatus] = useState(filter.status ?? 'failed')
  const [watched, setWatched] = useState<Watched>()
  const range = { ...filter, status: status || undefined, from: isoOf(from), to: isoOf(to) }
  const { run, isBusy, problem } = useAction(async () => {
    const { queued } = await replay(range)
    setWatched({ queued, waiting: queued })
    onDone()
    return undefined
  })
  useEvery(LOOK_EVERY_MS, async () => {
    if (!watched || watched.waiting === 0) return
    const { total } = await loadLog({ ...range, status: 'pending' }, 1, 1)
    setWatched({ ...watched, waiting: Math.min(watched.waiting, total) })
    if (total === 0) onDone()
  })
  return (
    <Dialog
      title="Resend a range"
      onClose={onClose}
      closes={watched ? 'Close' : 'Cancel'}
      onSubmit={() => !watched && run()}
      actions={
        watched ? null : (
          <Button look="primary" isBusy={isBusy}>
            Resend
          </Button>
        )
      }
    >
      {watched ? (
        <Through {...watched} />
      ) : (
        <>
          <p class="soft">
            The events in the range whose bodies are still stored are scheduled again, in order; at most the oldest 10,000.
            {filter.instance_id || filter.type
              ? ' Only events of the instance and type that the list shows now are included.'
              : ' Events of all instances are included.'}
          </p>
          <Line label="From" type="datetime-local" value={from} required wrong={problem?.issues.get('from')} onChange={setFrom} />
          <Line label="To" type="datetime-local" value={to} required wrong={problem?.issues.get('to')} onChange={setTo} />
          <Field label="Outcome">
            {(tied) => (
              <Choice
                tied={tied}
                value={status}
                none="Any"
                options={LOG_STATUSES.map((each) => [each, readable(each)] as const)}
                onChange={setStatus}
              />
            )}
          </Field>
          <Problem of={problem} fields={['from', 'to']} />
        </>
      )}
    </Dialog>
  )
}
