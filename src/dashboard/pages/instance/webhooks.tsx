import { useState } from 'preact/hooks'
import { EVENT_TYPES } from '../../../domain/events.ts'
import { answer, api, of } from '../../api/client.ts'
import { useAction } from '../../app/load.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Line } from '../../parts/field.tsx'
import { LineForm } from '../../parts/form.tsx'
import { fieldsOf, pick, SchemaForm, type Values } from '../../parts/schema-form.tsx'
import { Secret } from '../../parts/secret.tsx'
import { t } from '../../texts/t.ts'
import type { TabProps } from './tab.ts'
import { WebhookTests } from './webhook-tests.tsx'

const FIELDS = fieldsOf('webhooks.update')
const isUrl = (name: string) => EVENT_TYPES.some((type) => name === `${type}_url`)

const GRACE = [0, 3_600, 86_400] as const

function RotateSecret({ id, onClose, reload }: { id: string; onClose(): void; reload(): Promise<void> }) {
  const [grace, setGrace] = useState<number>(GRACE[1])
  return (
    <Confirm
      title={t('Create a new secret?')}
      does={t('Rotate')}
      onClose={onClose}
      act={async () => {
        await answer(
          api.POST('/instances/{instance_id}/token/{token}/webhooks/secret', {
            params: { path: of(id) },
            body: { grace_seconds: grace },
          }),
        )
        await reload()
        return t('The instance has a new secret.')
      }}
    >
      <fieldset>
        <legend>{t('How long the current secret stays valid')}</legend>
        {[
          [0, t('Not at all: receivers need the new secret immediately')],
          [3_600, t('For an hour')],
          [86_400, t('For a day')],
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

/**
 * Returns the URL that all event types share. Returns an empty text if no type has a URL, and undefined if the URLs
 * differ.
 */
function commonUrl(values: Values): string | undefined {
  const urls = new Set(EVENT_TYPES.map((type) => (values[`${type}_url`] as string | null) ?? ''))
  return urls.size === 1 ? [...urls][0] : undefined
}

interface UrlProps {
  values: Values
  save(changes: Values): Promise<string>
}

function SingleUrl({ values, save }: UrlProps) {
  const saved = commonUrl(values) ?? ''
  const [url, setUrl] = useState(saved)
  const action = useAction(() => save({ single_url: url.trim() || null }))
  return (
    <LineForm
      action={action}
      does={t('Save the address')}
      look="primary"
      isDisabled={url.trim() === saved}
      needs="webhooks.change"
      fields={['single_url']}
    >
      <Line
        label={t('Address for all events')}
        value={url}
        placeholder="https://example.com/hook"
        wrong={action.problem?.issues.get('single_url')}
        onChange={setUrl}
      />
    </LineForm>
  )
}

const Switches = ({ names, does, values, save }: UrlProps & { names: readonly string[]; does: string }) => (
  <SchemaForm
    fields={Object.fromEntries(names.map((name) => [name, FIELDS[name]!]))}
    values={values}
    save={save}
    does={does}
    needs="webhooks.change"
  />
)

const KINDS = [
  ...EVENT_TYPES.map((type) => `ignore_${type}_callback`),
  'notify_sent_by_me',
  'ignore_private',
  'ignore_groups',
  'ignore_text',
  'ignore_image',
  'ignore_video',
  'ignore_audio',
  'ignore_document',
]
/**
 * Number of switches at the beginning of the list that are for types of events and for own messages. The other switches
 * select received messages by chat and kind.
 */
const ALWAYS = EVENT_TYPES.length + 1

export function WebhooksTab({ row, instance }: TabProps) {
  const [isRotating, setRotating] = useState(false)
  const values = instance.data.webhooks as Values & { secret: string }
  const save = async (body: Values) => {
    await answer(api.PUT('/instances/{instance_id}/token/{token}/webhooks', { params: { path: of(row.id) }, body }))
    await instance.reload()
    return t('Saved.')
  }
  return (
    <div class="columns">
      <div class="stack wide-gap">
        <section class="card">
          <header>
            <h2>{t('Where events go')}</h2>
            <p>
              {t(
                'Each attempt goes to the address that is set here at that time, so a corrected address also receives the events that the wrong one missed.',
              )}
            </p>
          </header>
          <SingleUrl key={commonUrl(values)} values={values} save={save} />
          <details open={commonUrl(values) === undefined}>
            <summary>{t('A different address for each kind')}</summary>
            <SchemaForm
              fields={pick(FIELDS, isUrl)}
              values={values}
              save={save}
              does={t('Save the addresses')}
              needs="webhooks.change"
            />
          </details>
        </section>
        <section class="card" aria-label={t('Send me')}>
          <header>
            <h2>{t('Send me')}</h2>
          </header>
          <Switches names={KINDS.slice(0, ALWAYS)} does={t('Save what is sent')} values={values} save={save} />
          <details>
            <summary>{t('Of the messages that arrive, send me')}</summary>
            <Switches names={KINDS.slice(ALWAYS)} does={t('Save the kinds of messages')} values={values} save={save} />
          </details>
        </section>
      </div>
      <div class="stack wide-gap">
        <WebhookTests id={row.id} values={values} />
        <section class="card">
          <header>
            <h2>{t('Secret')}</h2>
            <Button onPress={() => setRotating(true)} needs="webhooks.change">
              {t('Rotate')}
            </Button>
            <p>{t('The secret signs every delivery. Your program uses it to verify that an event is genuine.')}</p>
          </header>
          <Secret value={values.secret} what={t('secret')} key={values.secret} />
        </section>
      </div>
      {isRotating ? <RotateSecret id={row.id} reload={instance.reload} onClose={() => setRotating(false)} /> : null}
    </div>
  )
}
