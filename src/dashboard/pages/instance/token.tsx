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
        <p>Who has the address can do everything with this instance. It stands in the path of every call.</p>
      </header>
      <div class="stack">
        <span class="soft">Token</span>
        <Secret value={instance.token} what="token" key={instance.token} />
        <span class="soft">Address for programs</span>
        <Secret value={instance.api_url} what="address" key={instance.api_url} />
      </div>
      {isAsking ? (
        <Confirm
          title="Make a new token?"
          does="Rotate"
          onClose={() => setAsking(false)}
          act={async () => {
            const params = { path: { instance_id: instance.id } }
            await answer(api.POST('/account/instances/{instance_id}/rotate-token', { params }))
            await reload()
            return 'There is a new token. The one before stopped working.'
          }}
        >
          <p>Programs that use the present one are refused at once, until they have the new one. The session is not touched.</p>
        </Confirm>
      ) : null}
    </section>
  )
}
