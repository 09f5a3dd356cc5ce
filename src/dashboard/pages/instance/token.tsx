import { useState } from 'preact/hooks'
import { answer, api } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Secret } from '../../parts/secret.tsx'
import type { Instance } from './tab.ts'

export function Token({ instance, reload }: { instance: Instance; reload(): Promise<void> }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <section class="card">
      <header>
        <h2>Token</h2>
        <Button onPress={() => setAsking(true)}>Rotate</Button>
        <p>Anyone who has this address can do everything with this instance. Every call has it in its path.</p>
      </header>
      <div class="stack">
        <span class="soft">Token</span>
        <Secret value={instance.token} what="token" key={instance.token} />
        <span class="soft">Address for programs</span>
        <Secret value={instance.api_url} what="address" key={instance.api_url} />
      </div>
      {isAsking ? (
        <Confirm
          title="Create a new token?"
          does="Rotate"
          onClose={() => setAsking(false)}
          act={async () => {
            const params = { path: { instance_id: instance.id } }
            await answer(api.POST('/account/instances/{instance_id}/rotate-token', { params }))
            await reload()
            return 'The instance has a new token. The previous one no longer works.'
          }}
        >
          <p>Programs that use the current token are refused until they have the new one. The session continues.</p>
        </Confirm>
      ) : null}
    </section>
  )
}
