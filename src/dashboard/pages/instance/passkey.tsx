/**
 * Linking an account that requires its passkey: sign the challenge in a browser, compare the code with the phone, wait
 * for the link.
 */
import { useState } from 'preact/hooks'
import { byHandFor, PASSKEY_PROBLEMS, UNFOLD_AFTER_MS } from '../../../domain/passkey-words.ts'
import { answer, api, of } from '../../api/client.ts'
import { Refused } from '../../api/refused.ts'
import { type Loaded, useAction, useEvery, useLoad } from '../../app/load.ts'
import { Button } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { Notice, Problem } from '../../parts/notice.tsx'
import { Copy } from '../../parts/secret.tsx'
import { Sentence } from '../../parts/sentence.tsx'
import { Ago } from '../../parts/time.tsx'
import { ofService, t } from '../../texts/t.ts'

const LOOK_EVERY_MS = 2_000

const load = (id: string) => answer(api.GET('/instances/{instance_id}/token/{token}/passkey', { params: { path: of(id) } }))
type Passkey = Awaited<ReturnType<typeof load>>

/** Loads the state of the passkey when `about` changes, and every two seconds until there is no ceremony (`none`). */
export function usePasskey(id: string, about: string): Loaded<Passkey> {
  const passkey = useLoad(() => load(id), [id, about])
  useEvery(LOOK_EVERY_MS, () => (passkey.data?.stage === 'none' ? undefined : passkey.reload()))
  return passkey
}

function parsed(text: string) {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refused(0, 'unknown', t('This is not the answer. Copy it with the button in the box, and paste the whole of it.'))
  }
}

/**
 * True if the service refused the passkey's answer itself. After any other error, the same answer may be submitted
 * again.
 */
const isJudged = (error: unknown) =>
  error instanceof Refused && !['unreachable', 'unknown', 'engine_unavailable'].includes(error.code)

interface Props {
  id: string
  passkey: Passkey
  reload(): Promise<void>
}

/**
 * Opens WhatsApp Web in a new tab with a ticket for the browser extension. `isLost` is true if the extension does not
 * appear there within `UNFOLD_AFTER_MS`.
 */
function useHelper(id: string, isSeen: boolean) {
  const [opened, setOpened] = useState<{ url: string; at: number }>()
  const open = useAction(async () => {
    const { open_url: url } = await answer(
      api.POST('/instances/{instance_id}/token/{token}/passkey/ticket', { params: { path: of(id) } }),
    )
    setOpened({ url, at: Date.now() })
    window.open(url, '_blank', 'noopener,noreferrer')
    return undefined
  })
  return { open, url: opened?.url, isLost: !isSeen && opened !== undefined && Date.now() - opened.at > UNFOLD_AFTER_MS }
}

function WithHelper({ helper, isSeen }: { helper: ReturnType<typeof useHelper>; isSeen: boolean }) {
  return (
    <>
      <p>
        {t(
          'Press the button. WhatsApp Web opens in a new tab; press “Confirm” there, and use your fingerprint, face, PIN or password manager. Choose the passkey of this number.',
        )}
      </p>
      <div class="row">
        <Button look="primary" isBusy={helper.open.isBusy} onPress={() => helper.open.run()}>
          {t('Open WhatsApp Web')}
        </Button>
        {helper.url ? (
          <a href={helper.url} target="_blank" rel="noopener noreferrer">
            {t('No new tab? Open it with this link.')}
          </a>
        ) : null}
      </div>
      <Problem of={helper.open.problem} />
      <p role="status">{isSeen ? t('The helper asks for the passkey in the other tab.') : ''}</p>
      <details open={helper.isLost}>
        <summary>{t('No box asks you to confirm? Add the helper to this browser')}</summary>
        <ol>
          <li>
            <Sentence
              text="{link} and unpack it. It works in Chrome, Edge and other browsers based on Chromium."
              elements={{
                link: (
                  <a href="../passkey/extension.zip" download>
                    {t('Download the helper')}
                  </a>
                ),
              }}
            />
          </li>
          <li>
            <Sentence text="Open `chrome://extensions`, switch on Developer mode, press “Load unpacked”, and choose the folder `svc-passkey-extension`." />
          </li>
          <li>{t('Come back and press “Open WhatsApp Web” again.')}</li>
        </ol>
      </details>
    </>
  )
}

function ByHand({ id, script, reload }: Pick<Props, 'id' | 'reload'> & { script: string }) {
  const [text, setText] = useState('')
  const over = async () => {
    setText('')
    await reload()
  }
  const handIn = useAction(async () => {
    const body = { assertion: parsed(text) }
    await answer(api.POST('/instances/{instance_id}/token/{token}/passkey/response', { params: { path: of(id) }, body })).catch(
      async (error) => {
        if (isJudged(error)) await over()
        throw error
      },
    )
    await over()
    return undefined
  })
  return (
    <div class="stack">
      <Field label={t('1. Copy this text')} hint={t('Never paste a text from anywhere else there.')}>
        {(tied) => <textarea {...tied} rows={3} readOnly value={script} />}
      </Field>
      <div class="row">
        <Copy text={script} what={t('text to paste')} />
        <a href="https://web.whatsapp.com/" target="_blank" rel="noopener noreferrer">
          {t('2. Open WhatsApp Web')}
        </a>
      </div>
      <p>
        <Sentence text="3. Press `F12` there, choose Console, paste the text and press `Enter`. Chrome first wants you to type `allow pasting`." />
      </p>
      <p>{t('4. Press “Confirm with the passkey” in the box, and choose the passkey of this number. Then copy the answer.')}</p>
      <Field label={t('5. Paste the answer')}>
        {(tied) => <textarea {...tied} rows={3} value={text} onInput={(event) => setText(event.currentTarget.value)} />}
      </Field>
      <div class="row">
        <Button look="primary" isBusy={handIn.isBusy} isDisabled={text.trim() === ''} onPress={() => handIn.run()}>
          {t('Hand in the answer')}
        </Button>
      </div>
      <Problem of={handIn.problem} />
    </div>
  )
}

function Compare({ id, passkey, reload }: Props) {
  const confirm = useAction(async (matches: boolean) => {
    const params = { path: of(id) }
    await answer(api.POST('/instances/{instance_id}/token/{token}/passkey/confirm', { params, body: { matches } }))
    await reload()
    return undefined
  })
  return (
    <div class="stack">
      <p role="status">
        {passkey.code
          ? t('Look at the phone. Say yes if it asks. If it shows a code, it must be this one:')
          : t('Look at the phone. Say yes if it asks, and keep WhatsApp open.')}
      </p>
      {passkey.code ? <span class="code">{passkey.code}</span> : null}
      {passkey.needs_confirmation ? (
        <div class="row">
          <Button look="primary" isBusy={confirm.isBusy} onPress={() => confirm.run(true)}>
            {t('They match')}
          </Button>
          <Button isDangerous onPress={() => confirm.run(false)}>
            {t('They differ')}
          </Button>
        </div>
      ) : null}
      <Problem of={confirm.problem} />
    </div>
  )
}

function Sign({ id, passkey, reload }: Props) {
  const isSeen = passkey.helper_seen
  const helper = useHelper(id, isSeen)
  if (!passkey.public_key) return <p role="status">{t('Fetching what is to be signed…')}</p>
  return (
    <div class="stack">
      <p>{t('Leave the phone as it is, with WhatsApp open. The passkey has to be on this computer, or within its reach.')}</p>
      <WithHelper helper={helper} isSeen={isSeen} />
      <details open={helper.isLost}>
        <summary>{t('Without the helper, by hand')}</summary>
        <ByHand id={id} script={byHandFor(passkey.public_key)} reload={reload} />
      </details>
    </div>
  )
}

export function PasskeyCard({ id, passkey, reload, problem }: Props & { problem: Refused | undefined }) {
  const isSigning = passkey.stage === 'awaiting_response'
  return (
    <section class="card">
      <header>
        <h2>{isSigning ? t('WhatsApp wants the passkey of this account') : t('Look at the phone')}</h2>
        <p>
          {passkey.expires_at ? <Sentence text="Ends {time}." elements={{ time: <Ago at={passkey.expires_at} /> }} /> : null}
          {isSigning ? ` ${t('Tries left: {n}.', { n: passkey.attempts_left })}` : null}
        </p>
      </header>
      <PasskeyProblem of={passkey} />
      <Problem of={problem} again={reload} />
      {isSigning ? (
        <Sign key={passkey.public_key?.challenge} id={id} passkey={passkey} reload={reload} />
      ) : (
        <Compare id={id} passkey={passkey} reload={reload} />
      )}
    </section>
  )
}

export const PasskeyProblem = ({ of }: { of: Passkey | undefined }) =>
  of?.last_error ? (
    <Notice kind="bad">
      <div role="alert">{ofService(PASSKEY_PROBLEMS[of.last_error])}</div>
    </Notice>
  ) : null
