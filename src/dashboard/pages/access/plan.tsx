import { answer, api } from '../../api/client.ts'
import { useLoad } from '../../app/load.ts'
import { Problem, Skeleton } from '../../parts/notice.tsx'
import { fieldsOf, SchemaForm, type Values } from '../../parts/schema-form.tsx'
import { dayText } from '../../parts/time.tsx'
import { readable } from '../../parts/words.tsx'

const FIELDS = fieldsOf('admin.updateSubscription')

const load = () => answer(api.GET('/admin/workspace'))

function Rename({ name, reload }: { name: string; reload(): Promise<void> }) {
  const save = async ({ name }: Values) => {
    await answer(api.PUT('/admin/workspace', { body: { name: String(name) } }))
    await reload()
    return 'Renamed.'
  }
  return (
    <SchemaForm
      fields={{ name: { type: 'string', description: 'Name of this workspace; only you see it.' } }}
      values={{ name }}
      save={save}
      verb="Rename"
    />
  )
}

export function PlanTab() {
  const { data, problem, reload } = useLoad(load, [])
  if (!data) return problem ? <Problem of={problem} again={reload} /> : <Skeleton />
  const { subscription } = data
  const save = async (changes: Values) => {
    await answer(api.PUT('/admin/subscription', { body: changes }))
    await reload()
    return 'Saved.'
  }
  return (
    <div class="columns">
      <section class="card">
        <header>
          <h2>Plan</h2>
        </header>
        <dl class="facts">
          <dt>Status</dt>
          <dd>{readable(subscription.status)}</dd>
          <dt>Instances</dt>
          <dd class="number">
            {subscription.instances_used} of {subscription.instance_slots}
          </dd>
          <dt>Paid until</dt>
          <dd>{dayText(subscription.due_at)}</dd>
          {subscription.trial_ends_at ? (
            <>
              <dt>Trial ends</dt>
              <dd>{dayText(subscription.trial_ends_at)}</dd>
            </>
          ) : null}
        </dl>
        <progress max={Math.max(1, subscription.instance_slots)} value={subscription.instances_used} aria-label="Slots in use" />
        <h3>Workspace</h3>
        <Rename name={data.name} reload={reload} />
      </section>
      <section class="card">
        <header>
          <h2>Change the plan</h2>
          <p>You decide the plan; nobody is paid for it. It never stops a session.</p>
        </header>
        <SchemaForm fields={FIELDS} values={subscription} save={save} />
      </section>
    </div>
  )
}
