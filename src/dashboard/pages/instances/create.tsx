import { useState } from 'preact/hooks'
import { answer, api } from '../../api/client.ts'
import { useAction } from '../../app/load.ts'
import { go, to } from '../../app/route.ts'
import { ActionDialog } from '../../parts/dialog.tsx'
import { Line } from '../../parts/field.tsx'

export function CreateDialog({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('')
  const [url, setUrl] = useState('')
  const action = useAction(async () => {
    const webhooks = url.trim() === '' ? {} : { webhooks: { single_url: url.trim() } }
    const made = await answer(api.POST('/account/instances', { body: { name, ...webhooks } }))
    onClose()
    go(to(['instances', made.id]))
    return 'The instance was created: scan its code with the phone.'
  })
  return (
    <ActionDialog title="Create an instance" onClose={onClose} action={action} does="Create" fields={['name', 'webhooks']}>
      <Line
        label="Name"
        value={name}
        required
        maxLength={100}
        placeholder="Support"
        hint="Only you see the name; nobody on the network does."
        wrong={action.problem?.issues.get('name')}
        onChange={setName}
      />
      <Line
        label="Webhook URL"
        value={url}
        placeholder="https://example.com/hook"
        hint="All events of the instance go to this URL. You can set it later on the webhooks page of the instance."
        wrong={action.problem?.issues.get('webhooks.single_url')}
        onChange={setUrl}
      />
      {action.isBusy ? <p class="soft">This takes a moment, because the answer includes the first QR code.</p> : null}
    </ActionDialog>
  )
}
