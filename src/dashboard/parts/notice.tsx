import type { ComponentChildren } from 'preact'
import type { Refused } from '../api/refused.ts'
import { t } from '../texts/t.ts'
import { Button } from './button.tsx'

interface NoticeProps {
  kind?: 'bad' | 'warn' | 'good' | 'quiet' | ''
  children: ComponentChildren
}

export const Notice = ({ kind = '', children }: NoticeProps) => <div class={`notice ${kind}`}>{children}</div>

interface ProblemProps {
  of: Refused | undefined
  /** Names of fields that show their errors themselves, so that the notice does not repeat them. */
  fields?: readonly string[]
  again?: (() => unknown) | undefined
}

export function Problem({ of, fields = [], again }: ProblemProps) {
  if (!of) return null
  const others = [...of.issues].filter(([path]) => !fields.includes(path.split('.')[0] ?? ''))
  // Nothing is shown if the fields already say all of it.
  if (of.message === '' && others.length === 0) return null
  return (
    <div class="notice bad" role="alert">
      <div>
        {of.message}
        {others.map(([path, message]) => (
          <span class="under" key={path}>
            {path ? <code>{path}</code> : null} {message}
          </span>
        ))}
      </div>
      {again ? <Button onPress={again}>{t('Try again')}</Button> : null}
    </div>
  )
}

interface EmptyProps {
  title: string
  children: ComponentChildren
  actions?: ComponentChildren
}

export const Empty = ({ title, children, actions }: EmptyProps) => (
  <div class="empty">
    <h2>{title}</h2>
    <p class="empty-words">{children}</p>
    {actions ? <div class="row empty-actions">{actions}</div> : null}
  </div>
)

const WIDTHS = [100, 82, 91, 64, 88, 73]

export const Skeleton = ({ lines = 5 }: { lines?: number }) => (
  <svg
    class="skeleton"
    viewBox={`0 0 100 ${lines * 10}`}
    height={lines * 32}
    preserveAspectRatio="none"
    role="img"
    aria-label={t('Loading')}
  >
    {Array.from({ length: lines }, (_, at) => (
      <rect key={`line ${at + 1}`} x="0" y={at * 10 + 3} width={WIDTHS[at % WIDTHS.length]} height="4" rx="1" />
    ))}
  </svg>
)
