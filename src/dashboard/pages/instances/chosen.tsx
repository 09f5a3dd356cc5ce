/** Actions on the chosen instances, one after the other. They show the progress, and list the failures at the end. */
import { useState } from 'preact/hooks'
import type { InstanceRow } from '../../../domain/dashboard.ts'
import type { RightName } from '../../../domain/dashboard-rights.ts'
import { answer, api, of } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm, Dialog } from '../../parts/dialog.tsx'
import { InstanceName } from '../../parts/instance-name.tsx'
import { showToast } from '../../parts/toast-list.ts'
import type { Text } from '../../texts/catalogue.ts'
import { count, t } from '../../texts/t.ts'
import { staysOnPhone } from '../instance/state/stays-on-phone.ts'

interface Deed {
  verb: string
  done: Text
  means: string
  isDangerous: boolean
  needs: RightName
  /**
   * Returns true if the action makes sense for an instance; other instances are skipped. If absent, it makes sense for
   * all.
   */
  suits?(row: InstanceRow): boolean
  act(id: string): Promise<unknown>
}

const isPaused = ({ status_reason }: InstanceRow) => status_reason === 'paused'

const DEEDS: readonly Deed[] = [
  {
    verb: t('Restart'),
    done: '{instances} restarted.',
    means: t('Their connections are closed and opened again. Waiting messages and events are kept.'),
    isDangerous: false,
    needs: 'instances.pair',
    // Paused instances are skipped, because a restart would end the pause.
    suits: (row) => !isPaused(row),
    act: (id) => answer(api.POST('/instances/{instance_id}/token/{token}/restart', { params: { path: of(id) } })),
  },
  {
    verb: t('Pause'),
    done: '{instances} paused.',
    means: t(
      'Their connections are closed and stay closed until somebody resumes them. They stay linked to their phones, and waiting messages stay in the queue.',
    ),
    isDangerous: false,
    needs: 'instances.pair',
    act: (id) => answer(api.POST('/instances/{instance_id}/token/{token}/pause', { params: { path: of(id) } })),
  },
  {
    verb: t('Resume'),
    done: '{instances} resumed.',
    means: t('Their connections are opened again, and waiting messages are sent.'),
    isDangerous: false,
    needs: 'instances.pair',
    suits: isPaused,
    act: (id) => answer(api.POST('/instances/{instance_id}/token/{token}/resume', { params: { path: of(id) } })),
  },
  {
    verb: t('Log out'),
    done: '{instances} logged out.',
    means: t(
      'Each instance is removed from the linked devices of its phone and must be paired again. Waiting messages stay in the queue.',
    ),
    isDangerous: true,
    needs: 'instances.disconnect',
    act: (id) => answer(api.POST('/instances/{instance_id}/token/{token}/disconnect', { params: { path: of(id) } })),
  },
]

const DELETE: Deed = {
  verb: t('Delete'),
  done: '{instances} deleted.',
  means: t('The instances are logged out, and their credentials, queues and waiting webhooks are erased. This cannot be undone.'),
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
      title={
        isOver
          ? t('{verb}: {n} of {total} worked', { verb, n: total - failures.length, total })
          : t('{verb}: {n} of {total}', { verb, n: done, total })
      }
      onClose={onClose}
      closes={t('Close')}
    >
      <progress max={total} value={done} aria-label={t('{used} of {total}', { used: done, total })} />
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

interface ChosenBarProps {
  all: readonly InstanceRow[]
  chosen: ReadonlySet<string>
  shown: readonly InstanceRow[]
  found: readonly InstanceRow[]
  onChoose(chosen: ReadonlySet<string>): void
}

/**
 * Shows how many instances are chosen, and how many of them the list does not show at present. An action also applies
 * to these.
 */
function Choice({
  instances,
  shown,
  found,
  onChoose,
}: Pick<ChosenBarProps, 'shown' | 'found' | 'onChoose'> & { instances: readonly InstanceRow[] }) {
  const visible = new Set(shown.map(({ id }) => id))
  const hidden = instances.filter(({ id }) => !visible.has(id)).length
  const isMore = found.some(({ id }) => instances.every((each) => each.id !== id))
  return (
    <span class="choice">
      <strong>{t('{instances} chosen', { instances: count(instances.length, 'instance', 'instances') })}</strong>
      {hidden > 0 ? <span class="hidden">{t('{n} of them not shown here', { n: hidden })}</span> : null}
      {isMore && found.length > shown.length ? (
        <Button look="link" onPress={() => onChoose(new Set(found.map(({ id }) => id)))}>
          {t('Choose all {n}', { n: found.length })}
        </Button>
      ) : null}
      <Button look="link" onPress={() => onChoose(new Set())}>
        {t('Choose none')}
      </Button>
    </span>
  )
}

function OnThePhones({ rows }: { rows: readonly InstanceRow[] }) {
  const n = rows.filter(staysOnPhone).length
  return n === 0 ? null : (
    <p>
      {t(
        '{instances} cannot report the logout to the network, because they are not connected. Also remove their devices on the phones, under Linked devices.',
        {
          instances: count(n, 'instance', 'instances'),
        },
      )}
    </p>
  )
}

export function ChosenBar({ all, chosen, shown, found, onChoose }: ChosenBarProps) {
  const [asked, setAsked] = useState<Deed>()
  const [running, setRunning] = useState<Running>()
  const instances = all.filter(({ id }) => chosen.has(id))
  const suitedTo = ({ suits = () => true }: Deed) => instances.filter(suits)
  const over = () => {
    setRunning(undefined)
    onChoose(new Set())
  }
  /** Runs an action. Later changes of the selection have no effect on it. */
  async function start(deed: Deed) {
    const { act, verb, done } = deed
    const suited = suitedTo(deed)
    let state: Running = { verb, done: 0, total: suited.length, failures: [] }
    setRunning(state)
    for (const { id } of suited) {
      const why = await act(id).then(
        () => undefined,
        (error: Error) => error.message,
      )
      state = { ...state, done: state.done + 1, failures: why ? [...state.failures, { id, why }] : state.failures }
      setRunning(state)
    }
    if (state.failures.length > 0) return
    showToast(t(done, { instances: count(suited.length, 'instance', 'instances') }))
    over()
  }
  const number = String(instances.length)
  return (
    <>
      {instances.length > 0 ? (
        <div class="chosen">
          <Choice instances={instances} shown={shown} found={found} onChoose={onChoose} />
          {[...DEEDS, DELETE].map((deed) => (
            <Button
              key={deed.verb}
              isDangerous={deed.isDangerous}
              isDisabled={suitedTo(deed).length === 0}
              needs={deed.needs}
              onPress={() => setAsked(deed)}
            >
              {deed.verb}
            </Button>
          ))}
        </div>
      ) : null}
      {asked ? (
        <Confirm
          title={t('{verb}: {instances}?', {
            verb: asked.verb,
            instances: count(suitedTo(asked).length, 'instance', 'instances'),
          })}
          does={asked.verb}
          isDangerous={asked.isDangerous}
          {...(asked === DELETE ? { typed: t('delete {n}', { n: number }) } : {})}
          onClose={() => setAsked(undefined)}
          act={async () => {
            start(asked)
            return undefined
          }}
        >
          <p>{asked.means}</p>
          {asked.isDangerous ? <OnThePhones rows={suitedTo(asked)} /> : null}
          <ul class="names">
            {suitedTo(asked).map(({ id }) => (
              <li key={id}>
                <InstanceName id={id} />
              </li>
            ))}
          </ul>
        </Confirm>
      ) : null}
      {running ? <Progress {...running} onClose={over} /> : null}
    </>
  )
}
