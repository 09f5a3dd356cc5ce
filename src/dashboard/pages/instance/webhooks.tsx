/** Webhook URLs of the instance, and the deliveries to them. */
import { useState } from 'preact/hooks'
import { EVENT_TYPES, type EventType } from '../../../domain/events.ts'
import { answer, api, of } from '../../api/client.ts'
import { useAction } from '../../app/load.ts'
import { to } from '../../app/route.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Line } from '../../parts/field.tsx'
import { LineForm } from '../../parts/form.tsx'
import { Problem } from '../../parts/notice.tsx'
import { fieldsOf, pick, SchemaForm, type Values } from '../../parts/schema-form.tsx'
import { Secret } from '../../parts/secret.tsx'
import { durationText } from '../../parts/time.tsx'
import { Name, visible } from '../../parts/words.tsx'
import type { TabProps } from './tab.ts'

const FIELDS = fieldsOf('webhooks.update')
const isUrl = (name: string) => EVENT_TYPES.some((type) => name === `${type}_url`)
/** Whether a field is a switch on this page. Answers do not have the old field names that requests may still use. */
const isSwitch = (name: string, values: Values) => !isUrl(name) && name !== 'secret' && typeof values[name] === 'boolean'

const test = (id: string, type: EventType) =>
  answer(api.POST('/instances/{instance_id}/token/{token}/webhooks/{type}/test', { params: { path: { ...of(id), type } } }))

type Said = Awaited<ReturnType<typeof test>>

const Answered = ({ said }: { said: Said }) => (
  <div class="stack" role="status">
    <div class="row">
      <Badge look={said.delivered ? 'good' : 'bad'}>{said.delivered ? 'Taken' : 'Not taken'}</Badge>
      <span class="number">{said.response_code ? `HTTP ${said.response_code}` : said.error}</span>
      <span class="soft number">{durationText(said.duration_ms)}</span>
    </div>
    {said.response_body ? <pre class="text">{visible(said.response_body)}</pre> : null}
  </div>
)

function TypeRow({ id, type, url }: { id: string; type: EventType; url: string | null }) {
  const [said, setSaid] = useState<Said>()
  const { run, isBusy, problem } = useAction(async () => {
    setSaid(undefined)
    setSaid(await test(id, type))
    return undefined
  })
  return (
    <li class="stack">
      <div class="row between">
        <span class="break">
          <code>{type}</code>
          <Name class="under">{url ?? 'goes nowhere'}</Name>
        </span>
        <Button
          isBusy={isBusy}
          isDisabled={url === null}
          label={`Send a test event of ${type}`}
          onPress={() => run()}
          needs="webhooks.change"
        >
          Test
        </Button>
      </div>
      <Problem of={problem} />
      {said ? <Answered said={said} /> : null}
    </li>
  )
}

const GRACE = [0, 3_600, 86_400] as const

function RotateSecret({ id, onClose, reload }: { id: string; onClose(): void; reload(): Promise<void> }) {
  const [grace, setGrace] = useState<number>(GRACE[1])
  return (
    <Confirm
      title="Create a new secret?"
      does="Rotate"
      onClose={onClose}
      act={async () => {
        await answer(
          api.POST('/instances/{instance_id}/token/{token}/webhooks/secret', {
            params: { path: of(id) },
            body: { grace_seconds: grace },
          }),
        )
        await reload()
        return 'The instance has a new secret.'
      }}
    >
      <fieldset>
        <legend>How long the current secret also signs</legend>
        {[
          [0, 'Not at all: receivers need the new secret immediately'],
          [3_600, 'For an hour'],
          [86_400, 'For a day'],
        ].map(([seconds, text]) => (
          <label class="check" key={seconds}>
            <input type="radio" name="grace" checked={grace === seconds} onChange={() => setGrace(Number(seconds))} />
            <span>{text}</span>
          </label>
        ))}
      </fieldset>
    </Confirm>
  )
}

function SingleUrl({ save }: { save(changes: Values): Promise<string> }) {
  const [url, setUrl] = useState('')
  const action = useAction(async () => {
    const done = await save({ single_url: url.trim() })
    setUrl('')
    return done
  })
  return (
    <LineForm
      action={action}
      does="Use it"
      look="primary"
      isDisabled={url.trim() === ''}
      needs="webhooks.change"
      fields={['single_url']}
    >
      <Line
        label="One URL for all types"
        value={url}
        placeholder="https://example.com/hook"
        wrong={action.problem?.issues.get('single_url')}
        onChange={setUrl}
      />
    </LineForm>
  )
}

export function WebhooksTab({ row, instance }: TabProps) {
  const [isRotating, setRotating] = useState(false)
  const values = instance.data.webhooks as Values & { secret: string }
  const save = async (body: Values) => {
    await answer(api.PUT('/instances/{instance_id}/token/{token}/webhooks', { params: { path: of(row.id) }, body }))
    await instance.reload()
    return 'Saved.'
  }
  return (
    <div class="columns">
      <section class="card">
        <header>
          <h2>Webhook URLs</h2>
          <p>
            Each attempt goes to the URL that is set here at that time, so a corrected URL also receives the events that the wrong
            one missed.
          </p>
        </header>
        <SingleUrl save={save} />
        <SchemaForm fields={pick(FIELDS, isUrl)} values={values} save={save} needs="webhooks.change" />
      </section>
      <div class="stack wide-gap">
        <section class="card">
          <header>
            <h2>Test delivery</h2>
            <a href={to(['webhook-log'], { instance: row.id })}>Webhook log</a>
            <p>
              A sample event of the type, marked as a test, is signed and sent like every other. The result shows the answer of
              your program.
            </p>
          </header>
          <ul class="stack">
            {EVENT_TYPES.map((type) => (
              <TypeRow key={type} id={row.id} type={type} url={(values[`${type}_url`] as string | null) ?? null} />
            ))}
          </ul>
        </section>
        <section class="card">
          <header>
            <h2>Secret</h2>
            <Button onPress={() => setRotating(true)} needs="webhooks.change">
              Rotate
            </Button>
            <p>The secret signs every delivery. Your program uses it to verify that an event is genuine.</p>
          </header>
          <Secret value={values.secret} what="secret" key={values.secret} />
        </section>
        <section class="card">
          <header>
            <h2>What is told</h2>
          </header>
          <SchemaForm
            fields={pick(FIELDS, (name) => isSwitch(name, values))}
            values={values}
            save={save}
            needs="webhooks.change"
          />
        </section>
      </div>
      {isRotating ? <RotateSecret id={row.id} reload={instance.reload} onClose={() => setRotating(false)} /> : null}
    </div>
  )
}
