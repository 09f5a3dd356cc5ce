/** The services on a store in PostgreSQL, with the button that hands over to a standby, or to the other members. */
import { useState } from 'preact/hooks'
import type { AnsweringService } from '../../../domain/dashboard.ts'
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
import { formats } from '../../texts/language.ts'
import { t } from '../../texts/t.ts'

const LOOK_EVERY_MS = 5_000
const MOST = 100

const load = () => answer(api.GET('/admin/nodes', { params: { query: { page_size: MOST } } }))
type Node = Awaited<ReturnType<typeof load>>['data'][number]

const STATES = {
  active: [t('Active'), 'good'],
  leaving: [t('Leaving'), 'warn'],
  standby: [t('Standby'), ''],
  lost: [t('Lost'), 'bad'],
} as const satisfies Record<Node['state'], readonly [text: string, look: 'good' | 'bad' | 'warn' | '']>

const Takeover = ({ of: { takeover } }: { of: Node }) =>
  takeover === null ? null : (
    <span class="under">
      <Sentence
        text={takeover.cause === 'planned' ? 'took over from {name}, which stopped' : 'took over from {name}, which had failed'}
        elements={{ name: <Name>{takeover.from ?? t('another service')}</Name> }}
      />
    </span>
  )

/**
 * The successor of a service that hands over its accounts: a standby, or the other members of the cluster. Undefined if
 * there is neither.
 */
type Successor = 'standby' | 'members' | undefined

function successorOf(rows: readonly Node[]): Successor {
  if (rows.some(({ state }) => state === 'standby')) return 'standby'
  return rows.filter(({ state }) => state === 'active').length > 1 ? 'members' : undefined
}

interface ColumnsOptions {
  answering: AnsweringService
  successor: Successor
  onDrain(node: Node): void
}

const columnsOf = ({ answering, successor, onDrain }: ColumnsOptions): readonly Column<Node>[] => [
  {
    label: t('Service'),
    isHead: true,
    cell: ({ id, name, address }) => (
      <span class="break">
        <Name>{name}</Name>
        {address === null ? null : <code class="under">{address}</code>}
        {id === answering.id ? <span class="under">{t('answers this page')}</span> : null}
      </span>
    ),
  },
  { label: t('State'), cell: ({ state }) => <Badge look={STATES[state][1]}>{STATES[state][0]}</Badge> },
  {
    label: t('Instances'),
    isRight: true,
    cell: ({ instances }) => <span class="number">{instances?.toLocaleString(formats) ?? '–'}</span>,
  },
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
      node.state === 'active' && successor ? (
        <Button label={t('Hand over from {name}', { name: node.name })} onPress={() => onDrain(node)}>
          {t('Hand over')}
        </Button>
      ) : null,
  },
]

const Moves = ({ of: { given, taken, taken_over } }: { of: NonNullable<AnsweringService['moves']> }) => (
  <p>
    {t(
      'Since its start, the service that answers gave {given} instances to other members, took {taken}, and took over {taken_over} after a failure.',
      {
        given,
        taken,
        taken_over,
      },
    )}
  </p>
)

const DOES = {
  standby: {
    done: t('The service hands over to its standby.'),
    more: t(
      'It finishes its requests, closes all sessions without a logout, and ends. The standby takes over and logs the accounts in again. The supervisor starts the ended service again as the standby.',
    ),
  },
  members: {
    done: t('The service hands over to the other members.'),
    more: t(
      'It gives its accounts to the other members one by one; each is logged in again there within about a second. It answers requests meanwhile, and then ends. The supervisor starts it again, and a minute later it gets a part of the accounts.',
    ),
  },
} as const satisfies Record<NonNullable<Successor>, object>

interface HandOverProps {
  from: Node
  to: NonNullable<Successor>
  onClose(): void
  onDone(): void
}

const HandOver = ({ from: { id, name }, to, onClose, onDone }: HandOverProps) => (
  <Confirm
    title={<Sentence text="Hand over from {name}?" elements={{ name: <Name>{name}</Name> }} />}
    does={t('Hand over')}
    isDangerous={false}
    onClose={onClose}
    act={async () => {
      await answer(api.POST('/admin/nodes/{node_id}/drain', { params: { path: { node_id: id } } }))
      onDone()
      return DOES[to].done
    }}
  >
    <p>{DOES[to].more}</p>
  </Confirm>
)

export function Nodes({ answering }: { answering: AnsweringService }) {
  const { data, problem, reload } = useLoad(load, [])
  const [drained, drain] = useState<{ node: Node; to: NonNullable<Successor> }>()
  useEvery(LOOK_EVERY_MS, reload)
  const rows = data?.data ?? []
  const successor = successorOf(rows)
  const onDrain = (node: Node) => drain(successor && { node, to: successor })
  return (
    <section class="card flush" aria-label={t('Services on this store')}>
      <header>
        <h2>{t('Services on this store')}</h2>
        {answering.moves ? <Moves of={answering.moves} /> : null}
      </header>
      <Problem of={problem} again={reload} />
      {data ? (
        <Table
          name={t('Services on this store')}
          rows={rows}
          columns={columnsOf({ answering, successor, onDrain })}
          keyOf={({ id }) => id}
        />
      ) : null}
      {drained ? <HandOver from={drained.node} to={drained.to} onClose={() => drain(undefined)} onDone={reload} /> : null}
    </section>
  )
}
