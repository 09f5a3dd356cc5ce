import { useState } from 'preact/hooks'
import { instanceChoices } from '../../../domain/instance-choices.ts'
import { nameAndNumber } from '../../../domain/isolated-text.ts'
import { answer, api, of } from '../../api/client.ts'
import { rows } from '../../api/live.ts'
import { useAction } from '../../app/load.ts'
import { to } from '../../app/route.ts'
import { Choice, Field, Line } from '../../parts/field.tsx'
import { LineForm } from '../../parts/form.tsx'
import { Empty } from '../../parts/notice.tsx'
import { count, Name, phoneText } from '../../parts/words.tsx'
import { createPhone, type Person, type State, scan } from './control.ts'

const nextNumber = (phones: readonly Person[]) => `55119999${String(10_001 + phones.length).slice(-5)}`

function NewPhone({ state, reload }: { state: State; reload(): Promise<void> }) {
  const [phone, setPhone] = useState(nextNumber(state.phones))
  const [name, setName] = useState('')
  const action = useAction(async () => {
    await createPhone(phone, name.trim())
    await reload()
    setPhone(nextNumber([...state.phones, { phone, name, devices: [] }]))
    setName('')
    return 'The phone is there: let it scan a code.'
  })
  return (
    <LineForm action={action} does="Make a phone">
      <Line label="Number" type="tel" value={phone} required onChange={setPhone} />
      <Line label="Name" value={name} placeholder="Ana's phone" onChange={setName} />
    </LineForm>
  )
}

/** An instance that shows a code, to be scanned by a phone. */
function Scan({ state, reload }: { state: State; reload(): Promise<void> }) {
  const waiting = [...rows.value.values()].filter(({ status }) => status !== 'connected' && status !== 'connecting')
  const [chosen, setInstance] = useState('')
  const [picked, setPhone] = useState('')
  const instance = waiting.some(({ id }) => id === chosen) ? chosen : (waiting[0]?.id ?? '')
  const phone = picked || (state.phones[0]?.phone ?? '')
  const action = useAction(async () => {
    const params = { path: of(instance) }
    const { value } = await answer(api.GET('/instances/{instance_id}/token/{token}/qr-code', { params }))
    if (value === null) return 'There is no code at the moment: try again.'
    await scan(phone, value)
    await reload()
    return 'Scanned: the instance logs in.'
  })
  if (waiting.length === 0)
    return (
      <Empty title="No instance waits for a phone" actions={<a href={to(['instances'])}>Instances</a>}>
        Create one, then come back to scan its code.
      </Empty>
    )
  return (
    <LineForm action={action} does="Scan" look="primary" isDisabled={phone === ''}>
      <Field label="Phone">
        {(tied) => (
          <Choice
            tied={tied}
            value={phone}
            options={state.phones.map(({ phone, name }) => [phone, nameAndNumber(name, phone)])}
            onChange={setPhone}
          />
        )}
      </Field>
      <Field label="Scans the code of">
        {(tied) => <Choice tied={tied} value={instance} options={instanceChoices(waiting)} onChange={setInstance} />}
      </Field>
    </LineForm>
  )
}

export const Phones = ({ state, reload }: { state: State; reload(): Promise<void> }) => (
  <section class="card">
    <header>
      <h2>Phones</h2>
    </header>
    {state.phones.length === 0 ? (
      <Empty title="No phones yet">A phone is what scans the code of an instance.</Empty>
    ) : (
      <ul class="stack">
        {state.phones.map(({ phone, name, devices }) => (
          <li class="row between" key={phone}>
            <span>
              {name ? <Name>{name}</Name> : null} <span class="number soft">{phoneText(phone)}</span>
            </span>
            <small>{count(devices.length, 'linked device')}</small>
          </li>
        ))}
      </ul>
    )}
    <NewPhone state={state} reload={reload} />
    {state.phones.length > 0 ? (
      <>
        <h3>Scan</h3>
        <Scan state={state} reload={reload} />
      </>
    ) : null}
  </section>
)
