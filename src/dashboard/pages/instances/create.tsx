import { useState } from 'preact/hooks'
import { answer, api } from '../../api/client.ts'
import { useAction } from '../../app/load.ts'
import { go, to } from '../../app/route.ts'
import { ActionDialog } from '../../parts/dialog.tsx'
import { Line } from '../../parts/field.tsx'
import { t } from '../../texts/t.ts'

export function CreateDialog({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('')
  const [url, setUrl] = useState('')
  const action = useAction(async () => {
    const webhooks = url.trim() === '' ? {} : { webhooks: { single_url: url.trim() } }
    const made = await answer(api.POST('/account/instances', { body: { name, ...webhooks } }))
    onClose()
    go(to(['instances', made.id]))
    return t('The instance was created: scan its code with the phone.')
  })
  return (
    <ActionDialog
      title={t('Create an instance')}
      onClose={onClose}
      action={action}
      does={t('Create')}
      fields={['name', 'webhooks']}
    >
      <Line
        label={t('Name')}
        value={name}
        required
        maxLength={100}
        placeholder={t('Support')}
        hint={t('Only you see the name; nobody on the network does.')}
        wrong={action.problem?.issues.get('name')}
        onChange={setName}
      />
      <Line
        label={t('Webhook URL')}
        value={url}
        placeholder="https://example.com/hook"
        hint={t('All events of the instance go to this URL. You can set it later on the webhooks page of the instance.')}
        wrong={action.problem?.issues.get('webhooks.single_url')}
        onChange={setUrl}
      />
      {action.isBusy ? <p class="soft">{t('This takes a moment, because the answer includes the first QR code.')}</p> : null}
    </ActionDialog>
  )
}
