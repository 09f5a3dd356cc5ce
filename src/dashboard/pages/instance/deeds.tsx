/** Actions on the whole instance. */
import { useState } from 'preact/hooks'
import type { InstanceRow } from '../../../domain/dashboard.ts'
import { answer, api, of } from '../../api/client.ts'
import { useAction } from '../../app/load.ts'
import { go, to } from '../../app/route.ts'
import { Button } from '../../parts/button.tsx'
import { ActionDialog, Confirm } from '../../parts/dialog.tsx'
import { Line } from '../../parts/field.tsx'
import { Problem } from '../../parts/notice.tsx'
import { Export } from './export.tsx'

function Rename({ row, onDone, onClose }: { row: InstanceRow; onDone(): unknown; onClose(): void }) {
  const [name, setName] = useState(row.name)
  const action = useAction(async () => {
    const params = { path: of(row.id) }
    await answer(api.PUT('/instances/{instance_id}/token/{token}/name', { params, body: { value: name } }))
    onDone()
    onClose()
    return 'Renamed.'
  })
  return (
    <ActionDialog
      title="Rename the instance"
      onClose={onClose}
      action={action}
      does="Rename"
      isDisabled={name === row.name}
      fields={['value']}
    >
      <Line label="Name" value={name} required maxLength={100} wrong={action.problem?.issues.get('value')} onChange={setName} />
    </ActionDialog>
  )
}

type Asked = 'rename' | 'export' | 'disconnect' | 'delete' | undefined

export function Deeds({ row, onRenamed }: { row: InstanceRow; onRenamed(): unknown }) {
  const [asked, ask] = useState<Asked>()
  const params = { path: of(row.id) }
  const restart = useAction(async () => {
    await answer(api.POST('/instances/{instance_id}/token/{token}/restart', { params }))
    return 'The session is restarting.'
  })
  const close = () => ask(undefined)
  return (
    <>
      <span class="row">
        <Button onPress={() => ask('rename')} needs="instances.change">
          Rename
        </Button>
        <Button onPress={() => restart.run()} isBusy={restart.isBusy} needs="instances.pair">
          Restart
        </Button>
        <Button onPress={() => ask('export')} needs="instances.move">
          Export
        </Button>
        <Button isDangerous onPress={() => ask('disconnect')} needs="instances.disconnect">
          Disconnect
        </Button>
        <Button isDangerous onPress={() => ask('delete')} needs="instances.delete">
          Delete
        </Button>
      </span>
      <Problem of={restart.problem} />
      {asked === 'rename' ? <Rename row={row} onDone={onRenamed} onClose={close} /> : null}
      {asked === 'export' ? <Export row={row} onClose={close} /> : null}
      {asked === 'disconnect' ? (
        <Confirm
          title="Disconnect from the phone?"
          does="Disconnect"
          onClose={close}
          act={async () => {
            await answer(api.POST('/instances/{instance_id}/token/{token}/disconnect', { params }))
            return 'Disconnected. Pair the instance again to continue.'
          }}
        >
          <p>
            The instance is removed from the linked devices of the phone and must be paired again. Waiting messages stay in the
            queue.
          </p>
        </Confirm>
      ) : null}
      {asked === 'delete' ? (
        <Confirm
          title="Delete the instance?"
          does="Delete"
          typed={row.name}
          onClose={close}
          act={async () => {
            await answer(api.DELETE('/account/instances/{instance_id}', { params: { path: { instance_id: row.id } } }))
            go(to(['instances']))
            return 'The instance is deleted.'
          }}
        >
          <p>
            The instance is logged out, and its credentials, its queue and its waiting webhooks are erased. This cannot be undone.
          </p>
        </Confirm>
      ) : null}
    </>
  )
}
