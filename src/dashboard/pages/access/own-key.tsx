/** The rights of the session's API key, from the table by which the service decides. */

import type { SessionKey } from '../../../domain/dashboard.ts'
import { lackOf, lackSentence, RIGHTS, type Right, type RightName } from '../../../domain/dashboard-rights.ts'
import { Badge } from '../../parts/badge.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Name } from '../../parts/words.tsx'

interface Row extends Pick<Right, 'page' | 'may'> {
  name: string
  /** Reason why the key does not have the right; undefined if it has the right. */
  reason: string | undefined
}

function rowsOf({ scopes }: SessionKey): Row[] {
  return (Object.entries(RIGHTS) as [RightName, Right][]).map(([name, { page, may }]) => {
    const lack = lackOf(scopes, name)
    return { name, page, may, reason: lack && lackSentence(lack) }
  })
}

const COLUMNS: readonly Column<Row>[] = [
  { label: 'To', isHead: true, cell: ({ may }) => may },
  { label: 'Page', cell: ({ page }) => page },
  {
    label: 'This key',
    cell: ({ reason }) => (
      <span>
        <Badge look={reason ? '' : 'good'}>{reason ? 'May not' : 'May'}</Badge>
        {reason ? <span class="under">{reason}</span> : null}
      </span>
    ),
  },
]

export const OwnKey = ({ of }: { of: SessionKey }) => (
  <section class="card flush" aria-label="Your key">
    <header>
      <h2>
        <Name>{of.name}</Name>
      </h2>
      <code>{of.hint}</code>
      <p>
        You signed in with this key. Its owner decides what it may do and can change or revoke it at any time. What it may not do
        is refused by the service, too.
      </p>
    </header>
    <Table name="What this key may do" rows={rowsOf(of)} columns={COLUMNS} keyOf={({ name }) => name} />
  </section>
)
