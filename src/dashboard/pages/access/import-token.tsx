import { useState } from 'preact/hooks'
import { answer, api } from '../../api/client.ts'
import { useAction } from '../../app/load.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Line } from '../../parts/field.tsx'
import { Problem } from '../../parts/notice.tsx'

export function ImportToken({ onClose, onDone }: { onClose(): void; onDone(): unknown }) {
  const [value, setValue] = useState('')
  const { run, isBusy, problem } = useAction(async () => {
    await answer(api.POST('/admin/api-keys/client-token', { body: { value } }))
    onDone()
    onClose()
    return 'The client token works.'
  })
  return (
    <Dialog
      title="Import a client token"
      onClose={onClose}
      onSubmit={() => run()}
      actions={
        <Button look="primary" isBusy={isBusy}>
          Import
        </Button>
      }
    >
      <p class="soft">
        Of the service you come from: programs that send it as <code>Client-Token</code> go on unchanged. A workspace has one at
        most.
      </p>
      <Line
        label="Client token"
        type="password"
        value={value}
        required
        hint="8 to 128 characters."
        wrong={problem?.issues.get('value')}
        onChange={setValue}
      />
      <Problem of={problem} fields={['value']} />
    </Dialog>
  )
}
