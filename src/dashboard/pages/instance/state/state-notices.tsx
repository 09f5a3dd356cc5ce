import type { InstanceRow } from '../../../../domain/dashboard.ts'
import { isFull, NEARLY_FULL, stateOf } from '../../../../domain/instance-list.ts'
import { QUEUE_CAPACITY } from '../../../../domain/queue-capacity.ts'
import { to } from '../../../app/route.ts'
import { Notice } from '../../../parts/notice.tsx'
import { Sentence } from '../../../parts/sentence.tsx'
import { Ago, At, withLocalTimes } from '../../../parts/time.tsx'
import { ofService, t } from '../../../texts/t.ts'
import { ReceiverNotice } from './receiver-notice.tsx'

const Restricted = ({ until }: { until: string | null }) => (
  <Notice kind="warn">
    <div>
      <strong>{t('The network restricts this account.')}</strong>{' '}
      {until ? (
        <Sentence
          text="Messages to people who have not written since it was paired stay in the queue until {time}; answers are still sent."
          elements={{ time: <At at={until} /> }}
        />
      ) : (
        t(
          'Messages to people who have not written since it was paired stay in the queue until the network lifts it; answers are still sent.',
        )
      )}{' '}
      {t('The usual cause is writing to many strangers.')}
    </div>
  </Notice>
)

/** Notice about a ban. It says what ends the ban, because pairing again does not. */
const Banned = ({ until }: { until: string | null }) => (
  <Notice kind="bad">
    <div>
      <strong>
        {until ? (
          <Sentence
            text="WhatsApp suspended this number until {time} ({ago})."
            elements={{ time: <At at={until} />, ago: <Ago at={until} /> }}
          />
        ) : (
          t('WhatsApp banned this number.')
        )}
      </strong>{' '}
      {t('Open WhatsApp on the phone: it says why, and lets you request a review. Pairing again does not help.')}{' '}
      {until ? t('The service connects by itself afterwards.') : null}
    </div>
  </Notice>
)

function Queue({ row }: { row: InstanceRow }) {
  const waiting = row.queue ?? 0
  if (waiting < NEARLY_FULL * QUEUE_CAPACITY) return null
  return (
    <Notice kind={isFull(row) ? 'bad' : 'warn'}>
      <div>
        <strong>
          {isFull(row)
            ? t('The queue is full ({n} of {total}): new messages are refused.', { n: waiting, total: QUEUE_CAPACITY })
            : t('The queue is nearly full: {n} of {total} messages wait.', { n: waiting, total: QUEUE_CAPACITY })}
        </strong>{' '}
        <progress max={QUEUE_CAPACITY} value={waiting} aria-label={t('Messages waiting')} />{' '}
        <a href={to(['instances', row.id, 'queue'])}>{t('See what they wait for')}</a>
      </div>
    </Notice>
  )
}

function State({ row }: { row: InstanceRow }) {
  const state = stateOf(row)
  if (state === 'banned') return <Banned until={row.banned_until} />
  if (state === 'paused')
    return (
      <Notice>
        {t('This instance is paused: it stays linked to the phone, and messages wait in the queue until you resume it.')}
      </Notice>
    )
  // In these two states, the card for pairing shows what to do.
  if (row.status_text === null || state === 'not_paired' || state === 'qr') return null
  return (
    <Notice kind={state === 'logged_out' || state === 'stopped' ? 'bad' : ''}>
      {withLocalTimes(ofService(row.status_text))}
    </Notice>
  )
}

export const StateNotices = ({ row }: { row: InstanceRow }) => (
  <>
    {row.restriction ? <Restricted until={row.restriction.until} /> : null}
    <State row={row} />
    <Queue row={row} />
    {row.webhooks > 0 ? <ReceiverNotice id={row.id} /> : null}
  </>
)
