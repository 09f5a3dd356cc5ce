/** One event: its attempts, and its body while it is stored. */
import { useState } from 'preact/hooks'
import type { LogDetail, WebhookBody } from '../../../domain/dashboard.ts'
import { answer, api, ask } from '../../api/client.ts'
import { useAction, useEvery, useLoad } from '../../app/load.ts'
import { OutcomeBadge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Problem, Skeleton } from '../../parts/notice.tsx'
import { Ago, At, durationText } from '../../parts/time.tsx'
import { Name, visible } from '../../parts/words.tsx'

/** Interval in ms at which the page reloads while the event waits for its next attempt. */
const LOOK_EVERY_MS = 2_500

/** Indents the body if it is complete JSON. */
function pretty({ body, truncated }: WebhookBody): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return truncated ? `${body}…` : body
  }
}

function Body({ id, isKept }: { id: string; isKept: boolean }) {
  const [body, setBody] = useState<WebhookBody>()
  const { run, isBusy, problem } = useAction(async () => {
    setBody(await ask<WebhookBody>('POST', `api/webhook-log/${id}/body`))
    return undefined
  })
  if (!isKept) return <p class="soft">The body is erased, because the event was delivered or failed more than 72 hours ago.</p>
  if (body)
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and so takes the focus to be scrolled with the keyboard
      <pre class="text" tabIndex={0}>
        {visible(pretty(body))}
      </pre>
    )
  return (
    <div class="stack">
      <div class="row">
        <Button isBusy={isBusy} onPress={() => run()} needs="log.body">
          Show the body
        </Button>
        <span class="soft">The body holds a private message. The log records that you opened it.</span>
      </div>
      <Problem of={problem} />
    </div>
  )
}

const Attempts = ({ detail: { attempts } }: { detail: LogDetail }) =>
  attempts.length === 0 ? (
    <p class="soft">No attempt yet.</p>
  ) : (
    <ol class="steps">
      {attempts.map(({ at, code, error, duration_ms }) => (
        <li key={at} class={error === null ? 'good' : 'bad'}>
          <strong>{error ?? `HTTP ${code}`}</strong>
          <span class="number soft">{durationText(duration_ms)}</span>
          <span>
            <At at={at} />
            {code && error ? ` · HTTP ${code}` : ''}
          </span>
        </li>
      ))}
    </ol>
  )

export function EventDialog({ id, onClose, onResent }: { id: string; onClose(): void; onResent(): unknown }) {
  const { data, problem, reload } = useLoad(() => ask<LogDetail>('GET', `api/webhook-log/${encodeURIComponent(id)}`), [id])
  useEvery(LOOK_EVERY_MS, () => {
    if (data?.entry.status === 'pending') reload()
  })
  const again = useAction(async () => {
    const entry = await answer(api.POST('/admin/webhook-log/{event_id}/resend', { params: { path: { event_id: id } } }))
    await reload()
    onResent()
    return entry.status === 'delivered' ? 'Delivered.' : `Not accepted: ${entry.last_error ?? 'no answer'}.`
  })
  return (
    <Dialog
      title={data ? `${data.entry.type} event` : 'Event'}
      isWide
      closes="Close"
      onClose={onClose}
      actions={
        <Button
          look="primary"
          isBusy={again.isBusy}
          isDisabled={!data?.entry.resendable}
          onPress={() => again.run()}
          needs="log.resend"
        >
          Resend now
        </Button>
      }
    >
      <Problem of={problem} again={reload} />
      {!data && !problem ? <Skeleton /> : null}
      {data ? (
        <>
          <dl class="facts">
            <dt>Outcome</dt>
            <dd>
              <OutcomeBadge status={data.entry.status} attempts={data.entry.attempts} />
            </dd>
            <dt>Happened</dt>
            <dd>
              <At at={data.entry.created_at} />
            </dd>
            {data.entry.next_attempt_at ? (
              <>
                <dt>Next try</dt>
                <dd>
                  <Ago at={data.entry.next_attempt_at} />
                </dd>
              </>
            ) : null}
            <dt>To</dt>
            <dd>
              <Name>{data.entry.url}</Name>
            </dd>
            <dt>Event id</dt>
            <dd>
              <code>{data.entry.id}</code>
            </dd>
          </dl>
          <h3>Attempts</h3>
          <Attempts detail={data} />
          <h3>Body</h3>
          <Body id={id} isKept={data.entry.resendable} />
        </>
      ) : null}
      <Problem of={again.problem} />
    </Dialog>
  )
}
