import type { FunctionComponent } from 'preact'
import type { RightName } from '../../../domain/dashboard-rights.ts'
import { isComplete, rows } from '../../api/live.ts'
import { whyNot } from '../../api/rights.ts'
import { useLoad } from '../../app/load.ts'
import { route, to } from '../../app/route.ts'
import { StateBadge } from '../../parts/badge.tsx'
import { InstanceName } from '../../parts/instance-name.tsx'
import { Empty, Problem, Skeleton } from '../../parts/notice.tsx'
import { Withheld } from '../../parts/withheld.tsx'
import { t } from '../../texts/t.ts'
import { NotFoundPage } from '../not-found.tsx'
import { Deeds } from './deeds.tsx'
import { Overview } from './overview.tsx'
import { Queue } from './queue.tsx'
import { SettingsTab } from './settings.tsx'
import { StateNotices } from './state/state-notices.tsx'
import { loadInstance, type TabProps } from './tab.ts'
import { WebhooksTab } from './webhooks.tsx'

const TABS: readonly { path: string; name: string; show: FunctionComponent<TabProps>; needs?: RightName }[] = [
  { path: '', name: t('Overview'), show: Overview },
  { path: 'queue', name: t('Queue'), show: Queue, needs: 'queue.see' },
  { path: 'webhooks', name: t('Webhooks'), show: WebhooksTab, needs: 'webhooks.see' },
  { path: 'settings', name: t('Settings'), show: SettingsTab },
]

const Gone = () => (
  <div class="page">
    <header>
      <h1>{t('Instance')}</h1>
    </header>
    <section class="card">
      <Empty title={t('No such instance')} actions={<a href={to(['instances'])}>{t('All instances')}</a>}>
        {t('The instance was deleted, or the address is wrong.')}
      </Empty>
    </section>
  </div>
)

export function InstancePage({ id }: { id: string }) {
  const row = rows.value.get(id)
  const instance = useLoad(() => loadInstance(id), [id])
  if (instance.problem?.status === 404 || (isComplete.value && !row && instance.data === undefined && instance.problem))
    return <Gone />
  const tab = TABS.find(({ path }) => path === (route.value.path[2] ?? ''))
  if (!tab) return <NotFoundPage />
  const { data } = instance
  const Tab = tab.show
  const reason = whyNot(tab.needs)
  return (
    <div class="page">
      <header>
        <h1>
          <a class="crumb" href={to(['instances'])}>
            {t('Instances')}
          </a>
          <span class="crumb"> / </span>
          <InstanceName id={id} fallback={data?.name ?? '…'} />
        </h1>
        {row ? <StateBadge row={row} /> : null}
        {row ? <Deeds row={row} onRenamed={instance.reload} /> : null}
      </header>
      <nav class="tabs" aria-label={t('Views of this instance')}>
        {TABS.map(({ path, name }) => (
          <a
            key={path}
            class="tab-link"
            href={to(['instances', id, path].filter(Boolean))}
            aria-current={path === tab.path ? 'page' : undefined}
          >
            {name}
            {path === 'queue' && row?.queue ? ` (${row.queue})` : ''}
          </a>
        ))}
      </nav>
      {row ? <StateNotices row={row} /> : null}
      <Problem of={instance.problem} again={instance.reload} />
      {reason ? (
        <section class="card">
          <Withheld reason={reason} />
        </section>
      ) : null}
      {!reason && row && data ? <Tab row={row} instance={{ ...instance, data }} /> : null}
      {row && data ? null : <Skeleton />}
    </div>
  )
}
