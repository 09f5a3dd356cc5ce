import { useEffect, useRef, useState } from 'preact/hooks'
import { Refused } from '../api/refused.ts'
import { hasEnded } from '../api/session.ts'
import { signIn } from '../api/sign-in.ts'
import { useAction } from '../app/load.ts'
import { Button } from '../parts/button.tsx'
import { Line } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Icon } from '../parts/icon.tsx'
import { LanguageChoice } from '../parts/language-choice.tsx'
import { Notice, Problem } from '../parts/notice.tsx'
import { Sentence } from '../parts/sentence.tsx'
import { t } from '../texts/t.ts'

const WRONG = t('That key is not right. Use the admin key (svc_admin_…), or an API key (svc_key_…) that has instances:read.')

const plainly = (error: unknown) =>
  error instanceof Refused && error.status === 401 ? new Refused(error.status, error.code, WRONG) : error

export function SignIn() {
  const [key, setKey] = useState('')
  const page = useRef<HTMLElement>(null)
  useEffect(() => page.current?.querySelector('input')?.focus(), [])
  const { run, isBusy, problem } = useAction(async () => {
    await signIn(key.trim()).catch((error) => {
      throw plainly(error)
    })
    return undefined
  })
  return (
    <main class="sign-in" ref={page}>
      <Form class="card" onSubmit={() => run()}>
        <span class="brand">
          <Icon name="brand" size={28} />
          svc
        </span>
        <h1>{t('Sign in')}</h1>
        {hasEnded.value ? <Notice>{t('Your session has ended. Sign in again to continue where you were.')}</Notice> : null}
        <Line
          label={t('Admin key or API key')}
          type="password"
          value={key}
          required
          placeholder="svc_admin_…"
          hint={
            <Sentence text="The admin key was printed once, at the first start. Lost it? The operator command `admin-key reset` makes a new one." />
          }
          onChange={setKey}
        />
        <Problem of={problem} />
        <Button look="primary" isBusy={isBusy} isDisabled={key.trim() === ''}>
          {t('Sign in')}
        </Button>
        <LanguageChoice />
      </Form>
    </main>
  )
}
