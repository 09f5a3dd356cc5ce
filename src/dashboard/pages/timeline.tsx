/** Timeline of a message without its content, found by its id or `svc_id`. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Timeline, TimelineStep } from '../../domain/dashboard.ts'
import { instanceChoices } from '../../domain/instance-choices.ts'
import { ask, query } from '../api/client.ts'
import { rows } from '../api/live.ts'
import { useEvery, useLoad } from '../app/load.ts'
import { route, setQuery, to } from '../app/route.ts'
import { Badge, OutcomeBadge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Choice, Field, Line } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Empty, Problem, Skeleton } from '../parts/notice.tsx'
import { Ago, durationText, exactText, fineText } from '../parts/time.tsx'
import { readable } from '../parts/words.tsx'

const LOOK_EVERY_MS = 2_000

type Of<Kind extends TimelineStep['kind']> = Extract<TimelineStep, { kind: Kind }>
interface Told {
  title: ComponentChildren
  more?: ComponentChildren
  look?: 'good' | 'bad' | ''
}

const WAITS: Record<string, string> = {
  pacing: 'for its turn: messages leave with a pause between them',
  instance_not_connected: 'for the connection',
  restricted: 'for the end of a restriction',
  send_at: 'for the time that the request gave',
  first_contact_budget: 'for the budget of first contacts',
  quiet_hours: 'for the end of quiet hours',
  unanswered: 'for an answer to earlier messages',
}

const TELL: { [Kind in TimelineStep['kind']]: (step: Of<Kind>) => Told } = {
  queued: () => ({ title: 'Queued', more: 'Written to disk and acknowledged to the caller.' }),
  waiting: ({ reason }) => ({ title: 'Waits', more: WAITS[reason ?? ''] ?? '' }),
  left: () => ({ title: 'Left', more: 'Encrypted and sent to the network.' }),
  acknowledged: () => ({ title: 'Acknowledged', more: 'The network accepted it.', look: 'good' }),
  failed: ({ error_code }) => ({ title: 'Failed', more: <code>{error_code}</code>, look: 'bad' }),
  receipt: ({ status, by }) => ({ title: readable(status), more: by > 1 ? `By ${by} people.` : '', look: 'good' }),
  event: ({ type, status, event_id, next_attempt_at }) => ({
    title: (
      <>
        Event <code>{type}</code> <OutcomeBadge status={status} />
      </>
    ),
    more: (
      <>
        <a href={to(['webhook-log'], { event: event_id })}>In the webhook log</a>
        {next_attempt_at ? (
          <>
            , next try <Ago at={next_attempt_at} />
          </>
        ) : null}
      </>
    ),
    look: status === 'failed' ? 'bad' : status === 'delivered' ? 'good' : '',
  }),
  webhook: ({ type, attempt, code, error, duration_ms }) => ({
    title: (
      <>
        Attempt {attempt} for <code>{type}</code>
      </>
    ),
    more: `${error ?? `HTTP ${code}`} in ${durationText(duration_ms)}`,
    look: error === null ? 'good' : 'bad',
  }),
}

const tell = <Kind extends TimelineStep['kind']>(step: Of<Kind>): Told => (TELL[step.kind] as (step: Of<Kind>) => Told)(step)

const STATES: Record<Timeline['state'], readonly [text: string, look: 'good' | 'bad' | 'warn' | '']> = {
  waiting: ['Waits', 'warn'],
  processing: ['Being sent', ''],
  sent: ['Sent', 'good'],
  failed: ['Failed', 'bad'],
  unknown: ['Not known', ''],
}

const Found = ({ timeline }: { timeline: Timeline }) => (
  <section class="card">
    <header>
      <h2>What happened</h2>
      <Badge look={STATES[timeline.state][1]}>{STATES[timeline.state][0]}</Badge>
    </header>
    <dl class="facts">
      <dt>Message id</dt>
      <dd>{timeline.message_id ? <code>{timeline.message_id}</code> : '–'}</dd>
      <dt>svc_id</dt>
      <dd>{timeline.svc_id ? <code>{timeline.svc_id}</code> : '–'}</dd>
      <dt>Operation</dt>
      <dd>{timeline.operation ? <code>{timeline.operation}</code> : '–'}</dd>
    </dl>
    <ol class="steps">
      {timeline.steps.map((step, at) => {
        const { title, more, look = '' } = tell(step)
        return (
          <li key={`${step.kind}${step.at}${at}`} class={look}>
            <strong>{title}</strong>
            {step.at === null ? (
              <span class="soft">time unknown</span>
            ) : (
              <time class="soft number" dateTime={step.at} title={exactText(step.at)}>
                {fineText(step.at)}
              </time>
            )}
            {more ? <span>{more}</span> : null}
          </li>
        )
      })}
    </ol>
  </section>
)

function Sought({ instance, id }: { instance: string; id: string }) {
  const { data, problem, reload } = useLoad(
    () => ask<Timeline>('GET', `api/instances/${encodeURIComponent(instance)}/timeline${query({ id })}`),
    [instance, id],
  )
  useEvery(LOOK_EVERY_MS, reload)
  if (problem?.status === 404)
    return (
      <section class="card">
        <Empty title="This message is not known">
          Check the instance and the id, which is the message_id or svc_id of an answer or an event. Timelines are kept for seven
          days.
        </Empty>
      </section>
    )
  return (
    <>
      <Problem of={problem} again={reload} />
      {data ? <Found timeline={data} /> : null}
      {!data && !problem ? <Skeleton /> : null}
    </>
  )
}

export function TimelinePage() {
  const { query: asked } = route.value
  const instances = instanceChoices(rows.value.values())
  const instance = asked.get('instance') ?? instances[0]?.[0] ?? ''
  const id = asked.get('id') ?? ''
  const [text, setText] = useState(id)
  return (
    <div class="page">
      <header>
        <h1>Message timeline</h1>
      </header>
      <Form class="inline-form" onSubmit={() => setQuery({ instance, id: text.trim() })}>
        <Field label="Instance">
          {(tied) => (
            <Choice tied={tied} value={instance} options={instances} onChange={(next) => setQuery({ instance: next })} />
          )}
        </Field>
        <Line label="Message id or svc_id" value={text} placeholder="3EB0A1B2C3D4E5F60718" onChange={setText} />
        <Button look="primary" isDisabled={text.trim() === '' || instance === ''}>
          Find
        </Button>
      </Form>
      {id && instance ? (
        <Sought key={`${instance}${id}`} instance={instance} id={id} />
      ) : (
        <section class="card">
          <Empty title="Which message?" actions={<a href={to(['instances'])}>Send one</a>}>
            Every answer to a send has a message_id. Paste it here to see when the message left, who received it, and which
            webhooks reported it.
          </Empty>
        </section>
      )}
    </div>
  )
}
