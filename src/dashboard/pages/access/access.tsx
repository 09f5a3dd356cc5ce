/**
 * The page about keys and access. A session of the admin key sees keys, required credentials, allowed addresses, the
 * plan and the sessions. A session of an API key sees what its key may do.
 */
import type { FunctionComponent } from 'preact'
import { session } from '../../api/session.ts'
import { route, to } from '../../app/route.ts'
import { t } from '../../texts/t.ts'
import { NotFoundPage } from '../not-found.tsx'
import { KeysTab } from './keys.tsx'
import { OwnKey } from './own-key.tsx'
import { PlanTab } from './plan.tsx'
import { RequirementsTab } from './requirements.tsx'
import { SessionsTab } from './sessions.tsx'

const TABS: readonly { path: string; name: string; show: FunctionComponent }[] = [
  { path: '', name: t('API keys'), show: KeysTab },
  { path: 'requirements', name: t('Requirements'), show: RequirementsTab },
  { path: 'plan', name: t('Plan'), show: PlanTab },
  { path: 'sessions', name: t('Admin key and sessions'), show: SessionsTab },
]

export function AccessPage() {
  const tab = TABS.find(({ path }) => path === (route.value.path[1] ?? ''))
  if (!tab) return <NotFoundPage />
  const Tab = tab.show
  const key = session.value?.key
  return (
    <div class="page">
      <header>
        <h1>{t('Keys and access')}</h1>
      </header>
      {key ? (
        <OwnKey of={key} />
      ) : (
        <>
          <nav class="tabs" aria-label={t('Views of keys and access')}>
            {TABS.map(({ path, name }) => (
              <a
                key={path}
                class="tab-link"
                href={to(['access', path].filter(Boolean))}
                aria-current={path === tab.path ? 'page' : undefined}
              >
                {name}
              </a>
            ))}
          </nav>
          <Tab />
        </>
      )}
    </div>
  )
}
