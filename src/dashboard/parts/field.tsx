/** A control with its label, hint and error, connected for screen readers. */
import type { ComponentChildren, JSX } from 'preact'
import { useId } from 'preact/hooks'

export interface Tied {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': 'true' | undefined
}

function useTied(hint: unknown, wrong: unknown): Tied {
  const id = useId()
  const described = [hint ? `${id}-hint` : '', wrong ? `${id}-wrong` : ''].filter(Boolean).join(' ')
  return { id, 'aria-describedby': described || undefined, 'aria-invalid': wrong ? 'true' : undefined }
}

const Below = ({ id, hint, wrong }: { id: string; hint: ComponentChildren; wrong: string | undefined }) => (
  <>
    {hint ? (
      <span class="hint" id={`${id}-hint`}>
        {hint}
      </span>
    ) : null}
    {wrong ? (
      <span class="wrong" id={`${id}-wrong`} role="alert">
        {wrong}
      </span>
    ) : null}
  </>
)

interface FieldProps {
  label: ComponentChildren
  hint?: ComponentChildren
  wrong?: string | undefined
  class?: string
  children(tied: Tied): JSX.Element
}

export function Field({ label, hint, wrong, class: more = '', children }: FieldProps) {
  const tied = useTied(hint, wrong)
  return (
    <div class={`field ${more}`}>
      <label for={tied.id}>{label}</label>
      {children(tied)}
      <Below id={tied.id} hint={hint} wrong={wrong} />
    </div>
  )
}

interface CheckProps {
  label: ComponentChildren
  hint?: ComponentChildren
  wrong?: string | undefined
  value: boolean
  isDisabled?: boolean
  onChange(value: boolean): void
}

export function Check({ label, hint, wrong, value, isDisabled, onChange }: CheckProps) {
  const tied = useTied(hint, wrong)
  return (
    <div class="check">
      <input
        {...tied}
        type="checkbox"
        checked={value}
        // A box with the attribute `disabled` would lose the focus when it is pressed.
        aria-disabled={isDisabled ? 'true' : undefined}
        onClick={(event) => isDisabled && event.preventDefault()}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <div class="field">
        <label for={tied.id}>{label}</label>
        <Below id={tied.id} hint={hint} wrong={wrong} />
      </div>
    </div>
  )
}

export interface ChoiceProps {
  tied: Tied
  value: string
  /** Value and text of each option; names in the text are isolated. */
  options: readonly (readonly [value: string, text: string])[]
  none?: string
  /** Text that is shown for a value that is not among the options. It cannot be chosen. */
  missing?: string | undefined
  /** Returns the group of an option. Absent if the list has no groups. */
  groupOf?: (value: string) => string
  onChange(value: string): void
}

const inGroups = (options: ChoiceProps['options'], groupOf: (value: string) => string) =>
  [...new Set(options.map(([value]) => groupOf(value)))].map(
    (group) => [group, options.filter(([value]) => groupOf(value) === group)] as const,
  )

const Options = ({ of }: { of: ChoiceProps['options'] }) => (
  <>
    {of.map(([value, text]) => (
      <option key={value} value={value}>
        {text}
      </option>
    ))}
  </>
)

export function Choice({ tied, value, options, none, missing, groupOf, onChange }: ChoiceProps) {
  return (
    <select {...tied} value={missing === undefined ? value : ''} onChange={(event) => onChange(event.currentTarget.value)}>
      {missing === undefined ? null : (
        <option value="" disabled>
          {missing}
        </option>
      )}
      {none === undefined ? null : <option value="">{none}</option>}
      {groupOf === undefined ? (
        <Options of={options} />
      ) : (
        inGroups(options, groupOf).map(([group, within]) => (
          <optgroup key={group} label={group}>
            <Options of={within} />
          </optgroup>
        ))
      )}
    </select>
  )
}

interface LineProps {
  label: ComponentChildren
  hint?: ComponentChildren
  wrong?: string | undefined
  class?: string
  value: string
  type?: 'text' | 'search' | 'tel' | 'password' | 'number' | 'datetime-local' | 'url'
  placeholder?: string
  required?: boolean
  maxLength?: number
  step?: string
  onChange(value: string): void
}

export const Line = ({ label, hint, wrong, class: more = '', onChange, type = 'text', ...rest }: LineProps) => (
  <Field label={label} hint={hint} wrong={wrong} class={more}>
    {(tied) => (
      <input
        {...tied}
        {...rest}
        // The cast is safe, because only the types of the library distinguish these attributes.
        type={type as 'text'}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    )}
  </Field>
)
