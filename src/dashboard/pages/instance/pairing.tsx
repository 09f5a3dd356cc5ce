/** The QR code, which renews itself, or a pairing code for a number. */
import { useState } from 'preact/hooks'
import type { InstanceRow } from '../../../domain/dashboard.ts'
import { BEFORE_THE_SCAN } from '../../../domain/passkey-words.ts'
import { answer, api, of } from '../../api/client.ts'
import { useAction, useEvery, useLoad } from '../../app/load.ts'
import { Button } from '../../parts/button.tsx'
import { Line } from '../../parts/field.tsx'
import { LineForm } from '../../parts/form.tsx'
import { Problem } from '../../parts/notice.tsx'
import { PasskeyCard, PasskeyProblem, usePasskey } from './passkey.tsx'

const LOOK_EVERY_MS = 2_000

const load = (id: string) => answer(api.GET('/instances/{instance_id}/token/{token}/qr-code', { params: { path: of(id) } }))

function Qr({ id, status }: { id: string; status: string }) {
  const { data, problem, reload } = useLoad(() => load(id), [id, status])
  useEvery(LOOK_EVERY_MS, () => {
    const isOver = data?.value ? Date.parse(data.expires_at ?? '') <= Date.now() : true
    if (isOver) reload()
  })
  return (
    <>
      {data?.value ? <img class="qr" src={data.value} alt="QR code to scan" /> : <div class="qr waiting">Fetching the code…</div>}
      <Problem of={problem} again={reload} />
    </>
  )
}

function PhoneCode({ id }: { id: string }) {
  const [phone, setPhone] = useState('')
  const [code, setCode] = useState('')
  const action = useAction(async () => {
    const path = { ...of(id), phone: phone.replace(/\D/g, '') }
    const { value } = await answer(api.GET('/instances/{instance_id}/token/{token}/phone-code/{phone}', { params: { path } }))
    setCode(value)
    return undefined
  })
  return (
    <LineForm
      action={action}
      does="Get a code"
      isDisabled={phone.replace(/\D/g, '') === ''}
      fields={['phone']}
      result={
        code ? (
          <div role="status">
            <span class="code">{`${code.slice(0, 4)}-${code.slice(4)}`}</span>
            <p class="soft">
              On the phone: Linked devices, Link with phone number instead. The code is valid for about two minutes.
            </p>
          </div>
        ) : null
      }
    >
      <Line
        label="Number of the phone"
        type="tel"
        value={phone}
        placeholder="+55 11 99999-0000"
        wrong={action.problem?.issues.get('phone')}
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

/** Text shown in place of the code; `start` means that a session must be started first. */
const INSTEAD: Record<string, string> = {
  connecting: 'Logging in…',
  disconnected: 'Reconnecting automatically…',
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
        <h2>Pair with the phone</h2>
        <p>WhatsApp on the phone: Settings, Linked devices, Link a device. Then scan.</p>
      </header>
      {isFailed ? <PasskeyProblem of={passkey.data} /> : null}
      {INSTEAD[status] ? <Waiting text={INSTEAD[status]} /> : null}
      {isRunning ? <Qr id={id} status={status} /> : null}
      {!isRunning && !INSTEAD[status] ? (
        <div class="stack">
          <p>No session is running. Start one to get a new code.</p>
          <div class="row">
            <Button look="primary" isBusy={start.isBusy} onPress={() => start.run()}>
              Show a QR code
            </Button>
          </div>
          <Problem of={start.problem} />
        </div>
      ) : null}
      {status === 'qr' ? (
        <>
          <div>
            <Button look="link" expanded={isByNumber} onPress={() => setByNumber(!isByNumber)}>
              Link with the phone number instead
            </Button>
          </div>
          {isByNumber ? <PhoneCode id={id} /> : null}
          <p class="soft">{BEFORE_THE_SCAN}</p>
        </>
      ) : null}
    </section>
  )
}
