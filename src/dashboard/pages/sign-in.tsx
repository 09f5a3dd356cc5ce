import { useState } from 'preact/hooks'
import { signIn } from '../api/sign-in.ts'
import { useAction } from '../app/load.ts'
import { Button } from '../parts/button.tsx'
import { Line } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Icon } from '../parts/icon.tsx'
import { Problem } from '../parts/notice.tsx'

export function SignIn() {
  const [key, setKey] = useState('')
  const { run, isBusy, problem } = useAction(async () => {
    await signIn(key.trim())
    return undefined
  })
  return (
    <main class="sign-in">
      <Form class="card" onSubmit={() => run()}>
        <span class="brand">
          <Icon name="brand" size={28} />
          svc
        </span>
        <h1>Sign in</h1>
        <Line
          label="Admin key or API key"
          type="password"
          value={key}
          required
          placeholder="svc_admin_… or svc_key_…"
          hint={
            <>
              The admin key was printed once, at the first start. If you have lost it, <code>npm run cli -- admin-key reset</code>{' '}
              creates a new one. An API key opens what its scopes allow.
            </>
          }
          onChange={setKey}
        />
        <Problem of={problem} />
        <Button look="primary" isBusy={isBusy} isDisabled={key.trim() === ''}>
          Sign in
        </Button>
      </Form>
    </main>
  )
}
