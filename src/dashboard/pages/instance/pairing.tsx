/** Pairs the instance with a QR code, which renews itself, or with a code for a phone number. */
import { useState } from 'preact/hooks'
import type { InstanceRow } from '../../../domain/dashboard.ts'
import { BEFORE_THE_SCAN } from '../../../domain/passkey-words.ts'
import { readPhone } from '../../../domain/phone-input.ts'
import { answer, api, of } from '../../api/client.ts'
import { session } from '../../api/session.ts'
import { type Action, useAction, useEvery, useLoad } from '../../app/load.ts'
import { to } from '../../app/route.ts'
import { Button } from '../../parts/button.tsx'
import { Line } from '../../parts/field.tsx'
import { LineForm } from '../../parts/form.tsx'
import { Problem } from '../../parts/notice.tsx'
import { Copy } from '../../parts/secret.tsx'
import { Sentence } from '../../parts/sentence.tsx'
import { phoneText } from '../../parts/words.tsx'
import { ofService, t } from '../../texts/t.ts'
import { PasskeyCard, PasskeyProblem, usePasskey } from './passkey.tsx'

const LOOK_EVERY_MS = 2_000

const load = (id: string) => answer(api.GET('/instances/{instance_id}/token/{token}/qr-code', { params: { path: of(id) } }))

const SECOND = 1_000

function Qr({ id, status }: { id: string; status: string }) {
  const { data, problem, reload } = useLoad(() => load(id), [id, status])
  const [now, setNow] = useState(Date.now())
  useEvery(SECOND, () => setNow(Date.now()))
  const left = data?.value ? Math.ceil((Date.parse(data.expires_at ?? '') - now) / SECOND) : undefined
  useEvery(LOOK_EVERY_MS, () => {
    if (left === undefined || left <= 0) reload()
  })
  return (
    <>
      {data?.value ? (
        <div class="qr-frame">
          <img class="qr" src={data.value} alt={t('QR code to scan')} />
          <span class="soft number">
            {left !== undefined && left > 0 ? t('New code in {n} s', { n: left }) : t('Fetching a new code…')}
          </span>
        </div>
      ) : (
        <div class="qr waiting">{t('Fetching the code…')}</div>
      )}
      <Problem of={problem} again={reload} />
    </>
  )
}

const wrongOf = (text: string) =>
  readPhone(text).isNational ? t('Write the number with its country code, for example 55 11 …') : undefined

function PhoneCode({ id }: { id: string }) {
  const [phone, setPhone] = useState('')
  const [code, setCode] = useState('')
  const number = readPhone(phone).phone
  const action = useAction(async () => {
    setCode('')
    const path = { ...of(id), phone: number }
    const { value } = await answer(api.GET('/instances/{instance_id}/token/{token}/phone-code/{phone}', { params: { path } }))
    setCode(value)
    return undefined
  })
  return (
    <LineForm
      action={action}
      does={t('Get a code')}
      isDisabled={number === '' || wrongOf(phone) !== undefined}
      fields={['phone']}
      result={
        code ? (
          <div role="status">
            <span class="code">{`${code.slice(0, 4)}-${code.slice(4)}`}</span> <Copy text={code} what={t('code')} />
            <p class="soft">
              {t('On the phone: Linked devices, Link with phone number instead. The code is valid for three minutes.')}
            </p>
          </div>
        ) : null
      }
    >
      <Line
        label={t('Number of the phone')}
        type="tel"
        value={phone}
        placeholder="+55 11 …"
        wrong={wrongOf(phone) ?? action.problem?.issues.get('phone')}
        onChange={setPhone}
      />
    </LineForm>
  )
}

const Waiting = ({ text }: { text: string }) => (
  <div class="qr waiting" role="status">
    {text}
  </div>
)

const INSTEAD: Record<string, string> = {
  connecting: t('Logging in…'),
  disconnected: t('Reconnecting automatically…'),
}

/**
 * Shows a button that starts a session, for an instance without one. A paused instance has no such button. For a banned
 * instance, it is not the main button, because a code rarely helps.
 */
function NoSession({ row, start }: { row: InstanceRow; start: Action<[]> }) {
  const isPaused = row.status_reason === 'paused'
  const isBanned = row.status === 'banned'
  if (isPaused) return <p>{t('The instance is paused. Resume it to go on with the phone that is linked.')}</p>
  return (
    <div class="stack">
      <p>
        {isBanned
          ? t('WhatsApp refuses this number. A new code helps only after the ban is lifted, or with another number.')
          : t('No session is running. Start one to get a new code.')}
      </p>
      <div class="row">
        <Button look={isBanned ? undefined : 'primary'} isBusy={start.isBusy} onPress={() => start.run()}>
          {isBanned ? t('Show a code anyway') : t('Show a QR code')}
        </Button>
      </div>
      <Problem of={start.problem} />
    </div>
  )
}

export function Pairing({ row }: { row: InstanceRow }) {
  const { id, status } = row
  const [isByNumber, setByNumber] = useState(false)
  const start = useAction(async () => {
    await load(id)
    return undefined
  })
  const isRunning = status === 'qr' || status === 'starting'
  const passkey = usePasskey(id, `${status} ${row.status_reason}`)
  if (status === 'connecting' && passkey.data && passkey.data.stage !== 'none')
    return <PasskeyCard id={id} passkey={passkey.data} reload={passkey.reload} problem={passkey.problem} />
  const isFailed = status === 'logged_out' || passkey.data?.last_error === 'connection_lost'
  return (
    <section class="card">
      <header>
        <h2>{t('Pair with the phone')}</h2>
        {isRunning && session.value?.sandbox ? (
          <p>
            <Sentence
              text="This is the sandbox: a real phone cannot scan this code. {link}"
              elements={{ link: <a href={to(['sandbox'])}>{t('Scan it with a simulated phone')}</a> }}
            />
          </p>
        ) : null}
        {isRunning && !session.value?.sandbox ? (
          <p>{t('WhatsApp on the phone: Settings, Linked devices, Link a device. Then scan.')}</p>
        ) : null}
      </header>
      {row.last_phone ? <p class="soft">{t('Last linked to {phone}.', { phone: phoneText(row.last_phone) })}</p> : null}
      {isFailed ? <PasskeyProblem of={passkey.data} /> : null}
      {INSTEAD[status] ? <Waiting text={INSTEAD[status]} /> : null}
      {isRunning ? <Qr id={id} status={status} /> : null}
      {!isRunning && !INSTEAD[status] ? <NoSession row={row} start={start} /> : null}
      {status === 'qr' ? (
        <>
          <div>
            <Button look="link" expanded={isByNumber} onPress={() => setByNumber(!isByNumber)}>
              {t('Link with the phone number instead')}
            </Button>
          </div>
          {isByNumber ? <PhoneCode id={id} /> : null}
          <p class="soft">{ofService(BEFORE_THE_SCAN)}</p>
        </>
      ) : null}
    </section>
  )
}
