import type { ComponentChildren } from 'preact'
import type { RightName } from '../../domain/dashboard-rights.ts'
import { whyNot } from '../api/rights.ts'
import { to } from '../app/route.ts'
import { t } from '../texts/t.ts'
import { Empty } from './notice.tsx'

export const Withheld = ({ reason }: { reason: string }) => (
  <Empty title={t('Not with this key')} actions={<a href={to(['access'])}>{t('What this key may do')}</a>}>
    {reason}
  </Empty>
)

interface AllowedProps {
  to: RightName
  title: string
  children: ComponentChildren
}

export function Allowed({ to: right, title, children }: AllowedProps) {
  const reason = whyNot(right)
  if (reason === undefined) return <>{children}</>
  return (
    <section class="card">
      <header>
        <h2>{title}</h2>
      </header>
      <p class="soft">{reason}</p>
    </section>
  )
}
