import { useState } from 'preact/hooks'
import type { InstanceRow } from '../../../domain/dashboard.ts'
import { readPhone } from '../../../domain/phone-input.ts'
import { Refused } from '../../api/refused.ts'
import { useAction } from '../../app/load.ts'
import { Button } from '../../parts/button.tsx'
import { Choice, Field, Line } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { kindText } from '../../parts/message-state.tsx'
import { Notice, Problem } from '../../parts/notice.tsx'
import { Copy } from '../../parts/secret.tsx'
import { Sentence } from '../../parts/sentence.tsx'
import { At, isoOf } from '../../parts/time.tsx'
import { t } from '../../texts/t.ts'
import { FileDrop } from './file-drop.tsx'
import { Follow } from './follow.tsx'
import { draftOf, KINDS, type Kind, pathOf, TEXT } from './kinds.ts'
import { NumberCheck } from './number-check.tsx'
import { curlOf, typeScriptOf } from './snippets.ts'
import { dataUrlOf, upload } from './upload.ts'

const FORM_FIELDS = ['phone', 'message', 'caption', 'send_at', 'body']

interface Draft {
  kind: Kind
  phone: string
  text: string
  json: string
  file: File | undefined
  at: string
}

function parsedBody(json: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(json)
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>
  } catch {
    // The text is no JSON. It is refused with the same sentence as JSON that is not an object.
  }
  throw new Refused(0, 'invalid_request', '', [{ path: 'body', message: t('must be a JSON object') }])
}

function bodyOf({ kind, phone, text, json, file, at }: Draft, data: string): Record<string, unknown> {
  const recipient = kind.takesPhone ? { phone: readPhone(phone).phone } : {}
  const later = at === '' ? {} : { send_at: isoOf(at) }
  if (kind === TEXT) return { ...recipient, message: text, ...later }
  if (kind.file === null) return { ...recipient, ...parsedBody(json), ...later }
  const named = 'file_name' in kind.example && file ? { file_name: file.name } : {}
  return { ...recipient, [kind.file]: data, ...named, ...(kind.hasCaption && text !== '' ? { caption: text } : {}), ...later }
}

/** The request as a program would send it; undefined while the input is incomplete. */
function requestOf(instance: string, draft: Draft) {
  try {
    const body = bodyOf(draft, draft.file ? `data:…;base64,… of ${draft.file.name}` : 'https://…')
    return { instance, path: pathOf(draft.kind, draft.file?.name), body }
  } catch {
    return undefined
  }
}

function useDraft() {
  const [draft, setDraft] = useState<Draft>({
    kind: TEXT,
    phone: '',
    text: t('Hello from svc'),
    json: '',
    file: undefined,
    at: '',
  })
  const set = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }))
  const setKind = (operation: string) => {
    const kind = KINDS.find((each) => each.operation === operation) ?? TEXT
    set({ kind, json: draftOf(kind), text: kind === TEXT ? t('Hello from svc') : '' })
  }
  return { draft, set, setKind }
}

export function SendCard({ row }: { row: InstanceRow }) {
  const { draft, set, setKind } = useDraft()
  const [sent, setSent] = useState<{ id: string; at: string | undefined }>()
  const [share, setShare] = useState(0)
  const { kind, phone, text, json, file, at } = draft
  const { run, isBusy, problem } = useAction(async () => {
    setSent(undefined)
    setShare(0)
    const body = bodyOf(draft, file ? await dataUrlOf(file) : '')
    const path = `api/instances/${encodeURIComponent(row.id)}${pathOf(kind, file?.name)}`
    const { message_id } = await upload<{ message_id: string }>(path, body, setShare)
    setSent({ id: message_id, at: at === '' ? undefined : isoOf(at) })
    return undefined
  })
  const request = requestOf(row.id, draft)
  const { meant } = readPhone(phone, row.phone)
  const isText = kind === TEXT || kind.hasCaption
  return (
    <section class="card">
      <header>
        <h2>{t('Send a message')}</h2>
      </header>
      <Form class="stack" onSubmit={() => run()}>
        <Field label={t('Kind')} hint={kind === TEXT ? undefined : kind.summary}>
          {(tied) => (
            <Choice
              tied={tied}
              value={kind.operation}
              options={KINDS.map(({ operation }) => [operation, kindText(operation)] as const)}
              onChange={setKind}
            />
          )}
        </Field>
        <Line
          label={t('To')}
          type="tel"
          value={phone}
          placeholder="+55 11 …"
          hint={t('A number with its country code, or the id of a group or channel. Begin with a number of your own.')}
          wrong={problem?.issues.has('phone') ? t('Write the number with its country code, for example 55 11 …') : undefined}
          onChange={(next) => set({ phone: next })}
        />
        {meant ? (
          <p class="soft">
            {t('The country code may be missing.')}{' '}
            <Button look="link" onPress={() => set({ phone: `+${meant}` })}>
              {t('Use {number}', { number: `+${meant}` })}
            </Button>
          </p>
        ) : null}
        <div class="row">
          <NumberCheck instance={row.id} phone={readPhone(phone).phone} />
        </div>
        {kind.file === null ? null : (
          <FileDrop file={file} wrong={problem?.issues.get(kind.file)} onFile={(next) => set({ file: next })} />
        )}
        {isText ? (
          <Field
            label={kind === TEXT ? t('Text') : t('Caption')}
            wrong={problem?.issues.get('message') ?? problem?.issues.get('caption')}
          >
            {(tied) => <textarea {...tied} value={text} onInput={(event) => set({ text: event.currentTarget.value })} />}
          </Field>
        ) : null}
        {kind !== TEXT && kind.file === null ? (
          <Field label={t('Content as JSON')} wrong={problem?.issues.get('body')}>
            {(tied) => (
              <textarea {...tied} class="json" value={json} onInput={(event) => set({ json: event.currentTarget.value })} />
            )}
          </Field>
        ) : null}
        <Line
          label={t('Not before')}
          type="datetime-local"
          value={at}
          hint={t('Leave it empty to send now. At most 30 days ahead.')}
          wrong={problem?.issues.get('send_at')}
          onChange={(next) => set({ at: next })}
        />
        <Problem of={problem} fields={kind.file === null ? FORM_FIELDS : [...FORM_FIELDS, kind.file]} />
        {isBusy && file ? <progress max={1} value={share} aria-label={t('Uploaded')} /> : null}
        {sent?.at ? (
          <Notice kind="good">
            <div role="status">
              <Sentence text="The message is in the queue and waits until {time}." elements={{ time: <At at={sent.at} /> }} />
            </div>
          </Notice>
        ) : null}
        {sent ? <Follow key={sent.id} instance={row.id} id={sent.id} /> : null}
        <div class="row">
          <Button look="primary" isBusy={isBusy} isDisabled={kind.file !== null && file === undefined}>
            {t('Send')}
          </Button>
          {request ? (
            <>
              <Copy text={curlOf(request)} what={t('request as curl')} /> <small>curl</small>
              <Copy text={typeScriptOf(request)} what={t('request as TypeScript')} /> <small>{'TypeScript'}</small>
            </>
          ) : null}
        </div>
      </Form>
    </section>
  )
}
