/** Actions on several instances: one after the other, with progress, and the failures at the end. */
import { useState } from 'preact/hooks'
import type { InstanceRow } from '../../../domain/dashboard.ts'
import type { RightName } from '../../../domain/dashboard-rights.ts'
import { answer, api, of } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm, Dialog } from '../../parts/dialog.tsx'
import { InstanceName } from '../../parts/instance-name.tsx'
import { showToast } from '../../parts/toast-list.ts'
import { count } from '../../parts/words.tsx'

interface Deed {
  verb: string
  done: string
  /** Consequences of the action, which the confirmation shows before the action. */
  means: string
  isDangerous: boolean
  needs: RightName
  act(id: string): Promise<unknown>
}

const RESTART: Deed = {
  verb: 'Restart',
  done: 'restarted',
  means: 'Their connections are closed and opened again. Waiting messages and events are kept.',
  isDangerous: false,
  needs: 'instances.pair',
  act: (id) => answer(api.POST('/instances/{instance_id}/token/{token}/restart', { params: { path: of(id) } })),
}
const DISCONNECT: Deed = {
  verb: 'Disconnect',
  done: 'disconnected',
  means:
    'Each instance is removed from the linked devices of its phone and must be paired again. Waiting messages stay in the queue.',
  isDangerous: true,
  needs: 'instances.disconnect',
  act: (id) => answer(api.POST('/instances/{instance_id}/token/{token}/disconnect', { params: { path: of(id) } })),
}
const DELETE: Deed = {
  verb: 'Delete',
  done: 'deleted',
  means: 'The instances are logged out, and their credentials, queues and waiting webhooks are erased. This cannot be undone.',
  isDangerous: true,
  needs: 'instances.delete',
  act: (id) => answer(api.DELETE('/account/instances/{instance_id}', { params: { path: { instance_id: id } } })),
}

interface Running {
  verb: string
  done: number
  total: number
  failures: readonly { id: string; why: string }[]
}

function Progress({ verb, done, total, failures, onClose }: Running & { onClose(): void }) {
  const isOver = done === total
  return (
    <Dialog
      title={isOver ? `${verb}: ${total - failures.length} of ${total} worked` : `${verb}: ${done} of ${total}`}
      onClose={onClose}
      closes="Close"
    >
      <progress max={total} value={done} aria-label={`${done} of ${total}`} />
      <ul class="stack">
        {failures.map(({ id, why }) => (
          <li key={id}>
            <strong>
              <InstanceName id={id} />
            </strong>
            <span class="under">{why}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

export function ChosenBar({ instances, onDone }: { instances: readonly InstanceRow[]; onDone(): void }) {
  const [asked, setAsked] = useState<Deed>()
  const [running, setRunning] = useState<Running>()
  /** Runs the action on the instances that were selected at its start. Later changes of the selection have no effect. */
  async function start({ act, verb, done }: Deed) {
    const all = [...instances]
    let state: Running = { verb, done: 0, total: all.length, failures: [] }
    setRunning(state)
    for (const { id } of all) {
      const why = await act(id).then(
        () => undefined,
        (error: Error) => error.message,
      )
      state = { ...state, done: state.done + 1, failures: why ? [...state.failures, { id, why }] : state.failures }
      setRunning(state)
    }
    if (state.failures.length > 0) return
    setRunning(undefined)
    showToast(`${count(all.length, 'instance')} ${done}.`)
    onDone()
  }
  const what = count(instances.length, 'instance')
  return (
    <>
      {instances.length > 0 ? (
        <div class="chosen">
          <strong>{what} chosen</strong>
          {[RESTART, DISCONNECT, DELETE].map((deed) => (
            <Button key={deed.verb} isDangerous={deed.isDangerous} needs={deed.needs} onPress={() => setAsked(deed)}>
              {deed.verb}
            </Button>
          ))}
        </div>
      ) : null}
      {asked ? (
        <Confirm
          title={`${asked.verb} ${what}?`}
          does={asked.verb}
          isDangerous={asked.isDangerous}
          {...(asked === DELETE ? { typed: `delete ${instances.length}` } : {})}
          onClose={() => setAsked(undefined)}
          act={async () => {
            start(asked)
            return undefined
          }}
        >
          <p>{asked.means}</p>
          <ul class="names">
            {instances.slice(0, 8).map(({ id }) => (
              <li key={id}>
                <InstanceName id={id} />
              </li>
            ))}
            {instances.length > 8 ? <li class="soft">and {instances.length - 8} more</li> : null}
          </ul>
        </Confirm>
      ) : null}
      {running ? (
        <Progress
          {...running}
          onClose={() => {
            setRunning(undefined)
            onDone()
          }}
        />
      ) : null}
    </>
  )
}
