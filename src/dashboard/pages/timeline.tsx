/** The timeline of a message, without the content of the message. The message is found by its id or `svc_id`. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { MESSAGE_STATES, type MessageState, type Timeline, type TimelineStep } from '../../domain/dashboard.ts'
import { receiverState } from '../../domain/receiver-state.ts'
import { ask, query } from '../api/client.ts'
import { useEvery, useLoad } from '../app/load.ts'
import { route, setQuery, to } from '../app/route.ts'
import { AnswerFold } from '../parts/answer-fold.tsx'
import { Badge, OutcomeBadge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Line } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { chosenInstance, InstanceChoice } from '../parts/instance-choice.tsx'
import { kindText, MessageBadge, stateText } from '../parts/message-state.tsx'
import { Empty, Problem, Skeleton } from '../parts/notice.tsx'
import { receiverAnswer } from '../parts/receiver-answer.ts'
import { Ago, clockText, durationText, exactText, fineText } from '../parts/time.tsx'
import { Name, phoneText } from '../parts/words.tsx'
import { count, t } from '../texts/t.ts'

const LOOK_EVERY_MS = 2_000

type Of<Kind extends TimelineStep['kind']> = Extract<TimelineStep, { kind: Kind }>
interface Told {
  title: ComponentChildren
  more?: ComponentChildren
  look?: 'good' | 'bad' | ''
}

const WAITS: Record<string, string> = {
  pacing: t('for its turn: messages leave with a pause between them'),
  instance_not_connected: t('for the connection'),
  restricted: t('for the end of a restriction'),
  send_at: t('for the time that the request gave'),
  first_contact_budget: t('for the budget of first contacts'),
  quiet_hours: t('for the end of quiet hours'),
  unanswered: t('for an answer to earlier messages'),
}

/** Steps that are listed. Attempts to deliver an event are not listed as steps, but shown under the event. */
type Shown = Exclude<TimelineStep, { kind: 'webhook' }>

const TELL: { [Kind in Shown['kind']]: (step: Of<Kind>, attempts: readonly Of<'webhook'>[]) => Told } = {
  queued: () => ({ title: t('Put into the queue'), more: t('Written to disk and acknowledged to the caller.') }),
  waiting: ({ reason }) => ({ title: t('Waits'), more: WAITS[reason ?? ''] ?? '' }),
  left: () => ({ title: t('Left'), more: t('Encrypted and sent to the network.') }),
  acknowledged: () => ({ title: t('Acknowledged'), more: t('The network accepted it.'), look: 'good' }),
  failed: ({ error_code }) => ({ title: t('Failed'), more: <code>{error_code}</code>, look: 'bad' }),
  receipt: ({ status, by }) => ({ title: stateText(status), more: by > 1 ? t('By {n} people.', { n: by }) : '', look: 'good' }),
  event: ({ type, status, event_id, next_attempt_at }, attempts) => ({
    title: (
      <>
        Webhook <code>{type}</code> <OutcomeBadge status={status} attempts={attempts.length} />
      </>
    ),
    more: (
      <>
        <a href={to(['webhook-log'], { event: event_id })} aria-label={t('In the webhook log: {id}', { id: event_id })}>
          {t('In the webhook log')}
        </a>
        {next_attempt_at ? (
          <>
            , {t('next try')} <Ago at={next_attempt_at} />
          </>
        ) : null}
        <Attempts steps={attempts} />
      </>
    ),
    look: status === 'failed' ? 'bad' : status === 'delivered' ? 'good' : '',
  }),
}

const Attempts = ({ steps }: { steps: readonly Of<'webhook'>[] }) =>
  steps.length === 0 ? null : (
    <details class="answer">
      <summary>{count(steps.length, 'attempt', 'attempts')}</summary>
      <ol class="steps">
        {steps.map(({ at, attempt, code, error, duration_ms, receiver_answer }) => (
          <li key={at} class={error === null ? 'good' : 'bad'}>
            <strong>{t('Attempt {n}', { n: attempt })}</strong>
            <time class="soft number" dateTime={at} title={exactText(at)}>
              {fineText(at)}
            </time>
            <span>
              {t('{answer} in {time}', { answer: receiverAnswer({ code, error }), time: durationText(duration_ms) })}
              <AnswerFold text={receiver_answer} />
            </span>
          </li>
        ))}
      </ol>
    </details>
  )

const STATES: Record<Timeline['state'], readonly [text: string, look: 'good' | 'bad' | 'warn' | '']> = {
  waiting: [t('Waits'), 'warn'],
  processing: [t('Being sent'), ''],
  sent: [t('Sent'), 'good'],
  failed: [t('Failed'), 'bad'],
  unknown: [t('Not known'), ''],
}

const furthestReceipt = ({ steps }: Timeline) =>
  steps
    .flatMap((step) => (step.kind === 'receipt' ? (step.status as MessageState) : []))
    .toSorted((one, other) => MESSAGE_STATES.indexOf(other) - MESSAGE_STATES.indexOf(one))[0]

function State({ timeline }: { timeline: Timeline }) {
  const receipt = furthestReceipt(timeline)
  const [text, look] = STATES[timeline.state]
  return receipt ? <MessageBadge state={receipt} /> : <Badge look={look}>{text}</Badge>
}

function Way({ timeline }: { timeline: Timeline }) {
  const { state, steps } = timeline
  const isSent = state === 'sent' || furthestReceipt(timeline) !== undefined
  const places: readonly (readonly [name: string, look: string])[] = [
    [t('This service'), 'good'],
    ['WhatsApp', isSent ? 'good' : state === 'failed' ? 'bad' : 'wait'],
    [t("The person's phone"), furthestReceipt(timeline) && furthestReceipt(timeline) !== 'sent' ? 'good' : 'wait'],
    [t('Your receiver'), receiverState(steps)],
  ]
  return (
    <ol class="way" aria-label={t('How far it came')}>
      {places.map(([name, look]) => (
        <li key={name} class={look}>
          {name}
          {look === 'none' ? <small class="under">{LOOKS.none}</small> : <span class="only-read-aloud">: {LOOKS[look]}</span>}
        </li>
      ))}
    </ol>
  )
}

const LOOKS: Record<string, string> = {
  good: t('reached'),
  bad: t('failed'),
  refused: t('refused, and tried again'),
  wait: t('not yet'),
  none: t('no webhook'),
}

const Found = ({ timeline }: { timeline: Timeline }) => (
  <section class="card">
    <header>
      <h2>{t('What happened')}</h2>
      <State timeline={timeline} />
    </header>
    <Way timeline={timeline} />
    <dl class="facts">
      {timeline.correspondent ? (
        <>
          <dt>{t('To')}</dt>
          <dd>
            <a href={to(['messages'], { instance: timeline.instance_id, chat: timeline.correspondent })}>
              <Name>{phoneText(timeline.correspondent)}</Name>
            </a>
          </dd>
        </>
      ) : null}
      <dt>{t('Message id')}</dt>
      <dd>{timeline.message_id ? <code>{timeline.message_id}</code> : '–'}</dd>
      <dt>svc_id</dt>
      <dd>{timeline.svc_id ? <code>{timeline.svc_id}</code> : '–'}</dd>
      <dt>{t('Kind')}</dt>
      <dd>{timeline.operation ? kindText(timeline.operation) : '–'}</dd>
    </dl>
    <ol class="steps">
      {timeline.steps.map((step, at) => {
        if (step.kind === 'webhook') return null
        const { title, more, look = '' } = tell(step, timeline.steps)
        return (
          <li key={`${step.kind}${step.at}${at}`} class={look}>
            <strong>{title}</strong>
            {step.at === null ? (
              <span class="soft">{t('time unknown')}</span>
            ) : (
              <time class="soft number" dateTime={step.at} title={exactText(step.at)}>
                {timeText(step.kind, step.at)}
              </time>
            )}
            {more ? <span>{more}</span> : null}
          </li>
        )
      })}
    </ol>
  </section>
)

/** Text of a time. WhatsApp gives the times of receipts in whole seconds. */
const timeText = (kind: Shown['kind'], at: string) => (kind === 'receipt' ? clockText(at) : fineText(at))

function tell(step: Shown, all: readonly TimelineStep[]): Told {
  const attempts = all
    .filter((each) => each.kind === 'webhook')
    .filter(({ event_id }) => step.kind === 'event' && event_id === step.event_id)
  return (TELL[step.kind] as (step: Shown, attempts: readonly Of<'webhook'>[]) => Told)(step, attempts)
}

function Sought({ instance, id }: { instance: string; id: string }) {
  const { data, problem, reload } = useLoad(
    () => ask<Timeline>('GET', `api/instances/${encodeURIComponent(instance)}/timeline${query({ id })}`),
    [instance, id],
  )
  useEvery(LOOK_EVERY_MS, reload)
  if (problem?.status === 404)
    return (
      <section class="card">
        <Empty title={t('This message is not known')}>
          {t(
            'Check the instance and the id, which is the message_id or svc_id of an answer or an event. Timelines are kept for seven days.',
          )}
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
  const instance = chosenInstance()
  const id = asked.get('id') ?? ''
  const [text, setText] = useState(id)
  return (
    <div class="page">
      <header>
        <h1>{t('Message timeline')}</h1>
      </header>
      <Form class="inline-form" onSubmit={() => setQuery({ instance, id: text.trim() })}>
        <InstanceChoice value={instance} onChange={(next) => setQuery({ instance: next })} />
        <Line label={t('Message id or svc_id')} value={text} placeholder="3EB0A1B2C3D4E5F60718" onChange={setText} />
        <Button look="primary" isDisabled={text.trim() === '' || instance === ''}>
          {t('Find')}
        </Button>
      </Form>
      {id && instance ? (
        <Sought key={`${instance}${id}`} instance={instance} id={id} />
      ) : (
        <section class="card">
          <Empty title={t('Which message?')} actions={<a href={to(['instances'])}>{t('Send one')}</a>}>
            {t(
              'Every answer to a send has a message_id. Paste it here to see when the message left, who received it, and which webhooks reported it.',
            )}
          </Empty>
        </section>
      )}
    </div>
  )
}
