import { useState } from 'preact/hooks'
import type { InstanceRow } from '../../../domain/dashboard.ts'
import { answer, api, of } from '../../api/client.ts'
import { useAction } from '../../app/load.ts'
import { to } from '../../app/route.ts'
import { Button } from '../../parts/button.tsx'
import { Field, Line } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { Notice, Problem } from '../../parts/notice.tsx'
import { At, isoOf } from '../../parts/time.tsx'

export function FirstMessage({ row }: { row: InstanceRow }) {
  const [phone, setPhone] = useState('')
  const [message, setMessage] = useState('Hello from svc')
  const [at, setAt] = useState('')
  const [sent, setSent] = useState<{ id: string; at: string | undefined }>()
  const { run, isBusy, problem } = useAction(async () => {
    const send_at = at === '' ? undefined : isoOf(at)
    const request = { params: { path: of(row.id) }, body: { phone: phone.trim(), message, ...(send_at && { send_at }) } }
    const { message_id } = await answer(api.POST('/instances/{instance_id}/token/{token}/send-text', request))
    setSent({ id: message_id, at: send_at })
    return undefined
  })
  return (
    <section class="card">
      <header>
        <h2>Send a message</h2>
        <p>This sends a text like POST …/send-text: it goes into the queue and leaves in its turn.</p>
      </header>
      <Form class="stack" onSubmit={() => run()}>
        <Line
          label="To"
          type="tel"
          value={phone}
          required
          placeholder="5511988887777"
          hint="A number with country code, or the id of a group or channel."
          wrong={problem?.issues.get('phone')}
          onChange={setPhone}
        />
        <Field label="Text" wrong={problem?.issues.get('message')}>
          {(tied) => <textarea {...tied} required value={message} onInput={(event) => setMessage(event.currentTarget.value)} />}
        </Field>
        <Line
          label="Not before"
          type="datetime-local"
          value={at}
          hint="Leave it empty to send now. At most 30 days ahead."
          wrong={problem?.issues.get('send_at')}
          onChange={setAt}
        />
        <Problem of={problem} fields={['phone', 'message', 'send_at']} />
        {sent ? (
          <Notice kind="good">
            <div role="status">
              The message is in the queue
              {sent.at ? (
                <>
                  {' '}
                  and waits until <At at={sent.at} />
                </>
              ) : null}
              .
            </div>
            <a href={to(['timeline'], { instance: row.id, id: sent.id })}>Follow the message</a>
          </Notice>
        ) : null}
        <div class="row">
          <Button look="primary" isBusy={isBusy}>
            Send
          </Button>
        </div>
      </Form>
    </section>
  )
}
