/** Send safety of an instance: the used part of its budgets, the messages that wait, and its settings. */
import { useState } from 'preact/hooks'
import { type WarmUpStep, warmUpIn, warmUpText } from '../../../domain/warm-up-text.ts'
import { answer, api, of } from '../../api/client.ts'
import { Refused } from '../../api/refused.ts'
import { useAction, useEvery, useLoad } from '../../app/load.ts'
import { Line } from '../../parts/field.tsx'
import { LineForm } from '../../parts/form.tsx'
import { Problem, Skeleton } from '../../parts/notice.tsx'
import { fieldsOf, pick, SchemaForm, type Values } from '../../parts/schema-form.tsx'
import { Sentence } from '../../parts/sentence.tsx'
import { Ago } from '../../parts/time.tsx'
import { count, t } from '../../texts/t.ts'
import type { TabProps } from './tab.ts'

const FIELDS = fieldsOf('instance.updateSettings')
const NUMBERS = ['first_contacts_per_hour', 'first_contacts_per_day', 'pause_after_unanswered']
const OBJECTS = ['first_contacts_warm_up', 'quiet_hours']

export const isOfSafety = (name: string) => NUMBERS.includes(name) || OBJECTS.includes(name)

const RELOAD = 10_000

const load = (id: string) => answer(api.GET('/instances/{instance_id}/token/{token}/send-safety', { params: { path: of(id) } }))

type Usage = Awaited<ReturnType<typeof load>>

function Budget({ name, budget }: { name: string; budget: Usage['hour'] }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {budget === null ? (
          t('No limit')
        ) : (
          <>
            <progress value={budget.used} max={Math.max(budget.limit, 1)} aria-label={name} />{' '}
            <span class="number">{t('{used} of {total}', { used: budget.used, total: budget.limit })}</span>
            {budget.free_at ? (
              <span class="under">
                <Sentence text="Used up. The next person: {time}" elements={{ time: <Ago at={budget.free_at} /> }} />
              </span>
            ) : null}
          </>
        )}
      </dd>
    </>
  )
}

const Used = ({ usage: { hour, day, quiet_until, waiting, linked_at } }: { usage: Usage }) => (
  <dl class="facts">
    <Budget name={t('New people in the last 60 minutes')} budget={hour} />
    <Budget name={t('New people in the last 24 hours')} budget={day} />
    <dt>{t('Linked')}</dt>
    <dd>{linked_at ? <Ago at={linked_at} /> : t('Unknown while there is no session')}</dd>
    <dt>{t('Quiet hours')}</dt>
    <dd>{quiet_until ? <Sentence text="They end {time}" elements={{ time: <Ago at={quiet_until} /> }} /> : t('Not now')}</dd>
    <dt>{t('Waiting')}</dt>
    <dd>
      {t('{budget} for the budget, {quiet} for the end of quiet hours, {answer} for an answer', {
        budget: count(waiting.first_contact_budget, 'message', 'messages'),
        quiet: waiting.quiet_hours,
        answer: waiting.unanswered,
      })}
    </dd>
  </dl>
)

/** Returns the steps of a warm-up. Throws a sentence for the person who typed the text. */
function stepsOf(text: string) {
  const steps = warmUpIn(text)
  if (steps === undefined)
    throw new Refused(0, 'invalid_request', t('Write each step as days: people, for example 7: 50, or 30: none.'))
  return steps
}

type Save = (body: Values) => Promise<string>

function WarmUp({ steps, save }: { steps: readonly WarmUpStep[] | null; save: Save }) {
  const [text, setText] = useState(warmUpText(steps))
  const action = useAction(async () => save({ first_contacts_warm_up: stepsOf(text) }))
  return (
    <LineForm action={action} does={t('Save the warm-up')} isDisabled={text === warmUpText(steps)} needs="instances.change">
      <Line
        label={t('Warm-up')}
        hint={t(
          'Days since the link, and the largest number of new people in 24 hours from then on. Leave it empty to switch it off.',
        )}
        value={text}
        placeholder="0: 10, 7: 50, 30: none"
        onChange={setText}
      />
    </LineForm>
  )
}

interface Hours {
  from: string
  to: string
  time_zone: string
}

const NO_HOURS: Hours = { from: '', to: '', time_zone: '' }

function Quiet({ hours, save }: { hours: Hours | null; save: Save }) {
  const saved = hours ?? NO_HOURS
  const [now, setNow] = useState(saved)
  const isEmpty = now.from === '' && now.to === ''
  const action = useAction(() => save({ quiet_hours: isEmpty ? null : now }))
  const isSame = now.from === saved.from && now.to === saved.to && now.time_zone === saved.time_zone
  return (
    <LineForm action={action} does={t('Save the quiet hours')} isDisabled={isSame} needs="instances.change">
      <Line label={t('Quiet from')} value={now.from} placeholder="22:00" onChange={(from) => setNow({ ...now, from })} />
      <Line label={t('to')} value={now.to} placeholder="08:00" onChange={(to) => setNow({ ...now, to })} />
      <Line
        label={t('Time zone')}
        value={now.time_zone}
        placeholder={Intl.DateTimeFormat().resolvedOptions().timeZone}
        onChange={(time_zone) => setNow({ ...now, time_zone })}
      />
    </LineForm>
  )
}

interface SafetyProps extends TabProps {
  save: Save
}

export function Safety({ row, instance, save }: SafetyProps) {
  const { data, problem, reload } = useLoad(() => load(row.id), [row.id, row.queue])
  useEvery(RELOAD, reload)
  const saved: Save = (body) => save(body).finally(reload)
  const { settings } = instance.data
  return (
    <section class="card" aria-label={t('Send safety')}>
      <header>
        <h2>{t('Send safety')}</h2>
        <p>
          {t(
            'Limits that protect the number from a ban. Messages over a limit wait in the queue; answers to people who wrote never wait.',
          )}
        </p>
      </header>
      <Problem of={problem} again={reload} />
      {data ? <Used usage={data} /> : problem ? null : <Skeleton />}
      <SchemaForm
        fields={pick(FIELDS, (name) => NUMBERS.includes(name))}
        values={settings as Values}
        save={saved}
        does={t('Save the limits')}
        needs="instances.change"
      />
      <WarmUp steps={settings.first_contacts_warm_up} save={saved} />
      <Quiet hours={settings.quiet_hours} save={saved} />
    </section>
  )
}
