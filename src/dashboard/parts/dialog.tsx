/** Dialogs. They use the dialog element of the browser, which traps the focus and closes with Escape. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { lookOf } from '../../domain/display-text.ts'
import { focusContent } from '../app/focus.ts'
import { type Action, useAction } from '../app/load.ts'
import { t } from '../texts/t.ts'
import { Button } from './button.tsx'
import { Line } from './field.tsx'
import { Form } from './form.tsx'
import { Problem } from './notice.tsx'
import { Sentence } from './sentence.tsx'
import { Name } from './words.tsx'

interface DialogProps {
  title: ComponentChildren
  children: ComponentChildren
  onClose(): void
  onSubmit?: () => unknown
  actions?: ComponentChildren
  isWide?: boolean
  closes?: string
  /**
   * True if the content is shown only once. Escape then does not close the dialog, but a sentence says which button
   * does.
   */
  isKept?: boolean
}

export function Dialog({ title, children, onClose, onSubmit, actions, isWide, isKept, closes = t('Cancel') }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  const [isEscapeRefused, setEscapeRefused] = useState(false)
  const refuse = (event: Event) => {
    event.preventDefault()
    setEscapeRefused(true)
  }
  useEffect(() => {
    const before = document.activeElement
    const dialog = ref.current
    dialog?.showModal()
    return () => {
      // The dialog is closed first, because nothing behind an open dialog can take the focus.
      dialog?.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
      else focusContent()
    }
  }, [])
  const last = useRef<EventTarget | null>(null)
  // If the control that had the focus is gone, the first button gets it. A click on text also takes the focus away, but
  // leaves the control in place.
  useEffect(() => {
    const isGone = last.current instanceof HTMLElement && !last.current.isConnected
    if (document.activeElement !== document.body || !isGone) return
    ref.current?.querySelector<HTMLElement>('.buttons button')?.focus({ preventScroll: true })
  })
  return (
    <dialog
      ref={ref}
      class={isWide ? 'wide' : ''}
      aria-labelledby={id}
      onClose={() => ref.current && onClose()}
      // If a cancel event is refused twice in a row, the browser ignores the second refusal. So the key itself is
      // refused as well.
      onKeyDown={(event) => isKept && event.key === 'Escape' && refuse(event)}
      onCancel={(event) => isKept && refuse(event)}
      onFocusIn={(event) => {
        last.current = event.target
      }}
    >
      <Form onSubmit={() => onSubmit?.()}>
        <h2 id={id}>{title}</h2>
        {children}
        {isEscapeRefused ? (
          <p role="alert">{t('This is shown only once. Copy it, then press “{button}”.', { button: closes })}</p>
        ) : null}
        <div class="buttons">
          <Button onPress={() => ref.current?.close()}>{closes}</Button>
          {actions}
        </div>
      </Form>
    </dialog>
  )
}

interface ActionDialogProps extends Pick<DialogProps, 'title' | 'children' | 'onClose'> {
  action: Action<[]>
  does: string
  isDisabled?: boolean
  /** Names of fields that show their errors themselves, so that the dialog does not repeat them. */
  fields?: readonly string[]
}

export const ActionDialog = ({ title, children, action, does, isDisabled, fields = [], onClose }: ActionDialogProps) => (
  <Dialog
    title={title}
    onClose={onClose}
    onSubmit={() => action.run()}
    actions={
      <Button look="primary" isBusy={action.isBusy} isDisabled={isDisabled}>
        {does}
      </Button>
    }
  >
    {children}
    <Problem of={action.problem} fields={fields} />
  </Dialog>
)

interface ConfirmProps {
  title: ComponentChildren
  children: ComponentChildren
  does: string
  /** Text that the user must type before the button works, for actions that cannot be undone. */
  typed?: string
  isDangerous?: boolean
  act(): Promise<string | undefined>
  onClose(): void
}

export function Confirm({ title, children, does, typed, isDangerous = true, act, onClose }: ConfirmProps) {
  const [text, setText] = useState('')
  const { run, isBusy, problem } = useAction(act)
  // Texts that look alike count as equal, because an older name may contain characters that nobody can see or type.
  const isReady = typed === undefined || lookOf(text) === lookOf(typed)
  const submit = async () => {
    if (isReady && (await run())) onClose()
  }
  const label = <Sentence text="Type {name} to continue" elements={{ name: <Name class="typed">{typed ?? ''}</Name> }} />
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={submit}
      actions={
        <Button look="primary" isDangerous={isDangerous} isBusy={isBusy} isDisabled={!isReady}>
          {does}
        </Button>
      }
    >
      <div class="stack">{children}</div>
      {typed === undefined ? null : <Line label={label} value={text} onChange={setText} />}
      <Problem of={problem} />
    </Dialog>
  )
}
