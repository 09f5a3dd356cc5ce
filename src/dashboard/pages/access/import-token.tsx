import { useState } from 'preact/hooks'
import { answer, api } from '../../api/client.ts'
import { useAction } from '../../app/load.ts'
import { ActionDialog } from '../../parts/dialog.tsx'
import { Line } from '../../parts/field.tsx'
import { Sentence } from '../../parts/sentence.tsx'
import { t } from '../../texts/t.ts'

export function ImportToken({ onClose, onDone }: { onClose(): void; onDone(): unknown }) {
  const [value, setValue] = useState('')
  const action = useAction(async () => {
    await answer(api.POST('/admin/api-keys/client-token', { body: { value } }))
    onDone()
    onClose()
    return t('The client token works.')
  })
  return (
    <ActionDialog title={t('Import a client token')} onClose={onClose} action={action} does={t('Import')} fields={['value']}>
      <p class="soft">
        <Sentence text="The token of the service that you used before. Programs that send it as `Client-Token` need no change. A workspace has at most one." />
      </p>
      <Line
        label={t('Client token')}
        type="password"
        value={value}
        required
        hint={t('8 to 128 characters.')}
        wrong={action.problem?.issues.get('value')}
        onChange={setValue}
      />
    </ActionDialog>
  )
}
