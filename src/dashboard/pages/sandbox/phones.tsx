import { useState } from 'preact/hooks'
import { instanceChoices } from '../../../domain/instance-choices.ts'
import { nameAndNumber } from '../../../domain/isolated-text.ts'
import { readPhone } from '../../../domain/phone-input.ts'
import { answer, api, of } from '../../api/client.ts'
import { rows } from '../../api/live.ts'
import { useAction } from '../../app/load.ts'
import { to } from '../../app/route.ts'
import { StateBadge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Check, Choice, Field, Line } from '../../parts/field.tsx'
import { LineForm } from '../../parts/form.tsx'
import { InstanceName } from '../../parts/instance-name.tsx'
import { Empty, Problem } from '../../parts/notice.tsx'
import { Sentence } from '../../parts/sentence.tsx'
import { Name, phoneText } from '../../parts/words.tsx'
import { count, t } from '../../texts/t.ts'
import { acceptPasskey, createPhone, demandPasskey, type Phone, type State, scan } from './control.ts'
import { freeNumber } from './free-number.ts'
import { NetworkSwitch, Troubles } from './trouble.tsx'

const FIRST_PHONE = 5_511_999_910_001

function NewPhone({ state, reload }: { state: State; reload(): Promise<void> }) {
  const [typed, setPhone] = useState<string>()
  const phone = typed ?? freeNumber(FIRST_PHONE, state)
  const [name, setName] = useState('')
  const action = useAction(async () => {
    await createPhone(readPhone(phone).phone, name.trim())
    await reload()
    setPhone(undefined)
    setName('')
    return t('The phone was created: let it scan a code.')
  })
  return (
    <LineForm action={action} does={t('Make a phone')}>
      <Line label={t('Number')} type="tel" value={phone} required onChange={setPhone} />
      <Line label={t('Name')} value={name} placeholder={t("Ana's phone")} onChange={setName} />
    </LineForm>
  )
}

/**
 * Says what happens to an instance after its code was scanned. Each sentence begins with the link to the instance, so
 * that the link stays in its place when the instance connects.
 */
function Scanned({ id }: { id: string }) {
  const row = rows.value.get(id)
  if (!row) return null
  return (
    <p role="status">
      <Sentence
        text={row.status === 'connected' ? '{instance} is connected.' : '{instance}: {state}'}
        elements={{
          instance: (
            <a href={to(['instances', id])}>
              <InstanceName id={id} />
            </a>
          ),
          state: <StateBadge row={row} />,
        }}
      />
    </p>
  )
}

function Scan({ state, reload }: { state: State; reload(): Promise<void> }) {
  const waiting = [...rows.value.values()].filter(({ status }) => status !== 'connected' && status !== 'connecting')
  const [chosen, setInstance] = useState('')
  const [picked, setPhone] = useState('')
  const instance = waiting.some(({ id }) => id === chosen) ? chosen : (waiting[0]?.id ?? '')
  const [scanned, setScanned] = useState('')
  // The newest phone without a linked device is preselected. No phone is preselected for an instance that was just
  // scanned and still waits for a moment, because a second press would let another phone scan its code.
  const unlinked = instance === scanned ? undefined : state.phones.findLast(({ devices }) => devices.length === 0)
  const phone = picked || (unlinked?.phone ?? '')
  const action = useAction(async () => {
    const params = { path: of(instance) }
    const { value } = await answer(api.GET('/instances/{instance_id}/token/{token}/qr-code', { params }))
    if (value === null) return t('No code is available at the moment; try again.')
    const { device } = await scan(phone, value)
    setScanned(instance)
    setPhone('')
    await reload()
    return device === null ? t('Scanned. The network now requests the passkey.') : t('Scanned. The instance is logging in.')
  })
  if (waiting.length === 0 && !rows.value.has(scanned))
    return (
      <Empty title={t('No instance is waiting for a phone')} actions={<a href={to(['instances'])}>{t('Instances')}</a>}>
        {t('Create an instance, then come back to scan its code.')}
      </Empty>
    )
  return (
    <LineForm
      action={action}
      does={t('Scan')}
      look="primary"
      isDisabled={phone === '' || instance === ''}
      result={<Scanned id={scanned} />}
    >
      <Field label={t('Phone')}>
        {(tied) => (
          <Choice
            tied={tied}
            value={phone}
            missing={phone === '' ? t('Choose a phone') : undefined}
            options={state.phones.map(({ phone, name }) => [phone, nameAndNumber(name, phone)])}
            onChange={setPhone}
          />
        )}
      </Field>
      <Field label={t('Scans the code of')}>
        {(tied) => (
          <Choice
            tied={tied}
            value={instance}
            missing={instance === '' ? t('No instance is waiting for a phone') : undefined}
            options={instanceChoices(waiting)}
            onChange={setInstance}
          />
        )}
      </Field>
    </LineForm>
  )
}

function Question({ phone, reload }: { phone: Phone; reload(): Promise<void> }) {
  const action = useAction(async (yes: boolean) => {
    await acceptPasskey(phone.phone, yes)
    await reload()
    return undefined
  })
  const { asks = null, code = null } = phone.ceremony ?? {}
  if (asks === null) return null
  return (
    <div class="stack" role="status">
      <p>
        {asks === 'link'
          ? t('The phone asks: link this device?')
          : t('The phone asks: does the device show {code}?', { code: code ?? '' })}
      </p>
      <div class="row">
        <Button look="primary" isBusy={action.isBusy} onPress={() => action.run(true)}>
          {t('Yes')}
        </Button>
        <Button isBusy={action.isBusy} onPress={() => action.run(false)}>
          {t('No')}
        </Button>
      </div>
      <Problem of={action.problem} />
    </div>
  )
}

function PhoneRow({ phone, reload }: { phone: Phone; reload(): Promise<void> }) {
  const action = useAction(async (isDemanded: boolean) => {
    await demandPasskey(phone.phone, isDemanded)
    await reload()
    return undefined
  })
  return (
    <li class="stack">
      <div class="row between">
        <span>
          {phone.name ? <Name>{phone.name}</Name> : null} <span class="number soft">{phoneText(phone.phone)}</span>
        </span>
        <small>{count(phone.devices.length, 'linked device', 'linked devices')}</small>
      </div>
      <Check
        label={t('Demands its passkey')}
        // While the request for the change runs, the box already shows the chosen value.
        value={phone.demands_passkey !== action.isBusy}
        onChange={(isDemanded) => action.run(isDemanded)}
      />
      <Troubles phone={phone} reload={reload} />
      <Problem of={action.problem} />
      <Question phone={phone} reload={reload} />
    </li>
  )
}

export const Phones = ({ state, reload }: { state: State; reload(): Promise<void> }) => (
  <section class="card">
    <header>
      <h2>{t('Phones')}</h2>
    </header>
    {state.phones.length === 0 ? (
      <Empty title={t('No phones yet')}>{t('A phone scans the code of an instance.')}</Empty>
    ) : (
      <ul class="stack">
        {state.phones.map((phone) => (
          <PhoneRow key={phone.phone} phone={phone} reload={reload} />
        ))}
      </ul>
    )}
    <NetworkSwitch />
    <NewPhone state={state} reload={reload} />
    {state.phones.length > 0 ? (
      <>
        <h3>{t('Scan')}</h3>
        <Scan state={state} reload={reload} />
      </>
    ) : null}
  </section>
)
