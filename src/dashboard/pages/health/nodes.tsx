/** The services on a store in PostgreSQL, with the button that hands over to a standby. */
import { useState } from 'preact/hooks'
import { answer, api } from '../../api/client.ts'
import { useEvery, useLoad } from '../../app/load.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Problem } from '../../parts/notice.tsx'
import { Sentence } from '../../parts/sentence.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { Name } from '../../parts/words.tsx'
import { t } from '../../texts/t.ts'

const LOOK_EVERY_MS = 5_000
const MOST = 100

const load = () => answer(api.GET('/admin/nodes', { params: { query: { page_size: MOST } } }))
type Node = Awaited<ReturnType<typeof load>>['data'][number]

const STATES = {
  active: [t('Active'), 'good'],
  standby: [t('Standby'), ''],
  lost: [t('Lost'), 'bad'],
} as const satisfies Record<Node['state'], readonly [text: string, look: 'good' | 'bad' | '']>

const Takeover = ({ of: { takeover } }: { of: Node }) =>
  takeover === null ? null : (
    <span class="under">
      <Sentence
        text={takeover.cause === 'planned' ? 'took over from {name}, which stopped' : 'took over from {name}, which had failed'}
        elements={{ name: <Name>{takeover.from ?? t('another service')}</Name> }}
      />
    </span>
  )

const columnsOf = (hasStandby: boolean, onDrain: (node: Node) => void): readonly Column<Node>[] => [
  {
    label: t('Service'),
    isHead: true,
    cell: ({ name, address }) => (
      <span class="break">
        <Name>{name}</Name>
        {address === null ? null : <code class="under">{address}</code>}
      </span>
    ),
  },
  { label: t('State'), cell: ({ state }) => <Badge look={STATES[state][1]}>{STATES[state][0]}</Badge> },
  {
    label: t('Since'),
    cell: (node) => (
      <span>
        <Ago at={node.since} />
        <Takeover of={node} />
      </span>
    ),
  },
  { label: t('Version'), cell: ({ release }) => release },
  {
    label: '',
    isRight: true,
    cell: (node) =>
      node.state === 'active' && hasStandby ? (
        <Button label={t('Hand over from {name}', { name: node.name })} onPress={() => onDrain(node)}>
          {t('Hand over')}
        </Button>
      ) : null,
  },
]

export function Nodes() {
  const { data, problem, reload } = useLoad(load, [])
  const [drained, drain] = useState<Node>()
  useEvery(LOOK_EVERY_MS, reload)
  const rows = data?.data ?? []
  const hasStandby = rows.some(({ state }) => state === 'standby')
  return (
    <section class="card flush" aria-label={t('Services on this store')}>
      <header>
        <h2>{t('Services on this store')}</h2>
      </header>
      <Problem of={problem} again={reload} />
      {data ? (
        <Table name={t('Services on this store')} rows={rows} columns={columnsOf(hasStandby, drain)} keyOf={({ id }) => id} />
      ) : null}
      {drained ? (
        <Confirm
          title={<Sentence text="Hand over from {name}?" elements={{ name: <Name>{drained.name}</Name> }} />}
          does={t('Hand over')}
          isDangerous={false}
          onClose={() => drain(undefined)}
          act={async () => {
            await answer(api.POST('/admin/nodes/{node_id}/drain', { params: { path: { node_id: drained.id } } }))
            return t('The service hands over to its standby.')
          }}
        >
          <p>
            {t(
              'It finishes its requests, closes all sessions without a logout, and ends. The standby takes over and logs the accounts in again. The supervisor starts the ended service again as the standby.',
            )}
          </p>
        </Confirm>
      ) : null}
    </section>
  )
}
