/** Sends sample events to the receivers of an instance, and shows their answers. */
import { useState } from 'preact/hooks'
import { EVENT_TYPES, type EventType } from '../../../domain/events.ts'
import { answer, api, of } from '../../api/client.ts'
import type { Refused } from '../../api/refused.ts'
import { refused } from '../../app/load.ts'
import { to } from '../../app/route.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Problem } from '../../parts/notice.tsx'
import { receiverAnswer } from '../../parts/receiver-answer.ts'
import type { Values } from '../../parts/schema-form.tsx'
import { durationText } from '../../parts/time.tsx'
import { Name, visible } from '../../parts/words.tsx'
import { EVENT_WORDS } from '../../texts/field-words.ts'
import { t } from '../../texts/t.ts'

const post = (id: string, type: EventType) =>
  answer(api.POST('/instances/{instance_id}/token/{token}/webhooks/{type}/test', { params: { path: { ...of(id), type } } }))

type Said = Awaited<ReturnType<typeof post>>

interface Outcome {
  isBusy?: boolean
  said?: Said
  problem?: Refused
}

interface Target {
  type: EventType
  url: string | null
}

/** Key of an answer. A changed URL gets another key, so the answer of the old URL is no longer shown. */
const keyOf = ({ type, url }: Target) => `${type} ${url}`

function useTests(id: string) {
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map())
  const set = (target: Target, outcome: Outcome) => setOutcomes((before) => new Map(before).set(keyOf(target), outcome))
  const outcomeOf = (target: Target): Outcome => outcomes.get(keyOf(target)) ?? {}
  async function run(target: Target) {
    if (outcomeOf(target).isBusy) return
    set(target, { isBusy: true })
    const outcome = await post(id, target.type).then(
      (said) => ({ said }),
      (error: unknown) => ({ problem: refused(error) }),
    )
    set(target, outcome)
  }
  return { outcomeOf, run }
}

const Answered = ({ said }: { said: Said }) => (
  <div class="stack" role="status">
    <div class="row">
      <Badge look={said.delivered ? 'good' : 'bad'}>{said.delivered ? t('Taken') : t('Not taken')}</Badge>
      <span>{receiverAnswer({ code: said.response_code, error: said.error })}</span>
      <span class="soft number">{durationText(said.duration_ms)}</span>
    </div>
    {said.response_body ? <pre class="text">{visible(said.response_body)}</pre> : null}
  </div>
)

const TargetRow = ({ target, outcome, run }: { target: Target; outcome: Outcome; run(): unknown }) => (
  <li class="stack">
    <div class="row between">
      <span class="break">
        {EVENT_WORDS[target.type]} <code>{target.type}</code>
        <Name class="under">{target.url ?? t('goes nowhere')}</Name>
      </span>
      <Button
        isBusy={outcome.isBusy ?? false}
        isDisabled={target.url === null}
        label={t('Send a test event of {type}', { type: target.type })}
        onPress={run}
        needs="webhooks.change"
      >
        {t('Test')}
      </Button>
    </div>
    <Problem of={outcome.problem} />
    {outcome.said ? <Answered said={outcome.said} /> : null}
  </li>
)

export function WebhookTests({ id, values }: { id: string; values: Values }) {
  const { outcomeOf, run } = useTests(id)
  const targets = EVENT_TYPES.map((type) => ({ type, url: (values[`${type}_url`] as string | null) ?? null }))
  const tested = targets.filter(({ url }) => url !== null)
  return (
    <section class="card">
      <header>
        <h2>{t('Test delivery')}</h2>
        <Button
          isBusy={tested.some((target) => outcomeOf(target).isBusy)}
          isDisabled={tested.length === 0}
          onPress={() => Promise.all(tested.map(run))}
          needs="webhooks.change"
        >
          {t('Test all')}
        </Button>
        <p>
          {t(
            'A sample event of the type, marked as a test, is signed and sent like every other. The result shows the answer of your program.',
          )}{' '}
          <a href={to(['webhook-log'], { instance: id })}>{t('Log of this instance')}</a>
        </p>
      </header>
      <ul class="stack">
        {targets.map((target) => (
          <TargetRow key={target.type} target={target} outcome={outcomeOf(target)} run={() => run(target)} />
        ))}
      </ul>
    </section>
  )
}
