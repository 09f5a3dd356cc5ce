/** Form that creates or changes an API key. The value of a new key is shown only once. */
import { useState } from 'preact/hooks'
import { answer, api } from '../../api/client.ts'
import { useAction } from '../../app/load.ts'
import { ActionDialog, Dialog } from '../../parts/dialog.tsx'
import { Check, Line } from '../../parts/field.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Secret } from '../../parts/secret.tsx'
import { t } from '../../texts/t.ts'
import { type ApiKey, SCOPES, type Scope } from './api-keys.ts'

const MEANS: Record<Scope, readonly [may: string, more?: string]> = {
  'instances:operate': [
    t('Use all instances: send, receive and everything else'),
    t(
      'A call to an instance has its token in the address. It needs such a key, too, only if “Requirements” says so. In the dashboard, together with instances:read, the key can pair, send and see the queue.',
    ),
  ],
  'instances:read': [
    t('List the instances'),
    t('This includes their tokens and webhook secrets. The key also opens this dashboard, but can change nothing there.'),
  ],
  'instances:write': [t('Create, change and delete instances')],
  'webhooks:read': [
    t('Read the webhooks'),
    t('This includes their secret. In the dashboard, the key also opens the webhook log.'),
  ],
  'webhooks:write': [
    t('Change the webhooks of all instances'),
    t('In the dashboard, together with webhooks:read, the key can also send events again.'),
  ],
}

function Made({ value, onClose }: { value: string; onClose(): void }) {
  return (
    <Dialog title={t('The key')} onClose={onClose} closes={t('I have it')} isKept>
      <Notice kind="warn">
        <div>{t('The key is shown only once, because only its hash is stored. Copy it now.')}</div>
      </Notice>
      <Secret value={value} what={t('key')} isOpen />
    </Dialog>
  )
}

export function KeyDialog({ of, onClose, onDone }: { of?: ApiKey; onClose(): void; onDone(): unknown }) {
  const [name, setName] = useState(of?.name ?? '')
  const [scopes, setScopes] = useState<readonly Scope[]>(of?.scopes ?? ['instances:operate'])
  const [value, setValue] = useState<string>()
  const action = useAction(async () => {
    const body = { name, scopes: [...scopes] }
    if (of) await answer(api.PUT('/admin/api-keys/{key_id}', { params: { path: { key_id: of.id } }, body }))
    else setValue((await answer(api.POST('/admin/api-keys', { body }))).value)
    onDone()
    if (of) onClose()
    return of ? t('Saved.') : undefined
  })
  if (value) return <Made value={value} onClose={onClose} />
  return (
    <ActionDialog
      title={of ? t('Change the key') : t('Create a key')}
      onClose={onClose}
      action={action}
      does={of ? t('Save') : t('Create')}
      isDisabled={scopes.length === 0}
      fields={['name']}
    >
      <Line
        label={t('Name')}
        value={name}
        required
        maxLength={100}
        placeholder="CRM"
        hint={t('Name of the program that uses the key.')}
        wrong={action.problem?.issues.get('name')}
        onChange={setName}
      />
      <fieldset>
        <legend>{t('What it may do')}</legend>
        <p class="hint">
          {t('A key is for all instances of this workspace. A program that needs only one instance uses its token.')}{' '}
          {t(
            'No key can only send: the smallest scope that can send, instances:operate, can also receive and do everything else.',
          )}
        </p>
        {SCOPES.map((scope) => (
          <Check
            key={scope}
            label={
              <>
                {MEANS[scope][0]} <code>{scope}</code>
              </>
            }
            hint={MEANS[scope][1]}
            value={scopes.includes(scope)}
            onChange={(isOn) => setScopes(isOn ? [...scopes, scope] : scopes.filter((each) => each !== scope))}
          />
        ))}
      </fieldset>
    </ActionDialog>
  )
}
