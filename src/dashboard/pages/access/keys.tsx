import { useState } from 'preact/hooks'
import { answer, api } from '../../api/client.ts'
import { useLoad } from '../../app/load.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Empty, Problem, Skeleton } from '../../parts/notice.tsx'
import { Sentence } from '../../parts/sentence.tsx'
import { type Column, Pager, Table } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { Name } from '../../parts/words.tsx'
import { t } from '../../texts/t.ts'
import { type ApiKey, loadKeys, PAGE_SIZE } from './api-keys.ts'
import { ImportToken } from './import-token.tsx'
import { KeyDialog } from './key.tsx'

type Asked = { what: 'create' | 'import' } | { what: 'change' | 'revoke'; key: ApiKey } | undefined

const columnsOf = (ask: (asked: Asked) => void): readonly Column<ApiKey>[] => [
  {
    label: t('Name'),
    isHead: true,
    cell: ({ name, hint }) => (
      <span class="break">
        <Name>{name}</Name>
        <code class="under">{hint}</code>
      </span>
    ),
  },
  {
    label: t('May'),
    cell: ({ scopes }) => (
      <span class="scopes">
        {scopes.map((scope) => (
          <span class="tag" key={scope}>
            {scope}
          </span>
        ))}
      </span>
    ),
  },
  { label: t('Made'), cell: ({ created_at }) => <Ago at={created_at} /> },
  {
    label: t('Last used'),
    cell: ({ last_used_at, last_used_ip }) => (
      <span>
        <Ago at={last_used_at} />
        {last_used_ip ? <span class="under">{last_used_ip}</span> : null}
      </span>
    ),
  },
  {
    label: '',
    isRight: true,
    cell: (key) => (
      <span class="row end">
        <Button label={t('Change {name}', { name: key.name })} onPress={() => ask({ what: 'change', key })}>
          {t('Change')}
        </Button>
        <Button isDangerous label={t('Revoke {name}', { name: key.name })} onPress={() => ask({ what: 'revoke', key })}>
          {t('Revoke')}
        </Button>
      </span>
    ),
  },
]

export function KeysTab() {
  const [page, setPage] = useState(1)
  const [asked, ask] = useState<Asked>()
  const { data, problem, reload } = useLoad(() => loadKeys(page), [page])
  const close = () => ask(undefined)
  return (
    <section class="card flush" aria-label={t('API keys')}>
      <header>
        <h2>{t('API keys')}</h2>
        <Button onPress={() => ask({ what: 'import' })}>{t('Import a client token')}</Button>
        <Button look="primary" onPress={() => ask({ what: 'create' })}>
          {t('Create a key')}
        </Button>
        <p>
          {t(
            'Programs use API keys. The Account API always requires one; calls to an instance only require one if the requirements say so.',
          )}
        </p>
      </header>
      <Problem of={problem} again={reload} />
      {!data && !problem ? (
        <div class="card-inside">
          <Skeleton />
        </div>
      ) : null}
      {data?.total === 0 ? (
        <Empty title={t('No keys yet')}>
          {t('Create one key for each program, with only the scopes it needs, so that you can revoke each key separately.')}
        </Empty>
      ) : null}
      {data && data.total > 0 ? (
        <>
          <Table name={t('API keys')} rows={data.data} columns={columnsOf(ask)} keyOf={({ id }) => id} />
          <Pager page={page} pageSize={PAGE_SIZE} total={data.total} what={['key', 'keys']} onPage={setPage} />
        </>
      ) : null}
      {asked?.what === 'create' ? <KeyDialog onClose={close} onDone={reload} /> : null}
      {asked?.what === 'change' ? <KeyDialog of={asked.key} onClose={close} onDone={reload} /> : null}
      {asked?.what === 'import' ? <ImportToken onClose={close} onDone={reload} /> : null}
      {asked?.what === 'revoke' ? (
        <Confirm
          title={<Sentence text="Revoke {name}?" elements={{ name: <Name>{asked.key.name}</Name> }} />}
          does={t('Revoke')}
          onClose={close}
          act={async () => {
            await answer(api.DELETE('/admin/api-keys/{key_id}', { params: { path: { key_id: asked.key.id } } }))
            await reload()
            return t('The key is revoked and no longer works.')
          }}
        >
          <p>{t('Programs that use it are refused immediately. This cannot be undone; a new key has a different value.')}</p>
        </Confirm>
      ) : null}
    </section>
  )
}
