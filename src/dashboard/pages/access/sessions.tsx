import { useState } from 'preact/hooks'
import type { SessionRow } from '../../../domain/dashboard.ts'
import { answer, api, ask } from '../../api/client.ts'
import { session, signedOut } from '../../api/session.ts'
import { signOut } from '../../api/sign-in.ts'
import { useAction, useLoad } from '../../app/load.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm, Dialog } from '../../parts/dialog.tsx'
import { Notice, Problem, Skeleton } from '../../parts/notice.tsx'
import { Secret } from '../../parts/secret.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { Name } from '../../parts/words.tsx'
import { t } from '../../texts/t.ts'

const columnsOf = (end: (row: SessionRow) => void): readonly Column<SessionRow>[] => [
  {
    label: t('From'),
    isHead: true,
    cell: ({ address, current, user_agent }) => (
      <span class="break">
        <bdi>{address}</bdi> {current ? <span class="tag">{t('this one')}</span> : null}
        {user_agent ? <bdi class="under agent">{user_agent}</bdi> : null}
      </span>
    ),
  },
  { label: t('Key'), cell: ({ key }) => (key ? <Name>{key.name}</Name> : t('Admin key')) },
  { label: t('Signed in'), cell: ({ created_at }) => <Ago at={created_at} /> },
  { label: t('Last used'), cell: ({ last_used_at }) => <Ago at={last_used_at} /> },
  { label: t('Ends'), cell: ({ expires_at }) => <Ago at={expires_at} /> },
  {
    label: '',
    isRight: true,
    cell: (row) => (
      <Button isDangerous onPress={() => end(row)} label={t('End the session from {address}', { address: row.address })}>
        {t('End')}
      </Button>
    ),
  },
]

function AdminKey() {
  const [isAsking, setAsking] = useState(false)
  const [value, setValue] = useState<string>()
  const isFixed = session.value?.admin_key_from_environment
  return (
    <section class="card">
      <header>
        <h2>{t('Admin key')}</h2>
        <Button isDangerous isDisabled={isFixed} onPress={() => setAsking(true)}>
          {t('Rotate')}
        </Button>
        <p>
          {isFixed
            ? t('SVC_ADMIN_KEY sets the admin key: change it there, and restart the service.')
            : t('Anyone who has it can do everything. Rotate it when somebody who knew it leaves.')}
        </p>
      </header>
      {isAsking ? (
        <Confirm
          title={t('Create a new admin key?')}
          does={t('Rotate')}
          onClose={() => setAsking(false)}
          act={async () => {
            setValue((await answer(api.POST('/admin/admin-key', { body: { revoke_oauth: false } }))).value)
            return undefined
          }}
        >
          <p>
            {t(
              'The current key stops working immediately, and everybody who signed in with it is signed out, including you. The new key is shown once.',
            )}
          </p>
        </Confirm>
      ) : null}
      {value ? (
        <Dialog title={t('The new admin key')} closes={t('I have copied it: sign in again')} onClose={() => signedOut()} isKept>
          <Notice kind="warn">
            <div>{t('The key is shown only once. You are signed out: sign in with this key.')}</div>
          </Notice>
          <Secret value={value} what={t('admin key')} isOpen />
        </Dialog>
      ) : null}
    </section>
  )
}

export function SessionsTab() {
  const { data, problem, reload } = useLoad(() => ask<{ data: SessionRow[] }>('GET', 'api/sessions'), [])
  const end = useAction(async ({ id, current }: SessionRow) => {
    if (current) await signOut()
    else {
      await ask('DELETE', `api/sessions/${encodeURIComponent(id)}`)
      await reload()
    }
    return t('The session was ended.')
  })
  return (
    <>
      <AdminKey />
      <section class="card flush" aria-label={t('Sessions')}>
        <header>
          <h2>{t('Signed in to this dashboard')}</h2>
          <p>
            {t(
              'A session ends with its key, half an hour after its last use, and after twelve hours at the latest. A restart of the service does not end it. An open tab counts as use.',
            )}
          </p>
        </header>
        <Problem of={problem ?? end.problem} again={reload} />
        {!data && !problem ? (
          <div class="card-inside">
            <Skeleton />
          </div>
        ) : null}
        {data ? (
          <Table name={t('Sessions')} rows={data.data} columns={columnsOf((row) => end.run(row))} keyOf={({ id }) => id} />
        ) : null}
      </section>
    </>
  )
}
