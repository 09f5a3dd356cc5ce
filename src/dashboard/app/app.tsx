import { session } from '../api/session.ts'
import { SignIn } from '../pages/sign-in.tsx'
import { Toasts } from '../parts/toasts.tsx'
import { Shell } from './shell.tsx'

export const App = () => (
  <>
    {session.value === undefined ? <p class="boot">svc</p> : null}
    {session.value === null ? <SignIn /> : null}
    {session.value ? <Shell /> : null}
    <Toasts />
  </>
)
