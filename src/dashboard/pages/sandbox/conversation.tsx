import { useState } from 'preact/hooks'
import type { InstanceRow } from '../../../domain/dashboard.ts'
import { nameAndNumber } from '../../../domain/isolated-text.ts'
import { readPhone } from '../../../domain/phone-input.ts'
import { rows } from '../../api/live.ts'
import { useAction, useEvery, useLoad } from '../../app/load.ts'
import { Choice, Field, Line } from '../../parts/field.tsx'
import { LineForm } from '../../parts/form.tsx'
import { InstanceName } from '../../parts/instance-name.tsx'
import { Empty, Problem } from '../../parts/notice.tsx'
import { Sentence } from '../../parts/sentence.tsx'
import { Name, phoneText } from '../../parts/words.tsx'
import { t } from '../../texts/t.ts'
import { Bubbles } from '../messages/conversation.tsx'
import { loadMessages } from '../messages/messages.ts'
import { createContact, inbox, type State, write } from './control.ts'
import { freeNumber } from './free-number.ts'

const LOOK_EVERY_MS = 1_500
const SHOWN = 50

function Inbox({ phone }: { phone: string }) {
  const { data, problem, reload } = useLoad(() => inbox(phone), [phone])
  useEvery(LOOK_EVERY_MS, reload)
  const items = (data?.items ?? []).slice(-SHOWN).reverse()
  return (
    <>
      <Problem of={problem} again={reload} />
      {data && items.length === 0 ? (
        <Empty title={t('No message yet')}>
          {t("Send to {number} from an instance. It is decrypted here, as it would be on the person's phone.", {
            number: phoneText(phone),
          })}
        </Empty>
      ) : null}
      {items.length > 0 ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and so takes the focus to be scrolled with the keyboard
        <ul class="bubbles" tabIndex={0} aria-label={t('Inbox, newest first')}>
          {items.map(({ seq, from, kind, text }) => (
            <li key={seq}>
              <small>
                <Sentence text="from {name}" elements={{ name: <Name>{from}</Name> }} />
              </small>
              <Name>{text ?? `(${kind})`}</Name>
            </li>
          ))}
        </ul>
      ) : null}
    </>
  )
}

function Both({ instance, phone }: { instance: InstanceRow; phone: string }) {
  const { data, problem, reload } = useLoad(() => loadMessages(instance.id, phone, SHOWN), [instance.id, phone])
  useEvery(LOOK_EVERY_MS, reload)
  return (
    <>
      <Problem of={problem} again={reload} />
      {data && data.data.length === 0 ? (
        <Empty title={t('No message yet')}>
          <Sentence
            text="Write as this person, or send to {number} from {instance}."
            elements={{ number: phoneText(phone), instance: <InstanceName id={instance.id} /> }}
          />
        </Empty>
      ) : null}
      {data && data.data.length > 0 ? <Bubbles instance={instance.id} rows={data.data} isOpen /> : null}
    </>
  )
}

const connectedNow = () => [...rows.value.values()].filter(({ status, phone }) => status === 'connected' && phone !== null)

interface WriteProps {
  contact: string
  to: string
  onTo(phone: string): void
}

function Write({ contact, to, onTo }: WriteProps) {
  const connected = connectedNow()
  const [text, setText] = useState('')
  const action = useAction(async () => {
    await write(contact, to, text)
    setText('')
    return t('Written.')
  })
  if (connected.length === 0) return <p class="soft">{t('No instance is connected yet, so this person cannot write to one.')}</p>
  return (
    <LineForm action={action} does={t('Write')} look="primary" isDisabled={text === ''}>
      <Field label={t('Writes to')}>
        {(tied) => (
          <Choice
            tied={tied}
            value={to}
            options={connected.map(({ phone, name }) => [phone ?? '', nameAndNumber(name, phone ?? '')])}
            onChange={onTo}
          />
        )}
      </Field>
      <Line label={t('Text')} value={text} required onChange={setText} />
    </LineForm>
  )
}

const FIRST_PERSON = 5_511_988_880_001

interface NewContactProps {
  state: State
  reload(): Promise<void>
  onMade(phone: string): void
}

function NewContact({ state, reload, onMade }: NewContactProps) {
  const [typed, setPhone] = useState<string>()
  const phone = typed ?? freeNumber(FIRST_PERSON, state)
  const [name, setName] = useState('')
  const action = useAction(async () => {
    const number = readPhone(phone).phone
    await createContact(number, name.trim())
    await reload()
    onMade(number)
    setPhone(undefined)
    setName('')
    return t('The person was added.')
  })
  return (
    <LineForm action={action} does={t('Add a person')}>
      <Line label={t('Number')} type="tel" value={phone} required onChange={setPhone} />
      <Line label={t('Name')} value={name} onChange={setName} />
    </LineForm>
  )
}

export function Conversation({ state, reload }: { state: State; reload(): Promise<void> }) {
  const [picked, setContact] = useState('')
  const contact = picked || (state.contacts[0]?.phone ?? '')
  const [chosen, setTo] = useState('')
  const connected = connectedNow()
  const instance = connected.find(({ phone }) => phone === chosen) ?? connected[0]
  return (
    <section class="card">
      <header>
        <h2>{t('People')}</h2>
      </header>
      {contact ? (
        <>
          <Field label={t('Person')}>
            {(tied) => (
              <Choice
                tied={tied}
                value={contact}
                options={state.contacts.map(({ phone, name }) => [phone, nameAndNumber(name, phone)])}
                onChange={setContact}
              />
            )}
          </Field>
          <Write contact={contact} to={instance?.phone ?? ''} onTo={setTo} />
          {instance ? (
            <>
              <h3>{t('Conversation')}</h3>
              <Both key={`${instance.id} ${contact}`} instance={instance} phone={contact} />
            </>
          ) : (
            <>
              <h3>{t('Inbox')}</h3>
              <Inbox key={contact} phone={contact} />
            </>
          )}
        </>
      ) : (
        <Empty title={t('No people yet')}>
          {t('Add a person here, or send to any number: a number that receives a message becomes a person.')}
        </Empty>
      )}
      <h3>{t('Somebody new')}</h3>
      <NewContact state={state} reload={reload} onMade={setContact} />
    </section>
  )
}
