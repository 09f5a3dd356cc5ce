import type { SessionKey } from '../../../domain/dashboard.ts'
import { RIGHTS, type Right, type RightName } from '../../../domain/dashboard-rights.ts'
import { whyNot } from '../../api/rights.ts'
import { Badge } from '../../parts/badge.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Name } from '../../parts/words.tsx'
import { ofService, t } from '../../texts/t.ts'

interface Row extends Pick<Right, 'page' | 'may'> {
  name: string
  /** Why the key does not have the right; undefined if it has the right. */
  reason: string | undefined
}

const rowsOf = (): Row[] =>
  (Object.entries(RIGHTS) as [RightName, Right][]).map(([name, { page, may }]) => ({ name, page, may, reason: whyNot(name) }))

const COLUMNS: readonly Column<Row>[] = [
  { label: t('To'), isHead: true, cell: ({ may }) => ofService(may) },
  { label: t('Page'), cell: ({ page }) => ofService(page) },
  {
    label: t('This key'),
    cell: ({ reason }) => (
      <span>
        <Badge look={reason ? '' : 'good'}>{reason ? t('May not') : t('May')}</Badge>
        {reason ? <span class="under">{reason}</span> : null}
      </span>
    ),
  },
]

export const OwnKey = ({ of }: { of: SessionKey }) => (
  <section class="card flush" aria-label={t('Your key')}>
    <header>
      <h2>
        <Name>{of.name}</Name>
      </h2>
      <code>{of.hint}</code>
      <p>
        {t(
          'You signed in with this key. Its owner decides what it may do and can change or revoke it at any time. What it may not do is refused by the service, too.',
        )}
      </p>
    </header>
    <Table name={t('What this key may do')} rows={rowsOf()} columns={COLUMNS} keyOf={({ name }) => name} />
  </section>
)
