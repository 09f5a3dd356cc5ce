import { MESSAGE_STATES, type MessageState, type Timeline } from '../../../domain/dashboard.ts'
import { ask, query } from '../../api/client.ts'
import { useEvery, useLoad } from '../../app/load.ts'
import { to } from '../../app/route.ts'
import { Notice } from '../../parts/notice.tsx'
import { t } from '../../texts/t.ts'

const LOOK_EVERY_MS = 1_500

const STEPS: readonly (readonly [state: MessageState, name: string])[] = [
  ['waiting', t('Put into the queue')],
  ['sent', t('Sent')],
  ['delivered', t('Delivered')],
  ['read', t('Read')],
]

function farOf({ state, steps }: Timeline): { rank: number; error: string | undefined } {
  const receipts = steps.flatMap((step) => (step.kind === 'receipt' ? MESSAGE_STATES.indexOf(step.status as MessageState) : []))
  const error = steps.find((step) => step.kind === 'failed')?.error_code
  return { rank: Math.max(0, state === 'sent' ? MESSAGE_STATES.indexOf('sent') : 0, ...receipts), error }
}

const waitsForItsTime = ({ steps }: Timeline) =>
  steps.some((step) => step.kind === 'waiting' && step.reason === 'send_at' && Date.parse(step.at ?? '') > Date.now())

export function Follow({ instance, id }: { instance: string; id: string }) {
  const { data, reload } = useLoad(
    () => ask<Timeline>('GET', `api/instances/${encodeURIComponent(instance)}/timeline${query({ id })}`),
    [instance, id],
  )
  const { rank, error } = data ? farOf(data) : { rank: 0, error: undefined }
  const isOver = error !== undefined || rank >= MESSAGE_STATES.indexOf('read')
  useEvery(LOOK_EVERY_MS, () => {
    if (!isOver && !(data && waitsForItsTime(data))) reload()
  })
  return (
    <Notice kind={error !== undefined ? 'bad' : rank >= MESSAGE_STATES.indexOf('sent') ? 'good' : ''}>
      <div role="status">
        <ol class="row far">
          {STEPS.map(([state, name]) => {
            const isReached = MESSAGE_STATES.indexOf(state) <= rank
            return (
              <li key={state} class={isReached ? 'reached' : ''}>
                {name}
                {isReached ? ' ✓' : <span class="only-read-aloud">: {t('not yet')}</span>}
              </li>
            )
          })}
          {error === undefined ? null : <li>{t('Failed: {code}', { code: error })}</li>}
        </ol>
      </div>
      <a href={to(['timeline'], { instance, id })}>{t('Follow the message')}</a>
    </Notice>
  )
}
