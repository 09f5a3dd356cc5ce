import { answer, api } from '../../api/client.ts'
import { useLoad } from '../../app/load.ts'
import { Problem, Skeleton } from '../../parts/notice.tsx'
import { fieldsOf, pick, SchemaForm, type Values } from '../../parts/schema-form.tsx'
import { dayText } from '../../parts/time.tsx'
import { FIELD_WORDS } from '../../texts/field-words.ts'
import { t } from '../../texts/t.ts'

const FIELDS = fieldsOf('admin.updateSubscription')

const isLimit = (name: string) => name === 'instance_slots'

const load = () => answer(api.GET('/admin/workspace'))

function Rename({ name, reload }: { name: string; reload(): Promise<void> }) {
  const save = async ({ name }: Values) => {
    await answer(api.PUT('/admin/workspace', { body: { name: String(name) } }))
    await reload()
    return t('Renamed.')
  }
  return <SchemaForm fields={{ name: { type: 'string' } }} values={{ name }} save={save} does={t('Rename')} />
}

export function PlanTab() {
  const { data, problem, reload } = useLoad(load, [])
  if (!data) return problem ? <Problem of={problem} again={reload} /> : <Skeleton />
  const { subscription } = data
  const save = async (changes: Values) => {
    await answer(api.PUT('/admin/subscription', { body: changes }))
    await reload()
    return t('Saved.')
  }
  return (
    <div class="columns">
      <section class="card">
        <header>
          <h2>{t('Plan')}</h2>
        </header>
        <dl class="facts">
          <dt>{t('Status')}</dt>
          <dd>{FIELD_WORDS.status?.options?.[subscription.status]}</dd>
          <dt>{t('Instances')}</dt>
          <dd class="number">
            {t('{used} of {total}', { used: subscription.instances_used, total: subscription.instance_slots })}
          </dd>
          <dt>{t('Valid until')}</dt>
          <dd>{dayText(subscription.due_at)}</dd>
          {subscription.trial_ends_at ? (
            <>
              <dt>{t('Trial ends')}</dt>
              <dd>{dayText(subscription.trial_ends_at)}</dd>
            </>
          ) : null}
        </dl>
        <progress
          max={Math.max(1, subscription.instance_slots)}
          value={subscription.instances_used}
          aria-label={t('Slots in use')}
        />
        <h3>{t('Workspace')}</h3>
        <Rename name={data.name} reload={reload} />
      </section>
      <section class="card">
        <header>
          <h2>{t('Instance limit')}</h2>
          <p>{t('How many instances this workspace may have.')}</p>
        </header>
        <SchemaForm fields={pick(FIELDS, isLimit)} values={subscription} save={save} does={t('Save the limit')} />
        <details>
          <summary>{t('Advanced: suspend the workspace, or let it end')}</summary>
          <p class="soft">{t('You set the plan yourself; it costs nothing. It never stops a session.')}</p>
          <SchemaForm
            fields={pick(FIELDS, (name) => !isLimit(name))}
            values={subscription}
            save={save}
            does={t('Save the plan')}
          />
        </details>
      </section>
    </div>
  )
}
