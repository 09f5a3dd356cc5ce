import { useState } from 'preact/hooks'
import type { InstanceRow } from '../../../domain/dashboard.ts'
import { hasNoAccount } from '../../../domain/instance-list.ts'
import { answer, api, of } from '../../api/client.ts'
import { useAction } from '../../app/load.ts'
import { go, to } from '../../app/route.ts'
import { Button } from '../../parts/button.tsx'
import { ActionDialog, Confirm } from '../../parts/dialog.tsx'
import { Line } from '../../parts/field.tsx'
import { Problem } from '../../parts/notice.tsx'
import { t } from '../../texts/t.ts'
import { Export } from './export.tsx'
import { staysOnPhone } from './state/stays-on-phone.ts'

function Rename({ row, onDone, onClose }: { row: InstanceRow; onDone(): unknown; onClose(): void }) {
  const [name, setName] = useState(row.name)
  const action = useAction(async () => {
    const params = { path: of(row.id) }
    await answer(api.PUT('/instances/{instance_id}/token/{token}/name', { params, body: { value: name } }))
    onDone()
    onClose()
    return t('Renamed.')
  })
  return (
    <ActionDialog
      title={t('Rename the instance')}
      onClose={onClose}
      action={action}
      does={t('Rename')}
      isDisabled={name === row.name}
      fields={['value']}
    >
      <Line
        label={t('Name')}
        value={name}
        required
        maxLength={100}
        wrong={action.problem?.issues.get('value')}
        onChange={setName}
      />
    </ActionDialog>
  )
}

type Asked = 'rename' | 'export' | 'logout' | 'delete' | undefined

const OnThePhone = ({ row }: { row: InstanceRow }) =>
  staysOnPhone(row) ? (
    <p>{t('The instance is not connected, so also remove the device on the phone, under Linked devices.')}</p>
  ) : null

function PauseButton({ row }: { row: InstanceRow }) {
  const isPaused = row.status_reason === 'paused'
  const params = { path: of(row.id) }
  const { run, isBusy, problem } = useAction(async () => {
    if (isPaused) {
      await answer(api.POST('/instances/{instance_id}/token/{token}/resume', { params }))
      return t('Resumed.')
    }
    await answer(api.POST('/instances/{instance_id}/token/{token}/pause', { params }))
    return t('Paused. It stays linked to the phone; messages wait in the queue.')
  })
  const isLinked = row.was_connected && !hasNoAccount(row) && row.status !== 'banned' && row.status !== 'qr'
  if (!isPaused && !isLinked) return null
  return (
    <>
      <Button onPress={() => run()} isBusy={isBusy} needs="instances.pair">
        {isPaused ? t('Resume') : t('Pause')}
      </Button>
      <Problem of={problem} />
    </>
  )
}

export function Deeds({ row, onRenamed }: { row: InstanceRow; onRenamed(): unknown }) {
  const [asked, ask] = useState<Asked>()
  const params = { path: of(row.id) }
  const restart = useAction(async () => {
    await answer(api.POST('/instances/{instance_id}/token/{token}/restart', { params }))
    return t('The session is restarting.')
  })
  const close = () => ask(undefined)
  return (
    <>
      <span class="row">
        <Button onPress={() => ask('rename')} needs="instances.change">
          {t('Rename')}
        </Button>
        <Button
          onPress={() => restart.run()}
          isBusy={restart.isBusy}
          // A restart would end the pause. The button to resume does that.
          isDisabled={row.status_reason === 'paused'}
          needs="instances.pair"
        >
          {t('Restart')}
        </Button>
        <PauseButton row={row} />
        <Button onPress={() => ask('export')} needs="instances.move">
          {t('Export')}
        </Button>
        <Button isDangerous isDisabled={hasNoAccount(row)} onPress={() => ask('logout')} needs="instances.disconnect">
          {t('Log out')}
        </Button>
        <Button isDangerous onPress={() => ask('delete')} needs="instances.delete">
          {t('Delete')}
        </Button>
      </span>
      <Problem of={restart.problem} />
      {asked === 'rename' ? <Rename row={row} onDone={onRenamed} onClose={close} /> : null}
      {asked === 'export' ? <Export row={row} onClose={close} /> : null}
      {asked === 'logout' ? (
        <Confirm
          title={t('Log out of the account?')}
          does={t('Log out')}
          onClose={close}
          act={async () => {
            await answer(api.POST('/instances/{instance_id}/token/{token}/disconnect', { params }))
            return t('Logged out. Pair the instance again to continue.')
          }}
        >
          <p>
            {t(
              'The instance is removed from the linked devices of the phone, and needs a new scan. To stop it for a while, pause it. Waiting messages stay in the queue.',
            )}
          </p>
          <OnThePhone row={row} />
        </Confirm>
      ) : null}
      {asked === 'delete' ? (
        <Confirm
          title={t('Delete the instance?')}
          does={t('Delete')}
          typed={row.name}
          onClose={close}
          act={async () => {
            await answer(api.DELETE('/account/instances/{instance_id}', { params: { path: { instance_id: row.id } } }))
            go(to(['instances']))
            return t('The instance is deleted.')
          }}
        >
          <p>
            {t(
              'The instance is logged out. Its credentials, its queue, its events in the webhook log and its counts are erased. This cannot be undone.',
            )}
          </p>
          <OnThePhone row={row} />
        </Confirm>
      ) : null}
    </>
  )
}
