import type { Health, HealthProblem } from '../../../domain/dashboard.ts'
import { type HealthCode, healthSentences } from '../../../domain/health-words.ts'
import { to } from '../../app/route.ts'
import { InstanceName } from '../../parts/instance-name.tsx'
import { Notice } from '../../parts/notice.tsx'
import { FIELD_WORDS } from '../../texts/field-words.ts'
import { language } from '../../texts/language.ts'
import { ofService, t } from '../../texts/t.ts'

const EVENTS = [to(['webhook-log'], { status: 'pending' }), t('See the events')] as const
const PLAN = [to(['access', 'plan']), t('Plan')] as const

/**
 * Pages on which somebody can solve a problem, by the code of the problem. Problems of instances link to the instances.
 */
const WAYS: Readonly<Partial<Record<HealthCode, readonly [href: string, text: string]>>> = {
  deliveries: EVENTS,
  receivers: EVENTS,
  events_lost: EVENTS,
  events_behind: EVENTS,
  plan_refuses: PLAN,
  plan_no_account_api: PLAN,
  plan_ends: PLAN,
  slots: PLAN,
}

/**
 * Returns the sentences about a problem. In English they are those of the service, which may have details for which
 * there is no translation.
 */
function sentencesOf({ code, values, what, todo }: HealthProblem): string {
  if (language === 'en') return `${what} ${todo}`
  const status = FIELD_WORDS.status?.options?.[values.status ?? ''] ?? ''
  const sentences = healthSentences(code, values)
  return `${ofService(sentences.what, { ...values, status })} ${ofService(sentences.todo)}`
}

const Instances = ({ of: { instance_ids = [], instances = 0, status } }: { of: HealthProblem }) =>
  instance_ids.length === 0 ? null : (
    <ul class="under links">
      {instance_ids.map((id) => (
        <li key={id}>
          <a href={to(['instances', id])}>
            <InstanceName id={id} />
          </a>
        </li>
      ))}
      {instances > instance_ids.length ? (
        <li>
          <a href={to(['instances'], { status: status ?? 'trouble' })}>
            {t('and {n} more', { n: instances - instance_ids.length })}
          </a>
        </li>
      ) : null}
    </ul>
  )

export const Problems = ({ health }: { health: Health }) => (
  <>
    {health.problems.map((problem) => {
      const way = WAYS[problem.code]
      return (
        <Notice key={problem.what} kind={problem.level === 'error' ? 'bad' : 'warn'}>
          <div>
            {sentencesOf(problem)} {way ? <a href={way[0]}>{way[1]}</a> : null}
            <Instances of={problem} />
          </div>
        </Notice>
      )
    })}
  </>
)
