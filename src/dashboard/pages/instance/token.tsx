import { useState } from 'preact/hooks'
import { answer, api } from '../../api/client.ts'
import { keepForDocs } from '../../api/docs-instance.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Secret } from '../../parts/secret.tsx'
import { t } from '../../texts/t.ts'
import type { Instance } from './tab.ts'

export function Token({ instance, reload }: { instance: Instance; reload(): Promise<void> }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <section class="card">
      <header>
        <h2>{t('Token')}</h2>
        <Button onPress={() => setAsking(true)}>{t('Rotate')}</Button>
        <p>{t('Anyone who has this address can do everything with this instance. Every call has it in its path.')}</p>
      </header>
      <p>
        <a href="../docs" onClick={() => keepForDocs(instance)}>
          {t('Try the API with this instance')}
        </a>
      </p>
      <div class="stack">
        <span class="soft">{t('Token')}</span>
        <Secret value={instance.token} what={t('token')} key={instance.token} />
        <span class="soft">{t('Address for programs')}</span>
        <Secret value={instance.api_url} what={t('address')} key={instance.api_url} />
      </div>
      {isAsking ? (
        <Confirm
          title={t('Create a new token?')}
          does={t('Rotate')}
          onClose={() => setAsking(false)}
          act={async () => {
            const params = { path: { instance_id: instance.id } }
            await answer(api.POST('/account/instances/{instance_id}/rotate-token', { params }))
            await reload()
            return t('The instance has a new token. The previous one no longer works.')
          }}
        >
          <p>{t('Programs that use the current token are refused until they have the new one. The session continues.')}</p>
        </Confirm>
      ) : null}
    </section>
  )
}
