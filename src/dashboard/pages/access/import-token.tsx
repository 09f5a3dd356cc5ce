import { useState } from 'preact/hooks'
import { answer, api } from '../../api/client.ts'
import { useAction } from '../../app/load.ts'
import { ActionDialog } from '../../parts/dialog.tsx'
import { Line } from '../../parts/field.tsx'

export function ImportToken({ onClose, onDone }: { onClose(): void; onDone(): unknown }) {
  const [value, setValue] = useState('')
  const action = useAction(async () => {
    await answer(api.POST('/admin/api-keys/client-token', { body: { value } }))
    onDone()
    onClose()
    return 'The client token works.'
  })
  return (
    <ActionDialog title="Import a client token" onClose={onClose} action={action} does="Import" fields={['value']}>
      <p class="soft">
        The token of the service you used before. Programs that send it as <code>Client-Token</code> go on unchanged. A workspace
        has one at most.
      </p>
      <Line
        label="Client token"
        type="password"
        value={value}
        required
        hint="8 to 128 characters."
        wrong={action.problem?.issues.get('value')}
        onChange={setValue}
      />
    </ActionDialog>
  )
}
