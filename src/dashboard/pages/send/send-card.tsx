import { useEffect, useRef, useState } from 'preact/hooks'
import type { InstanceRow } from '../../../domain/dashboard.ts'
import { readPhone } from '../../../domain/phone-input.ts'
import { useAction } from '../../app/load.ts'
import { Button } from '../../parts/button.tsx'
import { Field, Line } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { kindText } from '../../parts/message-state.tsx'
import { Notice, Problem } from '../../parts/notice.tsx'
import { SearchedChoice } from '../../parts/searched-choice.tsx'
import { Copy } from '../../parts/secret.tsx'
import { Sentence } from '../../parts/sentence.tsx'
import { At, isoOf } from '../../parts/time.tsx'
import { t } from '../../texts/t.ts'
import { bodyOf, type Draft, isComplete, requestOf, useDraft } from './draft.ts'
import { FileDrop } from './file-drop.tsx'
import { Follow } from './follow.tsx'
import { groupOf, KINDS, pathOf, searchWordsOf, TEXT } from './kinds.ts'
import { NumberCheck } from './number-check.tsx'
import { curlOf, type Request, typeScriptOf } from './snippets.ts'
import { dataUrlOf, upload } from './upload.ts'

const FORM_FIELDS = ['phone', 'message', 'caption', 'send_at', 'body']

type Issues = ReadonlyMap<string, string> | undefined

interface PartProps {
  draft: Draft
  issues: Issues
  set(changes: Partial<Draft>): void
}

function To({ draft: { phone }, issues, set, row }: PartProps & { row: InstanceRow }) {
  const { meant, phone: number } = readPhone(phone, row.phone)
  return (
    <>
      <Line
        label={t('To')}
        type="tel"
        value={phone}
        placeholder="+55 11 …"
        hint={t('A number with its country code, or the id of a group or channel. Begin with a number of your own.')}
        wrong={issues?.has('phone') ? t('Write the number with its country code, for example 55 11 …') : undefined}
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
        <NumberCheck instance={row.id} phone={number} />
      </div>
    </>
  )
}

function Content({ draft: { kind, text, json, file }, issues, set }: PartProps) {
  return (
    <>
      {kind.file === null ? null : <FileDrop file={file} wrong={issues?.get(kind.file)} onFile={(next) => set({ file: next })} />}
      {kind === TEXT || kind.hasCaption ? (
        <Field label={kind === TEXT ? t('Text') : t('Caption')} wrong={issues?.get('message') ?? issues?.get('caption')}>
          {(tied) => <textarea {...tied} value={text} onInput={(event) => set({ text: event.currentTarget.value })} />}
        </Field>
      ) : null}
      {kind !== TEXT && kind.file === null ? (
        <Field label={t('Content as JSON')} wrong={issues?.get('body')}>
          {(tied) => (
            <textarea {...tied} class="json" value={json} onInput={(event) => set({ json: event.currentTarget.value })} />
          )}
        </Field>
      ) : null}
    </>
  )
}

const Snippets = ({ request }: { request: Request | undefined }) =>
  request ? (
    <>
      <Copy text={curlOf(request)} what={t('request as curl')}>
        {'curl'}
      </Copy>
      <Copy text={typeScriptOf(request)} what={t('request as TypeScript')}>
        {'TypeScript'}
      </Copy>
    </>
  ) : null

interface Sent {
  id: string
  at: string | undefined
}

const Result = ({ instance, sent: { id, at } }: { instance: string; sent: Sent }) => (
  <>
    {at ? (
      <Notice kind="good">
        <div role="status">
          <Sentence text="The message is in the queue and waits until {time}." elements={{ time: <At at={at} /> }} />
        </div>
      </Notice>
    ) : null}
    <Follow key={id} instance={instance} id={id} />
  </>
)

export function SendCard({ row }: { row: InstanceRow }) {
  const { draft, set, setKind, clear } = useDraft(row.id)
  const [sent, setSent] = useState<Sent>()
  const [share, setShare] = useState(0)
  const { kind, file, at } = draft
  const { run, isBusy, problem } = useAction(async () => {
    setSent(undefined)
    setShare(0)
    const body = bodyOf(draft, file ? await dataUrlOf(file) : '')
    const path = `api/instances/${encodeURIComponent(row.id)}${pathOf(kind, file?.name)}`
    const { message_id } = await upload<{ message_id: string }>(path, body, setShare)
    setSent({ id: message_id, at: at === '' ? undefined : isoOf(at) })
    clear()
    return undefined
  })
  const part = { draft, issues: problem?.issues, set }
  const result = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (sent || problem) result.current?.scrollIntoView({ block: 'nearest' })
  }, [sent, problem])
  return (
    <section class="card">
      <header>
        <h2>{t('Send a message')}</h2>
        {row.status === 'connected' ? null : (
          <p>{t('The instance is not connected: the message waits in the queue until it is.')}</p>
        )}
      </header>
      <Form class="stack" onSubmit={() => isComplete(draft) && run()}>
        <Field label={t('Kind')}>
          {(tied) => (
            <SearchedChoice
              label={t('Kind')}
              tied={tied}
              value={kind.operation}
              options={KINDS.map(({ operation }) => [operation, kindText(operation)] as const)}
              groupOf={groupOf}
              wordsOf={searchWordsOf}
              onChange={setKind}
            />
          )}
        </Field>
        {kind.takesPhone ? <To {...part} row={row} /> : null}
        <Content {...part} key={sent?.id ?? ''} />
        <Line
          label={t('Not before')}
          type="datetime-local"
          value={at}
          hint={t('Leave it empty to send now. At most 30 days ahead.')}
          wrong={problem?.issues.get('send_at')}
          onChange={(next) => set({ at: next })}
        />
        {isBusy && file ? <progress max={1} value={share} aria-label={t('Uploaded')} /> : null}
        <div class="row">
          <Button look="primary" isBusy={isBusy} isDisabled={!isComplete(draft)}>
            {t('Send')}
          </Button>
          <Snippets request={requestOf(row.id, draft)} />
        </div>
        <div class="stack result" ref={result}>
          <Problem of={problem} fields={kind.file === null ? FORM_FIELDS : [...FORM_FIELDS, kind.file]} />
          {sent ? <Result instance={row.id} sent={sent} /> : null}
        </div>
      </Form>
    </section>
  )
}
