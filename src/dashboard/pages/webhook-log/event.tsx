import { useState } from 'preact/hooks'
import type { LogDetail, WebhookBody } from '../../../domain/dashboard.ts'
import { answer, api, ask } from '../../api/client.ts'
import { useAction, useEvery, useLoad } from '../../app/load.ts'
import { to } from '../../app/route.ts'
import { AnswerFold } from '../../parts/answer-fold.tsx'
import { OutcomeBadge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { InstanceName } from '../../parts/instance-name.tsx'
import { Notice, Problem, Skeleton } from '../../parts/notice.tsx'
import { receiverAnswer } from '../../parts/receiver-answer.ts'
import { Ago, At, durationText } from '../../parts/time.tsx'
import { Name, phoneText, visible } from '../../parts/words.tsx'
import { t } from '../../texts/t.ts'
import { eventName } from './event-name.ts'

const LOOK_EVERY_MS = 2_500

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
  if (!isKept)
    return <p class="soft">{t('The body is erased, because the event was delivered or failed more than 72 hours ago.')}</p>
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
          {t('Show the body')}
        </Button>
        <span class="soft">{t('The body holds a private message. The log records that you opened it.')}</span>
      </div>
      <Problem of={problem} />
    </div>
  )
}

const Attempts = ({ detail: { attempts } }: { detail: LogDetail }) =>
  attempts.length === 0 ? (
    <p class="soft">{t('No attempt yet.')}</p>
  ) : (
    <ol class="steps">
      {attempts.map(({ at, code, error, duration_ms, receiver_answer }, index) => (
        <li key={at} class={error === null ? 'good' : 'bad'}>
          <strong>{receiverAnswer({ code, error })}</strong>
          <span class="number soft">{durationText(duration_ms)}</span>
          <span>
            <At at={at} />
            <AnswerFold text={receiver_answer} isOpen={index === attempts.length - 1} />
          </span>
        </li>
      ))}
    </ol>
  )

const About = ({ entry: { type, instance_id, phone, message_id } }: Pick<LogDetail, 'entry'>) => (
  <>
    <dt>{t('Instance')}</dt>
    <dd>
      <a href={to(['instances', instance_id])}>
        <InstanceName id={instance_id} />
      </a>
    </dd>
    <dt>{t('Type')}</dt>
    <dd>
      <code>{type}</code>
    </dd>
    {phone === null ? null : (
      <>
        <dt>{t('Chat')}</dt>
        <dd>
          <Name>{phoneText(phone)}</Name>
        </dd>
      </>
    )}
    {message_id === null ? null : (
      <>
        <dt>{t('Message')}</dt>
        <dd>
          <a href={to(['timeline'], { instance: instance_id, id: message_id })}>
            <code>{message_id}</code>
          </a>
        </dd>
      </>
    )}
  </>
)

export function EventDialog({ id, onClose, onResent }: { id: string; onClose(): void; onResent(): unknown }) {
  const { data, problem, reload } = useLoad(() => ask<LogDetail>('GET', `api/webhook-log/${encodeURIComponent(id)}`), [id])
  useEvery(LOOK_EVERY_MS, () => {
    if (data?.entry.status === 'pending') reload()
  })
  const [refused, setRefused] = useState<string>()
  const again = useAction(async () => {
    setRefused(undefined)
    const entry = await answer(api.POST('/admin/webhook-log/{event_id}/resend', { params: { path: { event_id: id } } }))
    await reload()
    onResent()
    if (entry.status === 'delivered') return t('Delivered.')
    setRefused(
      entry.last_error === null ? t('no answer') : receiverAnswer({ code: entry.last_response_code, error: entry.last_error }),
    )
    return undefined
  })
  return (
    <Dialog
      title={data ? eventName(data.entry.type, data.entry.state) : t('Event')}
      isWide
      closes={t('Close')}
      onClose={onClose}
      actions={
        <>
          {refused ? (
            <Notice kind="bad">
              <div role="alert">{t('The receiver did not accept it: {answer}', { answer: refused })}</div>
            </Notice>
          ) : null}
          <Button
            look="primary"
            isBusy={again.isBusy}
            isDisabled={!data?.entry.resendable}
            onPress={() => again.run()}
            needs="log.resend"
          >
            {t('Resend now')}
          </Button>
        </>
      }
    >
      <Problem of={problem} again={reload} />
      {!data && !problem ? <Skeleton /> : null}
      {data ? (
        <>
          <dl class="facts">
            <dt>{t('Outcome')}</dt>
            <dd>
              <OutcomeBadge status={data.entry.status} attempts={data.entry.attempts} />
            </dd>
            <About entry={data.entry} />
            <dt>{t('Happened')}</dt>
            <dd>
              <At at={data.entry.created_at} />
            </dd>
            {data.entry.next_attempt_at ? (
              <>
                <dt>{t('Next try')}</dt>
                <dd>
                  <Ago at={data.entry.next_attempt_at} />
                </dd>
              </>
            ) : null}
            <dt>{t('Sent to')}</dt>
            <dd>
              <Name>{data.entry.url}</Name>
            </dd>
            <dt>{t('Event id')}</dt>
            <dd>
              <code>{data.entry.id}</code>
            </dd>
          </dl>
          <h3>{t('Attempts')}</h3>
          <Attempts detail={data} />
          <h3>{t('Body')}</h3>
          <Body id={id} isKept={data.entry.resendable} />
        </>
      ) : null}
      <Problem of={again.problem} />
    </Dialog>
  )
}
