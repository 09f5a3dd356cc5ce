import { useState } from 'preact/hooks'
import type { InstanceRow } from '../../../domain/dashboard.ts'
import { answer, api, of } from '../../api/client.ts'
import { useAction } from '../../app/load.ts'
import { to } from '../../app/route.ts'
import { Button } from '../../parts/button.tsx'
import { Field, Line } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { Notice, Problem } from '../../parts/notice.tsx'

export function FirstMessage({ row }: { row: InstanceRow }) {
  const [phone, setPhone] = useState('')
  const [message, setMessage] = useState('Hello from svc')
  const [sent, setSent] = useState<string>()
  const { run, isBusy, problem } = useAction(async () => {
    const request = { params: { path: of(row.id) }, body: { phone: phone.trim(), message } }
    const { message_id } = await answer(api.POST('/instances/{instance_id}/token/{token}/send-text', request))
    setSent(message_id)
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
        <Problem of={problem} fields={['phone', 'message']} />
        {sent ? (
          <Notice kind="good">
            <div role="status">The message is in the queue.</div>
            <a href={to(['timeline'], { instance: row.id, id: sent })}>Follow the message</a>
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
