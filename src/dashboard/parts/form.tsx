/** A form that is sent by this page, not by the browser. */
import type { ComponentChildren } from 'preact'
import type { Action } from '../app/load.ts'
import { Button } from './button.tsx'
import { Problem } from './notice.tsx'

interface FormProps {
  class?: string
  onSubmit(): unknown
  children: ComponentChildren
}

export const Form = ({ class: name, onSubmit, children }: FormProps) => (
  <form
    class={name}
    onSubmit={(event) => {
      event.preventDefault()
      onSubmit()
    }}
  >
    {children}
  </form>
)

interface LineFormProps {
  action: Action<[]>
  /** The verb of the button. */
  does: string
  look?: 'primary'
  isDisabled?: boolean
  /** Fields that say themselves what is wrong with them. */
  fields?: readonly string[]
  /** The controls. */
  children: ComponentChildren
  /** Shown below. */
  result?: ComponentChildren
}

/** Controls and their button in one line, and below what the service says to it. */
export const LineForm = ({ action, does, look, isDisabled, fields = [], children, result }: LineFormProps) => (
  <Form class="stack" onSubmit={() => action.run()}>
    <div class="inline-form">
      {children}
      <Button look={look} isBusy={action.isBusy} isDisabled={isDisabled}>
        {does}
      </Button>
    </div>
    <Problem of={action.problem} fields={fields} />
    {result}
  </Form>
)
