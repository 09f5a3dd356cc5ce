/** A form whose values the script of this page sends, and not the browser. */
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
  /** Names of fields that show their errors themselves, so that the form does not repeat them. */
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
