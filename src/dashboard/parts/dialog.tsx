/** Questions on top of the page: the browser's own dialog, which keeps the focus and closes with Escape. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { lookOf } from '../../domain/display-text.ts'
import { type Action, useAction } from '../app/load.ts'
import { Button } from './button.tsx'
import { Line } from './field.tsx'
import { Form } from './form.tsx'
import { Problem } from './notice.tsx'
import { Name } from './words.tsx'

interface DialogProps {
  title: ComponentChildren
  children: ComponentChildren
  onClose(): void
  onSubmit?: () => unknown
  /** Beside the button that closes. */
  actions?: ComponentChildren
  isWide?: boolean
  closes?: string
}

export function Dialog({ title, children, onClose, onSubmit, actions, isWide, closes = 'Cancel' }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const before = document.activeElement
    ref.current?.showModal()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <dialog ref={ref} class={isWide ? 'wide' : ''} aria-labelledby={id} onClose={onClose}>
      <Form onSubmit={() => onSubmit?.()}>
        <h2 id={id}>{title}</h2>
        {children}
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
  /** The verb of the button. */
  does: string
  isDisabled?: boolean
  /** Fields that say themselves what is wrong with them. */
  fields?: readonly string[]
}

/** Asks for what an action needs, and says below what the service says to it. */
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
  /** The verb of the button. */
  does: string
  /** Must be typed first, where what follows cannot be undone. */
  typed?: string
  isDangerous?: boolean
  /** Resolves with what to say when it is done. */
  act(): Promise<string | undefined>
  onClose(): void
}

export function Confirm({ title, children, does, typed, isDangerous = true, act, onClose }: ConfirmProps) {
  const [text, setText] = useState('')
  const { run, isBusy, problem } = useAction(act)
  // A name that was stored before the rule for names may hold characters that nobody can see or type.
  const isReady = typed === undefined || lookOf(text) === lookOf(typed)
  const submit = async () => {
    if (isReady && (await run())) onClose()
  }
  const label = (
    <>
      Type <Name class="typed">{typed ?? ''}</Name> to go on
    </>
  )
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
