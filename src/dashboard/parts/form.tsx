/** The script of this page sends the values of the form, and not the browser. */
import type { ComponentChildren } from 'preact'
import type { RightName } from '../../domain/dashboard-rights.ts'
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
  does: string
  look?: 'primary'
  isDisabled?: boolean
  needs?: RightName
  /** These fields show their errors themselves, so the form does not repeat them. */
  fields?: readonly string[]
  children: ComponentChildren
  result?: ComponentChildren
}

export const LineForm = ({ action, does, look, isDisabled, needs, fields = [], children, result }: LineFormProps) => (
  <Form class="stack" onSubmit={() => action.run()}>
    <div class="inline-form">
      {children}
      <Button look={look} isBusy={action.isBusy} isDisabled={isDisabled} needs={needs}>
        {does}
      </Button>
    </div>
    <Problem of={action.problem} fields={fields} />
    {result}
  </Form>
)
